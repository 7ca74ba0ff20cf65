# SPDX-License-Identifier: MIT
"""Debian's kernels, from the mirror that this machine's apt is set up for.

apt works in a directory of our own: no root, nothing installed, the system's lists untouched. Only
the mirror's address is taken from the system's sources, since the suite is often another one.
"""

import functools
import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from sockmeter.guest.errors import NoPackageError, PackageFailedError

FLAVOURS = {"cloud": "-cloud", "generic": "", "rt": "-rt"}

# The suite that a series of kernels belongs to: https://wiki.debian.org/KernelVersions names them.
_SERIES_SUITES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "trixie"}
_KEYRINGS = (
    "/usr/share/keyrings/debian-archive-keyring.pgp",
    "/usr/share/keyrings/debian-archive-keyring.gpg",
)
_MAIN, _SECURITY = "debian", "debian-security"  # last part of a mirror's path


@dataclass(frozen=True, slots=True)
class Offer:
    """One kernel package that the mirror has."""

    package: str
    version: str  # Debian's


@dataclass(frozen=True, slots=True)
class Package:
    """A kernel package, unpacked."""

    offer: Offer
    image: Path
    modules: Path | None  # like /lib/modules/<release>


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for: `6.1`, `6.1.176-1` or `linux-image-…`, with flavour and suite."""

    words: str
    flavour: str = "cloud"
    suite: str | None = None  # None: the machine's own, and the one the series belongs to

    def pattern(self) -> re.Pattern[str]:
        """Return what the names of fitting packages match."""
        if self.words.startswith("linux-image-"):
            return re.compile(re.escape(self.words))
        infix = FLAVOURS[self.flavour]
        return re.compile(rf"linux-image-\d[\d.]*(?:\+\w+)?(?:-\d+)?{re.escape(infix)}-amd64")

    def admits(self, version: str) -> bool:
        """Whether a package of that Debian version was asked for."""
        if self.words.startswith("linux-image-") or version == self.words:
            return True
        return version.startswith(self.words) and version[len(self.words)] in ".-+~"

    def suites(self, own: Iterable[str]) -> list[str]:
        """Return the suites to look in, `own` being the machine's."""
        if self.suite is not None:
            return [self.suite]
        series = re.match(r"(?:linux-image-)?(\d+\.\d+)", self.words)
        suite = _SERIES_SUITES.get(series[1]) if series else None
        return list(dict.fromkeys([*own, *([suite] if suite else [])]))


def fetch(wish: Wish, state: Path, scratch: Path) -> Package:
    """Fetch and unpack the newest package that `wish` admits into `scratch`.

    `state` keeps apt's lists between calls; two calls must not share it at the same time. Raises
    NoPackageError where the mirror has none and PackageFailedError where apt or dpkg failed.
    """
    apt = _Apt(state, wish)
    offers = [offer for offer in apt.offers() if wish.admits(offer.version)]
    if not offers:
        raise NoPackageError(
            f"the mirror has no {wish.flavour} kernel {wish.words} in {', '.join(apt.suites)}",
            mend="name another --suite, a version it has, or a kernel of your own: kernel add PATH",
        )
    newest = max(offers, key=functools.cmp_to_key(_compare_versions))
    archive = apt.download(newest, scratch)
    unpacked = scratch / "unpacked"
    _run(["dpkg-deb", "-x", str(archive), str(unpacked)], f"{archive.name} cannot be unpacked")
    images = sorted(unpacked.glob("boot/vmlinuz-*"))
    if not images:
        raise PackageFailedError(f"{newest.package} has no kernel image")
    modules = sorted([*unpacked.glob("lib/modules/*"), *unpacked.glob("usr/lib/modules/*")])
    return Package(newest, images[0], modules[0] if modules else None)


