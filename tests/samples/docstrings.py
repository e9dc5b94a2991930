"""The examples of a module's docstrings as one test, which costs pytest less than one for each."""

from __future__ import annotations

import doctest
from typing import Any

import pytest
from _pytest.doctest import MultipleDoctestFailures


class Examples(pytest.DoctestItem):
    """The examples of several docstrings of one module, all of which are tried."""

    docstrings: list[doctest.DocTest]

    def setup(self) -> None:
        """Give each docstring the names that its examples can rely on."""
        for docstring in self.docstrings:
            self.dtest = docstring
            super().setup()

    def runtest(self) -> None:
        """Run all examples; raise what fails together, or skip if there is nothing but to skip."""
        skipped, failed = [], []
        for docstring in self.docstrings:
            self.dtest = docstring
            try:
                super().runtest()
            except pytest.skip.Exception as reason:
                skipped.append(reason)
            except (doctest.DocTestFailure, doctest.UnexpectedException) as error:
                failed.append(error)
            except MultipleDoctestFailures as error:
                failed += error.failures
        if failed:
            raise MultipleDoctestFailures(failed)
        if len(skipped) == len(self.docstrings):
            raise skipped[0]


def by_module(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the items, with one for each module in place of those of its docstrings."""
    of_modules: dict[Any, Examples] = {}
    grouped: list[pytest.Item] = []
    for item in items:
        if not isinstance(item, pytest.DoctestItem):
            grouped.append(item)
            continue
        module: Any = item.parent
        examples = of_modules.get(module)
        if examples is None:
            examples = of_modules[module] = Examples.from_parent(
                module, name="examples", runner=item.runner, dtest=item.dtest
            )
            examples.docstrings = []
            grouped.append(examples)
        examples.docstrings.append(item.dtest)
    return grouped
