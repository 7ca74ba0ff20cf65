# SPDX-License-Identifier: MIT
"""Modules in the order that loads, and what is said where they do not fit."""

import gzip
import lzma
import shutil
import subprocess
from pathlib import Path

import pytest

from sockmeter.guest.errors import BadModulesError
from sockmeter.guest.modules import ModuleTree
from tests.guest.make_kernels import make_elf, make_module

RELEASE = "6.1.0-test"


def make_tree(directory: Path, **depends: str) -> ModuleTree:
    """Write a module for each keyword, which needs what its value lists."""
    for name, needed in depends.items():
        path = directory / "kernel" / "net" / f"{name}.ko"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(make_module(RELEASE, needed))
    return ModuleTree(directory, RELEASE)


def test_what_a_module_needs_comes_before_it(tmp_path: Path) -> None:
    """Each once, however many need it."""
    tree = make_tree(tmp_path, a="b,c", b="d", c="d", d="")
    assert ["d", "b", "c", "a"] == [module.name for module in tree.resolve(["a", "b"])]


def test_dashes_and_underscores_are_the_same(tmp_path: Path) -> None:
    """As for modprobe(8)."""
    tree = make_tree(tmp_path, x_y="")
    assert ["x_y"] == [module.name for module in tree.resolve(["x-y"])]


def test_what_is_built_in_needs_no_module(tmp_path: Path) -> None:
    """modules.builtin lists it."""
    (tmp_path / "modules.builtin").write_text("kernel/drivers/net/loop-back.ko\n")
    tree = make_tree(tmp_path, a="loop_back")
    assert ["a"] == [module.name for module in tree.resolve(["a", "loop_back"])]


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_a_compressed_module_is_unpacked(tmp_path: Path, suffix: str, pack: object) -> None:
    """Distributions differ in how they pack them."""
    assert callable(pack)
    (tmp_path / f"a.ko{suffix}").write_bytes(pack(make_module(RELEASE)))
    assert make_module(RELEASE) == ModuleTree(tmp_path, RELEASE).resolve(["a"])[0].content


@pytest.mark.skipif(shutil.which("zstd") is None, reason="zstd is not installed")
def test_a_module_packed_with_zstd_is_unpacked(tmp_path: Path) -> None:
    """By the program: Python learnt it only in 3.14."""
    packed = subprocess.run(
        ["zstd", "-cq"], input=make_module(RELEASE), capture_output=True, check=True
    ).stdout
    (tmp_path / "a.ko.zst").write_bytes(packed)
    assert make_module(RELEASE) == ModuleTree(tmp_path, RELEASE).resolve(["a"])[0].content


def test_a_missing_module_is_named_with_who_needs_it(tmp_path: Path) -> None:
    """The user asked for `a`; `b` is what is missing."""
    with pytest.raises(BadModulesError, match="has no module b, which a needs"):
        make_tree(tmp_path, a="b").resolve(["a"])


def test_modules_that_need_each_other_are_refused(tmp_path: Path) -> None:
    """No order loads them."""
    with pytest.raises(BadModulesError, match="a → b → a need each other"):
        make_tree(tmp_path, a="b", b="a").resolve(["a"])


def test_a_module_of_another_kernel_is_refused(tmp_path: Path) -> None:
    """The guest's kernel would refuse it, later and less clearly."""
    (tmp_path / "a.ko").write_bytes(make_module("5.10.0-other"))
    with pytest.raises(BadModulesError, match=r"built for kernel 5\.10\.0-other, not for 6\.1"):
        ModuleTree(tmp_path, RELEASE).resolve(["a"])


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.ko", b"text", "is no kernel module"),
        ("a.ko", make_elf(), r"has no \.modinfo"),
        ("a.ko", make_module()[:100], "is no kernel module"),
        ("a.ko.xz", lzma.compress(make_module())[:50], "cannot be unpacked"),
        ("a.ko.gz", gzip.compress(make_module())[:50], "cannot be unpacked"),
    ],
)
def test_what_is_no_module_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    """A text, another ELF file, a truncated one, a truncated archive."""
    (tmp_path / name).write_bytes(content)
    with pytest.raises(BadModulesError, match=said):
        ModuleTree(tmp_path, RELEASE).resolve(["a"])
