# SPDX-License-Identifier: MIT
"""The first root file system's format."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sockmeter.guest import cpio


def read_archive(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """Read as the kernel does: fields of eight hexadecimal digits, padding to four bytes."""
    found: dict[str, tuple[int, bytes]] = {}
    at = 0
    while True:
        assert b"070701" == archive[at : at + 6]
        fields = [int(archive[at + 6 + 8 * i : at + 14 + 8 * i], 16) for i in range(13)]
        mode, size, name_size = fields[1], fields[6], fields[11]
        name = archive[at + 110 : at + 110 + name_size - 1].decode()
        start = -(-(at + 110 + name_size) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (mode, archive[start : start + size])
        at = -(-(start + size) // 4) * 4


def test_a_file_comes_back_with_its_mode() -> None:
    """Executable or not."""
    archive = cpio.pack(
        [cpio.regular("init", b"\x7fELF", is_executable=True), cpio.regular("plan", b"end\n")]
    )
    assert {
        "init": (0o100755, b"\x7fELF"),
        "plan": (0o100644, b"end\n"),
    } == read_archive(archive)


def test_a_device_has_its_numbers() -> None:
    """/dev/console is character device 5, 1."""
    archive = cpio.pack([cpio.character_device("dev/console", 5, 1)])
    assert b"00000005" + b"00000001" == archive[6 + 8 * 9 : 6 + 8 * 11]


def test_a_path_given_twice_is_refused() -> None:
    """The kernel would keep the last one silently."""
    with pytest.raises(ValueError, match="stands in the archive twice"):
        cpio.pack([cpio.regular("a", b""), cpio.regular("a", b"")])


@given(st.dictionaries(st.from_regex(r"[a-z/]{1,40}", fullmatch=True), st.binary(max_size=99)))
def test_whatever_is_packed_is_read_back(files: dict[str, bytes]) -> None:
    """Any names, any lengths; and the same bytes each time."""
    entries = [cpio.regular(path, content) for path, content in files.items()]
    archive = cpio.pack(entries)
    assert archive == cpio.pack(entries)
    assert files == {path: content for path, (_, content) in read_archive(archive).items()}
