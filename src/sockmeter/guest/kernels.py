# SPDX-License-Identifier: MIT
"""The store of guest kernels: a private cache of images, their modules and their symbols.

An entry is a directory named by the image's content. It appears whole, by one rename, or not at
all; what a killed process left half made is swept by the next one. Several processes may use the
store at once.
"""

import fcntl
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from sockmeter.guest import debian
from sockmeter.guest.errors import (
    AmbiguousKernelError,
    BadModulesError,
    NotAKernelError,
    StoreError,
    UnknownKernelError,
)
from sockmeter.guest.image import Image, read_image
from sockmeter.guest.modules import ModuleTree

_ID_DIGITS = 12
_ID_DIGITS_MIN = 4  # that find() takes for an id
_MAKING = ".making-"
_ALIVE = "alive"  # locked by who makes
_IMAGE, _RECORD, _MODULES, _SYMBOLS = "bzImage", "kernel.json", "modules", "symbols"


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What the store knows of a kernel besides its files."""

    sha256: str  # of the image
    version: str  # that the image states
    release: str  # first word of it
    name: str  # that a user calls it by
    source: str  # package and version, or "file"


class Kernel:
    """One kernel of the store."""

    def __init__(self, directory: Path, record: Record) -> None:
        self.directory = directory
        self.record = record

    @property
    def id(self) -> str:
        """The first digits of the image's SHA-256."""
        return self.record.sha256[:_ID_DIGITS]

    @property
    def image(self) -> Path:
        """The bzImage."""
        return self.directory / _IMAGE

    def module_tree(self) -> ModuleTree:
        """Return its modules; BadModulesError where it came without."""
        modules = self.directory / _MODULES
        if not modules.is_dir():
            raise BadModulesError(
                f"kernel {self.record.name} was added without modules",
                mend="sockmeter kernel add PATH --modules DIR",
            )
        return ModuleTree(modules, self.record.release)

    def symbols(self) -> str | None:
        """Return the symbols that a boot of it sent; None before the first."""
        path = self.directory / _SYMBOLS
        return path.read_text() if path.exists() else None

    def keep_symbols(self, text: str) -> None:
        """Keep what a boot of it sent, whole or not at all."""
        with _saying_store_error(self.directory):
            _write_whole(self.directory / _SYMBOLS, text.encode())


