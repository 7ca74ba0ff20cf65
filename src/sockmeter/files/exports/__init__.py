# SPDX-License-Identifier: MIT
"""What a run file holds, in the forms that other tools read; one module a form."""
