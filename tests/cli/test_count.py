# SPDX-License-Identifier: MIT
"""What bad input gets of `count` and `kernel`: one line, an exit code, nothing left behind."""

import os
import struct
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.run_cli import only_line, run_cli, start_cli
from tests.guest.make_kernels import make_elf, make_image

Run = Callable[..., tuple[int, str]]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """Return what names a store, an emulator and a plugin of its own that never count."""
    emulator = tmp_path / "bin" / "qemu-system-x86_64"
    emulator.parent.mkdir()
    emulator.write_text("#!/bin/sh\necho QEMU emulator version 7.2.22\n")
    emulator.chmod(0o755)
    (tmp_path / "tally-1.so").touch()
    (tmp_path / "probe").write_bytes(make_elf(functions={"main": (0x10, 4)}))
    (tmp_path / "tmp").mkdir()
    return {
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "PATH": f"{emulator.parent}:{os.environ['PATH']}",
        "SOCKMETER_TALLY": str(tmp_path),
        "SOCKMETER_PROBE": str(tmp_path / "probe"),
        "TMPDIR": str(tmp_path / "tmp"),
    }


@pytest.fixture
def run(tmp_path: Path, environment: dict[str, str]) -> Run:
    def run(*words: str | Path, **more: str) -> tuple[int, str]:
        finished = run_cli(*words, cwd=tmp_path, environment=environment | more)
        return finished.returncode, only_line(finished)

    return run


COUNT = ("count", "recv", "--call", "recv", "-o", "run.jsonl")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--kernel", "nothing"), 8, "no kernel nothing here"),
        ((), 2, "no kernel to count in; --kernel debian:6.1 fetches one"),
        (("--kernel", "a", "--boot", "=on"), 2, "--boot '=on': no name"),
        (("--kernel", "a", "--sysctl", "net.x"), 2, "--sysctl net.x: no value"),
        (("--kernel", "a", "--smp", "many"), 2, "--smp many: not from 1 to 16 CPUs"),
        (("--kernel", "a,"), 2, "a value is empty"),
        (("--kernel", "a", "--functions", "-f", "csv"), 2, "--format csv has no room"),
        (("--kernel", "a", "--rules", "x.toml"), 2, "add --mechanisms"),
        (("--kernel", "a", "--mechanisms", "--rules", "x.toml"), 2, "x.toml cannot be read"),
        (("--kernel", "a", "--mechanisms", "--rules", "."), 2, ". cannot be read: Is a directory"),
        (("--kernel", "a", "--flame", "no/where.svg"), 5, "no/where.svg cannot be written"),
    ],
)
def test_what_makes_no_sense_is_one_line(
    run: Run, tmp_path: Path, words: tuple[str, ...], code: int, message: str
) -> None:
    """And no run file is left."""
    returned, line = run(*COUNT, *words)
    assert code == returned
    assert message in line
    assert not (tmp_path / "run.jsonl").exists()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# \xff", "mine.toml cannot be read: no UTF-8 text at offset 2"),
        (b"[[rule]", "mine.toml cannot be understood"),
    ],
)
def test_rules_that_are_no_toml_are_one_line(
    run: Run, tmp_path: Path, content: bytes, message: str
) -> None:
    """Before anything is counted."""
    (tmp_path / "mine.toml").write_bytes(content)
    returned, line = run(*COUNT, "--kernel", "a", "--mechanisms", "--rules", "mine.toml")
    assert (2, True) == (returned, message in line)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("bulk", "--call", "send", "--sink", "veth"), "no sink veth; take dummy, ifb or loopback"),
        (("bulk", "--call", "send", "--mtu", "60"), "not a whole number from 68 to 65536"),
        (("bulk", "--call", "send", "--offload", "rx-gro=maybe"), "take one of on, off"),
        (("bulk", "--call", "send", "--offload", "rx-gro"), "write it as --offload"),
        (("recv", "--call", "recv", "--mtu", "1500"), "it is a factor of bulk and zerocopy"),
        (("recv", "--call", "recv", "--offload", "a=on"), "it is a factor of bulk and zerocopy"),
    ],
)
def test_what_a_guest_cannot_be_sent_to_or_turned_is_one_line(
    run: Run, tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    returned, line = run("count", *words, "--kernel", "a", "-o", "run.jsonl")
    assert (2, True) == (returned, message in line), line
    assert not (tmp_path / "run.jsonl").exists()


def test_without_qemu_it_says_what_to_install(run: Run, tmp_path: Path) -> None:
    """Nothing else is asked for first."""
    returned, line = run(*COUNT, "--kernel", "a", PATH=str(tmp_path))
    assert 3 == returned
    assert "apt-get install --no-install-recommends qemu-system-x86" in line


def test_a_qemu_too_old_says_which_can_count(run: Run, tmp_path: Path) -> None:
    """7.2 is the first."""
    (tmp_path / "bin" / "qemu-system-x86_64").write_text(
        "#!/bin/sh\necho QEMU emulator version 6.2.0\n"
    )
    returned, line = run(*COUNT, "--kernel", "a")
    assert (3, True) == (returned, "6.2.0 is too old: 7.2 is the first" in line)


def test_a_plugin_that_was_not_built_is_named(run: Run, tmp_path: Path) -> None:
    """With the variable that names its place."""
    (tmp_path / "image").write_bytes(make_image())
    run("kernel", "add", "image", "--name", "a")
    returned, line = run(*COUNT, "--kernel", "a", SOCKMETER_TALLY="/none")
    assert 3 == returned
    assert "/none/tally-1.so" in line
    assert "SOCKMETER_TALLY" in line


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"no kernel", "is no Linux kernel"),
        (b"\0" * 0x38 + b"ARM\x64", "is an arm64 kernel"),
        (b"\x7fELF\x02\x01" + b"\0" * 12 + struct.pack("<H", 62), "an ELF file, not a bzImage"),
    ],
)
def test_a_file_that_is_no_kernel_of_ours_is_named(
    run: Run, tmp_path: Path, content: bytes, message: str
) -> None:
    """And the store stays empty."""
    (tmp_path / "image").write_bytes(content)
    returned, line = run("kernel", "add", "image")
    assert (8, True) == (returned, message in line)
    assert (8, "no kernel image here") == (
        run("kernel", "remove", "image")[0],
        run("kernel", "remove", "image")[1].removeprefix("sockmeter: ").split(";")[0],
    )


