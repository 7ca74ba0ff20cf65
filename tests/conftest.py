# SPDX-License-Identifier: MIT
"""Golden files: what is rendered is compared with tests/golden; `--update-golden` rewrites it."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

# A shell ignores Ctrl-C for what it starts in the background, and what is ignored is inherited: the
# commands under test are to hear it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite the golden files from what is rendered",
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Return a check that a rendering equals the golden file of that name."""

    def check(name: str, rendered: str) -> None:
        path = GOLDEN / name
        if request.config.getoption("--update-golden"):
            path.write_text(rendered, encoding="utf-8")
        assert path.read_text(encoding="utf-8") == rendered

    return check
