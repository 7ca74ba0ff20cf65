# SPDX-License-Identifier: MIT
"""What can go wrong with a guest, each where the tree of all errors has its place.

::

    MachineError
    ├── QemuMissingError           not installed
    ├── QemuUnsuitableError        of a version that cannot count, or is not known to
    └── TallyMissingError          the counting plugin was not built
    OutputError
    └── StoreError                 the kernel store cannot be read or written
    KernelError
    ├── NotAKernelError            no bzImage
    ├── WrongArchitectureError     a kernel, but not for x86-64
    ├── UnknownKernelError         nothing of that name in the store
    ├── AmbiguousKernelError       more than one
    ├── NoPackageError             the mirror has none
    ├── PackageFailedError         apt or dpkg said no
    ├── BadModulesError            missing, of another kernel, or in a form not understood
    └── BootError                  carries the console's last lines
        ├── GuestPanickedError     the kernel gave up
        ├── GuestSilentError       nothing happened for too long
        ├── GuestTimedOutError     the time limit passed
        ├── GuestStoppedError      QEMU ended before the guest's end
        ├── GuestUnpreparedError   a module, sysctl or mount refused
        ├── BadSymbolsError        the guest's symbols are of no use
        └── BadTallyError          the plugin's report is cut short or foreign
"""

from sockmeter.model.errors import KernelError, MachineError, OutputError


class QemuMissingError(MachineError):
    """QEMU is not installed."""


class QemuUnsuitableError(MachineError):
    """QEMU's version has no plugin interface that tally is built for."""


class TallyMissingError(MachineError):
    """The counting plugin for this QEMU's plugin interface was not built."""


class StoreError(OutputError):
    """The kernel store cannot be read or written."""


class NotAKernelError(KernelError):
    """The file is no bzImage."""


class WrongArchitectureError(KernelError):
    """The kernel is for another machine than x86-64."""


class UnknownKernelError(KernelError):
    """The store has no kernel of that name."""


class AmbiguousKernelError(KernelError):
    """The store has several kernels that the name fits."""


class NoPackageError(KernelError):
    """The mirror has no package that was asked for."""


class PackageFailedError(KernelError):
    """A package could not be fetched or unpacked."""


class BadModulesError(KernelError):
    """A module is missing, belongs to another kernel or is packed in an unknown way."""


class BootError(KernelError):
    """A guest did not do what it was booted for."""

    def __init__(
        self, what: str, *, mend: str | None = None, console: tuple[str, ...] = ()
    ) -> None:
        super().__init__(what, mend=mend)
        self.console = console  # last lines, oldest first

    def __str__(self) -> str:
        return "\n".join([super().__str__(), *(f"  console: {line}" for line in self.console)])


class GuestPanickedError(BootError):
    """The guest's kernel gave up."""


class GuestSilentError(BootError):
    """Nothing came from the guest for longer than the limit."""


class GuestTimedOutError(BootError):
    """The guest did not end within its time limit."""


class GuestStoppedError(BootError):
    """QEMU ended before the guest reported its end."""


class GuestUnpreparedError(BootError):
    """The guest refused a module, a sysctl or a mount."""


class BadSymbolsError(BootError):
    """The guest's symbols cannot be used."""


class BadTallyError(BootError):
    """The counting plugin's report cannot be used."""