def test_modules_of_another_kernel_are_refused(run: Run, tmp_path: Path) -> None:
    """Nothing is kept of a kernel whose modules are none."""
    (tmp_path / "image").write_bytes(make_image())
    (tmp_path / "modules").mkdir()
    returned, line = run("kernel", "add", "image", "--modules", "modules")
    assert (8, True) == (returned, "holds no modules" in line)
    assert (8, "no kernel") == (
        run("kernel", "remove", "image")[0],
        run("kernel", "remove", "image")[1].removeprefix("sockmeter: ")[:9],
    )


def test_debians_options_belong_to_debians_kernels(run: Run) -> None:
    """A file has no flavour, and a package brings its own modules."""
    assert [2, 2] == [
        run("kernel", "add", "image", "--flavour", "rt")[0],
        run("kernel", "add", "debian:6.1", "--modules", ".")[0],
    ]


def test_a_guest_that_ends_at_once_leaves_nothing(
    run: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    """The emulator here does nothing: the error says which kernel, and the exit code is 8."""
    (tmp_path / "image").write_bytes(make_image())
    run("kernel", "add", "image", "--name", "mine")
    finished = run_cli(*COUNT, "--kernel", "mine", cwd=tmp_path, environment=environment)
    assert 8 == finished.returncode
    assert "mine: the guest ended before the probe did" in finished.stderr
    assert not (tmp_path / "run.jsonl").exists()
    assert [] == list((tmp_path / "tmp").iterdir())


def test_what_a_killed_count_leaves_is_taken_away_by_the_next(
    run: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    """No run file, no emulator, and a directory only until then."""
    (tmp_path / "image").write_bytes(make_image())
    run("kernel", "add", "image", "--name", "mine")
    emulator = tmp_path / "bin" / "qemu-system-x86_64"
    quick = emulator.read_text()
    emulator.write_text(f"{quick}[ $# -eq 1 ] || exec sleep 60\n")
    process = start_cli(*COUNT, "--kernel", "mine", cwd=tmp_path, environment=environment)
    while not list((tmp_path / "tmp").glob("*/stderr")):
        assert process.poll() is None
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert not (tmp_path / "run.jsonl").exists()
    assert 1 == len(list((tmp_path / "tmp").iterdir()))
    emulator.write_text(quick)
    run_cli(*COUNT, "--kernel", "mine", cwd=tmp_path, environment=environment)
    assert [] == list((tmp_path / "tmp").iterdir())
