"""Programs made small: statements are removed as long as what is wrong stays."""

from __future__ import annotations

import ast
import itertools
import time
from collections.abc import Iterator

from tests.robustness.both_ways.comparing import is_steps
from tests.robustness.both_ways.pair import LATE, Finding, Pair


def reproduced(pair: Pair, finding: Finding) -> Finding | None:
    """Return the finding afresh, with as few programs before it as it needs."""
    before = finding.before
    for count in (0, 1, 4, 16, 64, 256, len(before)):
        kept = before[max(0, len(before) - count) :]
        found = pair.run_afresh(*kept, finding.program)
        if found is not None:
            return found
        if count >= len(before):
            break
    return pair.run_afresh(finding.program, finding.program)


def shrunk(pair: Pair, finding: Finding, seconds: float = 60) -> Finding:
    """Return a finding of the same kind, from whose programs nothing can be removed in time."""
    end = time.monotonic() + seconds
    best = finding
    while time.monotonic() < end:
        for fewer in _fewer(best):
            found = pair.run_afresh(*fewer)
            if found is not None and _alike(found, finding):
                best = found
                break
            if time.monotonic() > end:
                break
        else:
            break
    return best


def _fewer(finding: Finding) -> Iterator[tuple[str, ...]]:
    """Yield the programs of a finding, less one, or one of them smaller."""
    programs = (*finding.before, finding.program)
    for number in range(len(finding.before)):
        yield programs[:number] + programs[number + 1 :]
    for number in reversed(range(len(programs))):
        for each in smaller(programs[number]):
            yield (*programs[:number], each, *programs[number + 1 :])


def _alike(one: Finding, other: Finding) -> bool:
    return one.kind == other.kind or not {one.kind, other.kind} & {"ended", LATE}


def smaller(program: str) -> Iterator[str]:
    """Yield programs with less in them: halves first, then statements, then parts of those."""
    tree = ast.parse(program)
    bodies = list(_bodies(tree))
    total = max((len(body) for body in bodies), default=0)
    size = total
    while size:
        for number, body in enumerate(bodies):
            for start in range(0, len(body), size):
                if size > 1 and size > len(body):
                    continue
                yield from _without(program, number, start, start + size)
        size //= 2
    yield from _simpler(program)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if isinstance(body, list) and body:
                yield body


def _without(program: str, number: int, start: int, stop: int) -> Iterator[str]:
    tree = ast.parse(program)
    body = next(itertools.islice(_bodies(tree), number, None))
    rest = body[:start] + body[stop:]
    is_module = body is tree.body
    if len(rest) == len(body):
        return
    body[:] = rest if rest or is_module else [ast.Pass()]
    text = ast.unparse(tree)
    if text != ast.unparse(ast.parse(program)):
        yield text


def _simpler(program: str) -> Iterator[str]:
    """Yield programs in which a block is replaced by its body, or steps are fewer."""
    for number, node in enumerate(ast.walk(ast.parse(program))):
        if isinstance(node, ast.With | ast.Try):
            yield _unwrapped(program, number)
        elif isinstance(node, ast.stmt) and is_steps(node):
            count = ast.literal_eval(node.iter.args[0])  # type: ignore[attr-defined]
            for fewer in range(1, count):
                yield program.replace(f"for step in range({count})", f"for step in range({fewer})")


def _unwrapped(program: str, number: int) -> str:
    tree = ast.parse(program)
    target = next(itertools.islice(ast.walk(tree), number, None))
    for body in _bodies(tree):
        if target in body:
            at = body.index(target)  # type: ignore[arg-type]
            body[at : at + 1] = target.body  # type: ignore[attr-defined]
            break
    return ast.unparse(tree)
