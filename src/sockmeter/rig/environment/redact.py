# SPDX-License-Identifier: MIT
"""What must not leave the machine: host names, addresses, identifiers of disks and people.

A run file is made to be passed on. The kernel's command line is the one fact that says what its
owner wrote; parameters keep their names, and their values where those cannot name anybody.
"""

import re

REDACTED = "[redacted]"
INIT_REDACTED = "-- [redacted]"

# Parameters whose value names a machine, a disk or a network, whatever its form.
NAMING_KEYS = re.compile(
    r"root|resume|ip|nfs\w*|netconsole|ds|hostname|\S*[._-](?:host(?:name)?|address|password|key)"
    r"|crypt\w*|rd\.\S+|luks\S*|systemd\.\S+|cloud-init\S*|BOOTIF|BOOT_IMAGE|iscsi\S*|init|rdinit"
    r"|user\w*|inst\.\S+|auto\.\S+|url|preseed\S*|netcfg\S*"
)
# Forms of a value that name something: IPv4, IPv6, MAC, UUID or digest, person, URL.
NAMING_FORMS = re.compile(
    r"\d{1,3}(?:\.\d{1,3}){3}|(?:[0-9A-Fa-f]{0,4}:){2,}|[0-9A-Fa-f]{2}(?:-[0-9A-Fa-f]{2}){5}"
    r"|[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-|[0-9A-Fa-f]{16}|@|://"
)


def redact_command_line(command_line: str, nodename: str) -> str:
    """Return the kernel's command line without what names a host, a disk, an address or a person.

    What follows ` -- ` is init's, not the kernel's, and is left out whole.
    """
    kernel_part, separator, _ = f"{command_line.strip()} ".partition(" -- ")
    words = [_redact_word(word, nodename) for word in _split(kernel_part)]
    if separator:
        words.append(INIT_REDACTED)
    return " ".join(words)


def _split(command_line: str) -> list[str]:
    """Split at spaces outside double quotes, as the kernel's next_arg() does."""
    return re.findall(r'(?:[^\s"]|"[^"]*"?)+', command_line)


def _redact_word(word: str, nodename: str) -> str:
    key, equals, value = word.partition("=")
    # A quote in a key is no parameter's; cut at its sign the word would not be one word any more.
    if '"' in key and NAMING_FORMS.search(word):
        return REDACTED
    if _names_something(key, nodename):
        return REDACTED
    if equals and (NAMING_KEYS.fullmatch(key) or _names_something(value, nodename)):
        return f"{key}={REDACTED}"
    return word


def _names_something(text: str, nodename: str) -> bool:
    if NAMING_FORMS.search(text):
        return True
    host = rf"(?<![A-Za-z0-9]){re.escape(nodename)}(?![A-Za-z0-9])"
    return bool(nodename and re.search(host, text, re.IGNORECASE))
