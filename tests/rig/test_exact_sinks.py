# SPDX-License-Identifier: MIT
"""Where bulk traffic goes in a guest, if nobody says."""

from pathlib import Path

from sockmeter.guest.kernels import Store
from sockmeter.rig.exact import best_sink
from tests.guest.make_kernels import make_image, make_module


def make_kernel_file(directory: Path, *, tail: bytes = b"") -> Path:
    path = directory / f"bzImage{tail.decode()}"
    path.write_bytes(make_image(tail=tail))
    return path


def make_modules(directory: Path, *names: str) -> Path:
    modules = directory / "out" / "lib" / "modules" / "6.1.0-test" / "kernel"
    modules.mkdir(parents=True)
    for name in names:
        (modules / f"{name}.ko").write_bytes(make_module())
    return directory / "out"


def test_the_best_sink_is_one_that_every_kernel_has_the_module_of(tmp_path: Path) -> None:
    store = Store(tmp_path / "kernels")
    both = store.add_file(
        make_kernel_file(tmp_path), modules=make_modules(tmp_path / "a", "dummy", "ifb"), name="a"
    )
    one = store.add_file(
        make_kernel_file(tmp_path, tail=b"b"),
        modules=make_modules(tmp_path / "b", "ifb"),
        name="b",
    )
    assert "dummy" == best_sink([both])
    assert "ifb" == best_sink([both, one])


def test_kernels_without_modules_have_loopback(tmp_path: Path) -> None:
    store = Store(tmp_path / "kernels")
    assert "loopback" == best_sink([store.add_file(make_kernel_file(tmp_path), name="bare")])
