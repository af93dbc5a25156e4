"""Packages that export names without importing the modules behind them.

A cold start pays for what it uses and nothing else; a package's interface stays
one flat list of names all the same.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["exports"]


def exports(package: str, homes: Mapping[str, str]) -> Callable[[str], object]:
    """A module-level `__getattr__` (PEP 562) that finds each name in its module.

    `homes` maps a submodule of `package` to the names it exports, separated by
    spaces.
    """
    modules = {name: home for home, names in homes.items() for name in names.split()}

    def find(name: str) -> object:
        home = modules.get(name)
        if home is None:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{home}"), name)
        # From now on it is an attribute like any other: notes ask ten times each.
        setattr(sys.modules[package], name, found)
        return found

    return find
