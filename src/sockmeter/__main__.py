# SPDX-License-Identifier: MIT
"""`python -m sockmeter` is `sockmeter`."""

from sockmeter.cli.main import main

main()
