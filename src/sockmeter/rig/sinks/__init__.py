# SPDX-License-Identifier: MIT
"""A private network namespace with sinks in it, for as long as a rig lives."""

from sockmeter.rig.sinks.namespace import Namespace, NamespaceRefusedError, open_namespace

__all__ = ["Namespace", "NamespaceRefusedError", "open_namespace"]