class _Apt:
    def __init__(self, state: Path, wish: Wish) -> None:
        self._wish = wish
        self._configuration = state / "apt.conf"
        sources = _system_sources()
        if not any(one.kind == _MAIN for one in sources):
            raise NoPackageError(
                "this machine's apt has no Debian mirror",
                mend="sockmeter kernel add PATH takes a bzImage of any origin",
            )
        own = dict.fromkeys(one.suite for one in sources if one.kind == _MAIN)
        self.suites = wish.suites(own)
        self._prepare(state, sources)
        self._apt("apt-get", "-q", "update", why="the mirror's lists cannot be fetched")

    def offers(self) -> list[Offer]:
        names = self._apt("apt-cache", "pkgnames", "linux-image-", why="apt-cache failed").split()
        pattern = self._wish.pattern()
        fitting = sorted(name for name in names if pattern.fullmatch(name))
        if not fitting:
            return []
        table = self._apt("apt-cache", "madison", *fitting, why="apt-cache failed")
        rows = [[part.strip() for part in line.split("|")] for line in table.splitlines()]
        return [Offer(row[0], row[1]) for row in rows if len(row) == 3]

    def download(self, offer: Offer, directory: Path) -> Path:
        self._apt(
            "apt-get",
            "-q",
            "download",
            f"{offer.package}={offer.version}",
            why=f"{offer.package} cannot be fetched",
            directory=directory,
        )
        archives = sorted(directory.glob("*.deb"))
        if not archives:
            raise PackageFailedError(f"apt fetched {offer.package}, but no file is there")
        return archives[0]

    def _prepare(self, state: Path, sources: Sequence["_Source"]) -> None:
        for name in ("lists/partial", "cache/archives/partial"):
            (state / name).mkdir(parents=True, exist_ok=True)
        (state / "status").touch()
        (state / "sources.list").write_text(_sources_list(self.suites, sources))
        # Hooks of the system's configuration are for the system's own lists.
        self._configuration.write_text(
            "#clear APT::Update::Pre-Invoke;\n"
            "#clear APT::Update::Post-Invoke;\n"
            "#clear APT::Update::Post-Invoke-Success;\n"
            f'Dir::State "{state}";\n'
            f'Dir::State::lists "{state}/lists";\n'
            f'Dir::State::status "{state}/status";\n'
            f'Dir::Cache "{state}/cache";\n'
            f'Dir::Etc::SourceList "{state}/sources.list";\n'
            'Dir::Etc::SourceParts "/dev/null";\n'
            'Dir::Etc::PreferencesParts "/dev/null";\n'
            'APT::Architecture "amd64";\n'
            'APT::Architectures { "amd64"; };\n'
            f'APT::Sandbox::User "{"root" if os.geteuid() == 0 else ""}";\n'
            'Acquire::Languages "none";\n'
        )

    def _apt(self, *words: str, why: str, directory: Path | None = None) -> str:
        program, *arguments = words
        return _run([program, "-c", str(self._configuration), *arguments], why, directory)


@dataclass(frozen=True, slots=True)
class _Source:
    uri: str
    suite: str

    @property
    def kind(self) -> str:
        return urlsplit(self.uri).path.rstrip("/").rsplit("/", 1)[-1]


def _system_sources() -> list[_Source]:
    text = _run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages"],
        "apt does not say where its packages come from",
    )
    rows = [line.split() for line in dict.fromkeys(text.splitlines())]
    return [_Source(row[0], row[1].rstrip("/")) for row in rows if len(row) == 2]


def _sources_list(suites: Sequence[str], sources: Sequence[_Source]) -> str:
    keyring = next((path for path in _KEYRINGS if Path(path).exists()), None)
    option = f"[signed-by={keyring}] " if keyring else ""
    main = next(one.uri for one in sources if one.kind == _MAIN)
    security = next((one.uri for one in sources if one.kind == _SECURITY), None)
    lines = [f"deb {option}{main} {suite} main" for suite in suites]
    if security is not None:
        # A release has a security suite; its -updates and -backports have none.
        lines += [
            f"deb {option}{security} {suite}-security main"
            for suite in suites
            if "-" not in suite and suite not in ("sid", "unstable", "experimental")
        ]
    return "".join(f"{line}\n" for line in lines)


def _compare_versions(left: Offer, right: Offer) -> int:
    if left.version == right.version:
        return (left.package > right.package) - (left.package < right.package)
    done = subprocess.run(
        ["dpkg", "--compare-versions", left.version, "lt", right.version], check=False
    )
    return -1 if done.returncode == 0 else 1


def _run(command: Sequence[str], why: str, directory: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=False,
            cwd=directory,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise PackageFailedError(
            f"{why}: {command[0]} is not installed",
            mend="sockmeter kernel add PATH takes a bzImage without apt",
        ) from error
    if done.returncode:
        said = [line for line in done.stderr.splitlines() if line.startswith("E:")]
        lines = said or done.stderr.splitlines() or [f"{command[0]} ended with {done.returncode}"]
        raise PackageFailedError(f"{why}: {lines[0].removeprefix('E:').strip()}")
    return done.stdout
