"""What a check has found: what, on which line, why, and what to do."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from pellucid.autograd.explanations.frames import outward
from pellucid.autograd.sites import Site, library_files, place_text
from pellucid.inspect.owners import is_program_file


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault of a training run.

    Attributes:
        kind: A short name of the fault, the same for all findings of one kind.
        what: What is wrong, with names.
        where: The line as ``file.py:LINE``; empty where no line of the program has to do with it.
        text: The source text of the line.
        why: Why it harms.
        remedy: What to do.
        step: The number of the optimizer step at which it was noticed; 0 before the first.
        called_from: The line of the program that called the package in which ``where`` lies, with
            its source text; empty where ``where`` is a line of the program, or the call is over.

    >>> from pellucid.inspect import Finding
    >>> finding = Finding("hooks pile up", "12 hooks", "train.py:3", "", "Each runs.", "Remove it.")
    >>> print(finding)
    hooks pile up: 12 hooks
        train.py:3
      Each runs. Remove it.
    """

    kind: str
    what: str
    where: str
    text: str
    why: str
    remedy: str
    step: int = 0
    called_from: str = ""

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.what}"]
        if self.where:
            lines.append(f"    {self.where}   {self.text}".rstrip())
        if self.called_from:
            lines.append(f"    called from {self.called_from}")
        return "\n".join([*lines, f"  {self.why} {self.remedy}".rstrip()])


@dataclass(slots=True)
class Findings:
    """The faults found so far, in the order in which they came up.

    Attributes:
        found: The findings.
        kinds: The kinds of faults that were looked for.

    >>> from pellucid.inspect import Findings
    >>> print(Findings(kinds=("dead units", "saturation")))
    looked for 2 kinds of faults, found none
    """

    found: list[Finding] = field(default_factory=list)
    kinds: tuple[str, ...] = ()

    def of_kind(self, kind: str) -> list[Finding]:
        """Return the findings of one kind."""
        return [finding for finding in self.found if finding.kind == kind]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self):
        return iter(self.found)

    def __getitem__(self, position: int) -> Finding:
        return self.found[position]

    def __str__(self) -> str:
        if self.found:
            return "\n".join(map(str, self.found))
        return f"looked for {len(self.kinds)} kinds of faults, found none"


def line_of(site: Site | None) -> tuple[str, str]:
    """Return a site as ``file.py:LINE`` and the source text; both empty without one."""
    return ("", "") if site is None else (str(site), site.text)


def caller_of(where: str) -> str:
    """Return the program's line that called the package of a line, while the call is running.

    Args:
        where: The line, as ``file.py:LINE``.

    Returns:
        The line with its source text; empty for a line of the program itself.
    """
    file, inside = where.rpartition(":")[0], False
    for frame in outward(sys._getframe(1)):
        name = frame.f_code.co_filename
        if is_program_file(name):
            site = Site(frame.f_code, frame.f_lasti)
            return f"{site}   {site.text}".rstrip() if inside else ""
        if not library_files[name]:
            inside = inside or place_text(name, 0).rpartition(":")[0] == file
    return ""


def listed(names: list[str], limit: int = 3) -> str:
    """Return names as text: ``a, b and c``, ``a, b, c and 4 more``."""
    if len(names) > limit:
        return f"{', '.join(names[:limit])} and {len(names) - limit} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
