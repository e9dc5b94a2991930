"""Checks of many members as few tests, since a test costs pytest more than most of these checks."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from pellucid.core.op import Op

Member = dict[str, Any]


def family_of(op: Op) -> str:
    """Return the family that the file of the op stands for: ``reduce.sort``."""
    return op.body.__module__.removeprefix("pellucid.ops.")


def for_each(
    members: Iterable[Member], group: Callable[[Member], str]
) -> Callable[[Callable[..., None]], Any]:
    """Return a decorator that makes one test of each group of members from a check of one member.

    The check gets the member's entries by name, beside fixtures and parameters. All members of a
    group are tried, and what fails is raised together, each error with its member. The test is
    skipped where the check skips all of them.
    """
    groups: dict[str, list[Member]] = {}
    for member in members:
        groups.setdefault(group(member), []).append(member)

    def decorate(check: Callable[..., None]) -> Any:
        def test(family: str, **more: Any) -> None:
            skipped, failed = [], []
            for member in groups[family]:
                try:
                    check(**member, **more)
                except pytest.skip.Exception as reason:
                    skipped.append(reason)
                except Exception as error:  # noqa: BLE001 - whatever a check finds
                    error.add_note(f"with {_text(member)}")
                    failed.append(error)
            if failed:
                raise ExceptionGroup(f"{len(failed)} of {len(groups[family])} fail", failed)
            if len(skipped) == len(groups[family]):
                raise skipped[0]

        test.__signature__ = _with_family(check, next(iter(groups.values()))[0])  # type: ignore[attr-defined]
        test.__name__, test.__doc__, test.__module__ = (
            check.__name__,
            check.__doc__,
            check.__module__,
        )
        test.__dict__.update(check.__dict__)
        return pytest.mark.parametrize("family", list(groups))(test)

    return decorate


def _with_family(check: Callable[..., None], member: Member) -> inspect.Signature:
    """Return the signature that pytest reads: what the members give is not asked for."""
    signature = inspect.signature(check)
    family = inspect.Parameter("family", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    others = [each for each in signature.parameters.values() if each.name not in member]
    return signature.replace(parameters=[family, *others])


def _text(member: Member) -> str:
    return ", ".join(
        f"{name} {value.name if isinstance(value, Op) else value}" for name, value in member.items()
    )
