# SPDX-License-Identifier: MIT
"""The store of kernels: what goes in comes out whole, whoever dies and whoever else is there."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from sockmeter.guest.errors import (
    AmbiguousKernelError,
    BadModulesError,
    NotAKernelError,
    StoreError,
    UnknownKernelError,
)
from sockmeter.guest.kernels import Store, default_root
from tests.guest.make_kernels import make_image, make_module


def make_file(directory: Path, content: bytes | None = None) -> Path:
    path = directory / "bzImage"
    path.write_bytes(make_image() if content is None else content)
    return path


def make_module_directory(directory: Path) -> Path:
    modules = directory / "out" / "lib" / "modules" / "6.1.0-test"
    (modules / "kernel").mkdir(parents=True)
    (modules / "kernel" / "dummy.ko").write_bytes(make_module())
    (modules / "build").symlink_to("/nowhere")
    return directory / "out"


def make_store(directory: Path) -> Store:
    return Store(directory / "kernels")


def left_over(directory: Path) -> list[str]:
    return [path.name for path in (directory / "kernels").iterdir() if "making" in path.name]


def test_a_kernel_is_found_by_name_release_and_id(tmp_path: Path) -> None:
    """Its name is its release unless another is given."""
    store = make_store(tmp_path)
    kernel = store.add_file(make_file(tmp_path), name="before")
    for words in ("before", "6.1.0-test", kernel.id, kernel.id[:4]):
        assert kernel.record == store.find(words).record
    assert make_image() == kernel.image.read_bytes()


def test_an_empty_store_has_no_kernels(tmp_path: Path) -> None:
    """It need not even be there."""
    assert [] == make_store(tmp_path).list()
    with pytest.raises(UnknownKernelError, match="kernel add debian"):
        make_store(tmp_path).find("x")


def test_two_builds_of_one_release_are_two_kernels(tmp_path: Path) -> None:
    """Before and after a change; their release alone does not tell them apart."""
    store = make_store(tmp_path)
    store.add_file(make_file(tmp_path), name="before")
    store.add_file(make_file(tmp_path, make_image(tail=b"changed")), name="after")
    assert ["after", "before"] == [kernel.record.name for kernel in store.list()]
    with pytest.raises(AmbiguousKernelError, match="give it a --name"):
        store.find("6.1.0-test")


def test_a_name_means_one_kernel(tmp_path: Path) -> None:
    """The second is told whose it is."""
    store = make_store(tmp_path)
    first = store.add_file(make_file(tmp_path), name="mine")
    with pytest.raises(StoreError, match=f"taken by kernel {first.id}"):
        store.add_file(make_file(tmp_path, make_image(tail=b"changed")), name="mine")
    assert [] == left_over(tmp_path)


def test_a_series_means_what_is_there_of_it(tmp_path: Path) -> None:
    """debian:6.1 is the newest cloud kernel of 6.1, and none of 6.12."""
    store = make_store(tmp_path)
    store.add_file(make_file(tmp_path), name="debian:6.1.192-3-cloud")
    store.add_file(make_file(tmp_path, make_image(tail=b"x")), name="debian:6.12.9-1-cloud")
    assert "debian:6.1.192-3-cloud" == store.find("debian:6.1").record.name
    store.add_file(make_file(tmp_path, make_image(tail=b"y")), name="debian:6.1.99-1-cloud")
    store.add_file(make_file(tmp_path, make_image(tail=b"z")), name="debian:6.1.200-1-rt")
    assert "debian:6.1.192-3-cloud" == store.find("debian:6.1").record.name
    assert "debian:6.1.200-1-rt" == store.find("debian:6.1.200").record.name
    assert "debian:6.1.99-1-cloud" == store.find("debian:6.1.99-1-cloud").record.name


def test_modules_come_along(tmp_path: Path) -> None:
    """From what modules_install filled; its links to the build tree stay out."""
    store = make_store(tmp_path)
    kernel = store.add_file(make_file(tmp_path), modules=make_module_directory(tmp_path))
    assert ["dummy"] == [module.name for module in kernel.module_tree().resolve(["dummy"])]
    assert not (kernel.directory / "modules" / "build").is_symlink()


def test_adding_again_keeps_what_is_not_given_anew(tmp_path: Path) -> None:
    """Modules and symbols belong to the same image."""
    store = make_store(tmp_path)
    store.add_file(make_file(tmp_path), modules=make_module_directory(tmp_path)).keep_symbols(
        "1000 T f\n"
    )
    again = store.add_file(make_file(tmp_path), name="new")
    assert "new" == store.find("new").record.name
    assert "1000 T f\n" == again.symbols()
    assert again.module_tree().resolve(["dummy"])


def test_a_kernel_without_modules_says_how_to_give_them(tmp_path: Path) -> None:
    """When a scenario needs one."""
    with pytest.raises(BadModulesError, match="--modules DIR"):
        make_store(tmp_path).add_file(make_file(tmp_path)).module_tree()


@pytest.mark.parametrize("content", [b"", b"no kernel"])
def test_what_is_no_kernel_leaves_nothing(tmp_path: Path, content: bytes) -> None:
    """Not even the store."""
    with pytest.raises(NotAKernelError):
        make_store(tmp_path).add_file(make_file(tmp_path, content))
    assert not (tmp_path / "kernels").exists()


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    """With the system's reason."""
    with pytest.raises(NotAKernelError, match="No such file"):
        make_store(tmp_path).add_file(tmp_path / "absent")


