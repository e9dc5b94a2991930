"""Checks of many members as few tests, since a test costs pytest more than most of these checks."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pytest

from pellucid.core.definition.op import Op

Member = dict[str, Any]
Check = Callable[..., None]


def folder_of(op: Op) -> str:
    """Return the name of the folder that defines the op: ``reduce``."""
    return op.body.__module__.removeprefix("pellucid.ops.").partition(".")[0]


def for_each(members: Iterable[Member], group: Callable[[Member], str]) -> Callable[[Check], Any]:
    """Return a decorator that makes one test of each group of members from a check of one member.

    The check gets the member's entries by name, beside fixtures and parameters. All members of a
    group are tried, as ``_try_all`` does.
    """
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(group(member), []).append(member)

    def decorate(check: Check) -> Any:
        def test(family: str, **more: Any) -> None:
            _try_all(check, groups[family], more)

        _name_after(check, test, ["family"], next(iter(groups.values()))[0])
        return pytest.mark.parametrize("family", list(groups))(test)

    return decorate


def together(*apart: str) -> Callable[[Check], Any]:
    """Return a decorator that makes one test of all that a check is parametrized with.

    It stands above the check's ``pytest.mark.parametrize``. Parameters named in ``apart`` make
    tests of their own, as ever. All combinations of the others are tried, as ``_try_all`` does,
    with the same fixtures.
    """

    def decorate(check: Check) -> Any:
        marks: list[pytest.Mark] = check.pytestmark  # type: ignore[attr-defined]
        shared = [
            mark
            for mark in marks
            if mark.name == "parametrize" and not set(apart).intersection(_names(mark))
        ]
        assert shared, "nothing is shared"
        members = [
            {name: value for entries in combination for name, value in entries.items()}
            for combination in itertools.product(*map(_entries, reversed(shared)))
        ]

        def test(*instance: Any, **more: Any) -> None:
            _try_all(check, members, more, *instance)

        _name_after(check, test, [], members[0])
        test.pytestmark = [mark for mark in marks if mark not in shared]  # type: ignore[attr-defined]
        return test

    return decorate


def _names(parametrize: pytest.Mark) -> list[str]:
    names = parametrize.args[0]
    return [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)


def _entries(parametrize: pytest.Mark) -> Iterator[Member]:
    """Yield what each of the values gives to the names."""
    names = _names(parametrize)
    for value in parametrize.args[1]:
        if isinstance(value, type(pytest.param())):
            assert not value.marks, "a value with marks is a test of its own"
            yield dict(zip(names, value.values, strict=True))
        else:
            yield dict(zip(names, value if len(names) > 1 else [value], strict=True))


def _try_all(check: Check, members: list[Member], more: Member, *instance: Any) -> None:
    """Call a check for all members; raise what fails together, each error with its member.

    The test is skipped where the check skips all of them.
    """
    skipped, failed = [], []
    for member in members:
        try:
            check(*instance, **member, **more)
        except pytest.skip.Exception as reason:
            skipped.append(reason)
        except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever a check finds
            error.add_note(f"with {_text(member)}")
            failed.append(error)
    if failed:
        raise BaseExceptionGroup(f"{len(failed)} of {len(members)} fail", failed)
    if len(skipped) == len(members):
        raise skipped[0]


def _name_after(check: Check, test: Any, first: list[str], member: Member) -> None:
    """Make a test look like its check, without what the members give."""
    signature = inspect.signature(check)
    added = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD) for name in first]
    others = [each for each in signature.parameters.values() if each.name not in member]
    test.__dict__.update(check.__dict__)
    test.__signature__ = signature.replace(parameters=[*added, *others])
    test.__name__, test.__doc__ = check.__name__, check.__doc__
    test.__module__ = check.__module__


def _text(member: Member) -> str:
    return ", ".join(
        f"{name} {value.name if isinstance(value, Op) else value}" for name, value in member.items()
    )