class Store:
    """The kernels of one user."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def list(self) -> list[Kernel]:
        """Return all kernels, by name."""
        if not self._root.is_dir():
            return []
        found = []
        for path in sorted(self._root.iterdir()):
            record = path / _RECORD
            if path.name.startswith(".") or not record.exists():
                continue
            try:
                found.append(Kernel(path, msgspec.json.decode(record.read_bytes(), type=Record)))
            except msgspec.MsgspecError as error:
                raise StoreError(
                    f"{record} is damaged: {error}", mend=f"rm -r '{path}' and add it again"
                ) from error
        return sorted(found, key=lambda kernel: (kernel.record.name, kernel.id))

    def find(self, words: str) -> Kernel:
        """Return the kernel of that name, release or beginning of its id.

        Of Debian's kernels that `debian:6.1` fits, the newest, a cloud kernel before others. Raises
        UnknownKernelError for none and AmbiguousKernelError for several.
        """
        kernels = self.list()
        for found in (
            [one for one in kernels if one.record.name == words],
            [one for one in kernels if words in (one.record.release, one.record.source)],
            _newest([one for one in kernels if _is_meant(words, one.record)]),
            [one for one in kernels if _begins_id(words, one.record)],
        ):
            if len(found) == 1:
                return found[0]
            if found:
                raise AmbiguousKernelError(
                    f"{words} fits several kernels: {', '.join(kernel.id for kernel in found)}",
                    mend="name one by its id, or give it a --name when adding it",
                )
        raise UnknownKernelError(
            f"no kernel {words} here",
            mend=f"sockmeter kernel add {words}"
            if words.startswith("debian:")
            else "sockmeter kernel list shows those that are, kernel add debian:6.1 adds one",
        )

    def add_file(
        self, image: Path, *, modules: Path | None = None, name: str | None = None
    ) -> Kernel:
        """Add the bzImage at `image`, and its modules, a directory like /lib/modules/RELEASE.

        Adding the same image again is no error: modules and name given then replace the old ones.
        """
        try:
            content = image.read_bytes()
        except OSError as error:
            raise NotAKernelError(f"{image} cannot be read: {error.strerror}") from error
        facts = read_image(content, str(image))
        if modules is not None:
            modules = _module_directory(modules, facts.release)
        return self._publish(
            content, facts, modules, name=name, default_name=facts.release, source="file"
        )

    def add_debian(self, wish: debian.Wish, *, name: str | None = None) -> Kernel:
        """Fetch the newest package that `wish` admits and add its kernel and modules."""
        with _saying_store_error(self._root), self._making() as scratch:
            with self._locked("apt"):
                state = self._root / ".apt"
                state.mkdir(exist_ok=True)
                package = debian.fetch(wish, state, scratch)
            content = package.image.read_bytes()
            facts = read_image(content, package.image.name)
            default = f"debian:{package.offer.version}-{wish.flavour}"
            if wish.words.startswith("linux-image-"):
                default = f"debian:{wish.words}"
            source = f"{package.offer.package}={package.offer.version}"
            return self._publish(
                content, facts, package.modules, name=name, default_name=default, source=source
            )

    def remove(self, kernel: Kernel) -> None:
        """Remove a kernel; a guest that runs it keeps what it has opened."""
        with _saying_store_error(self._root), self._locked("store"):
            grave = Path(tempfile.mkdtemp(prefix=_MAKING, dir=self._root))
            kernel.directory.rename(grave / "removed")
            shutil.rmtree(grave)

    def _publish(
        self,
        content: bytes,
        facts: Image,
        modules: Path | None,
        *,
        name: str | None,
        default_name: str,
        source: str,
    ) -> Kernel:
        record = Record(
            sha256=facts.sha256,
            version=facts.version,
            release=facts.release,
            name=name or default_name,
            source=source,
        )
        with _saying_store_error(self._root), self._making() as scratch:
            entry = scratch / "entry"
            entry.mkdir()
            (entry / _IMAGE).write_bytes(content)
            if modules is not None:
                shutil.copytree(modules, entry / _MODULES, symlinks=True, ignore=_build_links)
            (entry / _RECORD).write_bytes(msgspec.json.format(msgspec.json.encode(record)) + b"\n")
            with self._locked("store"):
                self._refuse_taken_name(name, record)
                return self._replace(entry, record, keeps_modules=modules is None)

    def _replace(self, entry: Path, record: Record, *, keeps_modules: bool) -> Kernel:
        kernel = Kernel(self._root / record.sha256[:_ID_DIGITS], record)
        if kernel.directory.exists():
            # Symbols belong to the image, which is the same; modules to whoever gave them last.
            kept = [_SYMBOLS, *([_MODULES] if keeps_modules else [])]
            for part in kept:
                if (kernel.directory / part).exists():
                    (kernel.directory / part).rename(entry / part)
            kernel.directory.rename(entry.parent / "replaced")
        entry.rename(kernel.directory)
        return kernel

    def _refuse_taken_name(self, name: str | None, record: Record) -> None:
        for kernel in self.list():
            if name == kernel.record.name and kernel.record.sha256 != record.sha256:
                raise StoreError(
                    f"the name {name} is taken by kernel {kernel.id}",
                    mend=f"choose another --name, or sockmeter kernel remove {kernel.id}",
                )

    @contextmanager
    def _making(self) -> Iterator[Path]:
        """Give a directory inside the store that vanishes afterwards, whoever dies."""
        self._root.mkdir(parents=True, exist_ok=True)
        with self._locked("store"):
            self._sweep()
            scratch = Path(tempfile.mkdtemp(prefix=_MAKING, dir=self._root))
            alive = (scratch / _ALIVE).open("w")
            fcntl.flock(alive, fcntl.LOCK_EX)
        try:
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            alive.close()

    def _sweep(self) -> None:
        """Remove what dead processes were making: nobody holds its lock any more."""
        for scratch in self._root.glob(f"{_MAKING}*"):
            try:
                with (scratch / _ALIVE).open("r") as alive:
                    fcntl.flock(alive, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            except FileNotFoundError:
                pass  # it died before its first file, or while it removed its last
            shutil.rmtree(scratch, ignore_errors=True)

    @contextmanager
    def _locked(self, name: str) -> Iterator[None]:
        with (self._root / f".{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def default_root(environ: Mapping[str, str], home: Path) -> Path:
    """Return the store's place: $XDG_CACHE_HOME/sockmeter/kernels, or the same in ~/.cache.

    A relative XDG_CACHE_HOME is ignored, as the XDG Base Directory Specification asks.
    """
    cache = environ.get("XDG_CACHE_HOME", "")
    base = Path(cache) if cache.startswith("/") else home / ".cache"
    return base / "sockmeter" / "kernels"


def _module_directory(given: Path, release: str) -> Path:
    """Accept lib/modules/RELEASE itself, and what INSTALL_MOD_PATH was set to."""
    for candidate in (given / "lib" / "modules" / release, given / release, given):
        if candidate.is_dir() and next(candidate.rglob("*.ko*"), None) is not None:
            return candidate
    raise BadModulesError(
        f"{given} holds no modules",
        mend="give the directory that make modules_install INSTALL_MOD_PATH=DIR filled",
    )


def _build_links(directory: str, names: list[str]) -> set[str]:
    """`build` and `source` point at the kernel's build tree."""
    links = {name for name in names if Path(directory, name).is_symlink()}
    return links & {"build", "source"}


def _is_meant(words: str, record: Record) -> bool:
    """`debian:6.1` means whatever of that series is there."""
    rest = record.name.removeprefix(words)
    return words.startswith("debian:") and rest.startswith((".", "-", "+", "~"))


def _newest(kernels: list[Kernel]) -> list[Kernel]:
    return sorted(kernels, key=_debian_order)[-1:]


def _debian_order(kernel: Kernel) -> tuple[bool, list[int]]:
    """Order by flavour, then by the version's numbers: one series has no letters in them."""
    numbers = [int(digits) for digits in re.findall(r"\d+", kernel.record.name)]
    return kernel.record.name.endswith("-cloud"), numbers


def _begins_id(words: str, record: Record) -> bool:
    return len(words) >= _ID_DIGITS_MIN and record.sha256.startswith(words)


@contextmanager
def _saying_store_error(root: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"the kernel store {root} cannot be changed: {error.strerror or error}",
            mend="make room there, or set XDG_CACHE_HOME to another place",
        ) from error


def _write_whole(path: Path, content: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=".writing-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
        Path(name).rename(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