def test_a_directory_without_modules_is_refused(tmp_path: Path) -> None:
    """Before anything is kept."""
    with pytest.raises(BadModulesError, match="holds no modules"):
        make_store(tmp_path).add_file(make_file(tmp_path), modules=tmp_path)


def test_a_removed_kernel_is_gone(tmp_path: Path) -> None:
    """Wholly."""
    store = make_store(tmp_path)
    store.remove(store.add_file(make_file(tmp_path)))
    assert [] == store.list()
    assert [] == left_over(tmp_path)


def test_a_damaged_entry_is_named(tmp_path: Path) -> None:
    """With the command that clears it."""
    store = make_store(tmp_path)
    kernel = store.add_file(make_file(tmp_path))
    (kernel.directory / "kernel.json").write_text("{")
    with pytest.raises(StoreError, match="is damaged"):
        store.list()


def test_a_store_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    """A file is in its place."""
    (tmp_path / "kernels").write_text("")
    with pytest.raises(StoreError, match="cannot be changed"):
        make_store(tmp_path).add_file(make_file(tmp_path))


SLOW_ADD = """
import os, sys, time
from pathlib import Path
from sockmeter.guest.kernels import Store
print("ready", flush=True)
Store(Path(sys.argv[1])).add_file(Path(sys.argv[2]), modules=Path(sys.argv[3]))
"""


def start_add(directory: Path, modules: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", SLOW_ADD, directory / "kernels", directory / "bzImage", modules],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
    )


def test_a_killed_add_leaves_no_entry_and_is_swept(tmp_path: Path) -> None:
    """It is killed while it copies modules without end."""
    make_file(tmp_path)
    modules = make_module_directory(tmp_path) / "lib" / "modules" / "6.1.0-test" / "kernel"
    for number in range(3000):
        (modules / f"m{number}.ko").write_bytes(b"m")
    process = start_add(tmp_path, tmp_path / "out")
    while not (tmp_path / "kernels").exists() or not left_over(tmp_path):
        assert process.poll() is None
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    store = make_store(tmp_path)
    assert [] == store.list()
    assert 1 == len(left_over(tmp_path))
    store.add_file(make_file(tmp_path))
    assert [] == left_over(tmp_path)


def test_many_can_add_the_same_kernel_at_once(tmp_path: Path) -> None:
    """All succeed, and one entry is there."""
    make_file(tmp_path)
    processes = [start_add(tmp_path, make_module_directory(tmp_path))]
    processes += [start_add(tmp_path, tmp_path / "out") for _ in range(3)]
    for process in processes:
        process.communicate()
    assert [0] * 4 == [process.returncode for process in processes]
    assert ["6.1.0-test"] == [kernel.record.name for kernel in make_store(tmp_path).list()]
    assert [] == left_over(tmp_path)


def test_the_store_is_in_the_users_cache() -> None:
    """A relative XDG_CACHE_HOME is to be ignored, says its specification."""
    assert Path("/c/sockmeter/kernels") == default_root({"XDG_CACHE_HOME": "/c"}, Path("/h"))
    assert Path("/h/.cache/sockmeter/kernels") == default_root({"XDG_CACHE_HOME": "c"}, Path("/h"))
    assert Path("/h/.cache/sockmeter/kernels") == default_root({}, Path("/h"))
