"""What is made when it is first used: modules behind a package, and patterns.

A cold start pays for what it uses and nothing else; a package's interface stays
one flat list of names all the same, a module's patterns stay together at its head.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import AnyStr, cast

__all__ = ["exports", "regex"]


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


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """A regular expression that is compiled when it is first used.

    To compile one takes up to three milliseconds, and most commands use few of those
    in the modules that they load. It has the methods and attributes of a pattern; to
    `isinstance` and the functions of `re` it is none. What is wrong with the
    expression is said at its first use.
    """
    return cast("re.Pattern[AnyStr]", _Regex(source, flags))


class _Regex:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self._made_of = source, flags

    def __getattr__(self, name: str) -> object:
        source, flags = self._made_of
        compiled = re.compile(source, flags)
        # From now on its methods are attributes like any other.
        for each in dir(compiled):
            if not each.startswith("_"):
                self.__dict__[each] = getattr(compiled, each)
        return getattr(compiled, name)
