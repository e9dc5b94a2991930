"""Phrases that a native speaker would not write, found in pages and docstrings by ``make lint``."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
_THINGS = (
    "tensor|leaf|vector|number|multiple|int|integer|op|module|matrix|function|dtype|operand|tuple|"
    "string|view|parameter|package|node|mapping|list|index|generator|identifier|wrapper|placement|"
    "array|class|archive|state|bool|bound|name|picture|step|object|call|dataclass|table|input|"
    "probability|training|interval"
)
#: a phrase, and what to write
PHRASES = {
    rf"(?<!there )(?<!There )\b(is|was) no ({_THINGS})\b(?! (of|for|in|that)\b)": "is not a ...",
    r"(?<!there )(?<!There )\b(are|were) no (tensors|leaves|numbers|integers|ops|modules|"
    r"arrays|tuples|floats|matrices|vectors|inputs|probabilities|objects)\b":
        "are not ...",
    r"\bis no (multiple|part) of\b": "is not a multiple of, is not part of",
    r"\bis no feature to\b": "do not rely on it",
    r"\b(if|where|that) (it|they) (is|are) none[.;,]": "is not one",
    r"\b(at most|least|least of) so many\b|\b[Ss]o many \w+, so (wide|long)\b": "this many",
    r"\bin the midst of\b": "in the middle of",
    r"\bthe one is the other\b": "one is the other",
    r"\bhangs? on it\b": "depends on it",
    r"\bthe last name that (leads|refers)\b": "the last variable that refers to it",
    r"\bNothing special has been said\b": "you did nothing special",
    r"^#+ Mind$": "Watch out",
    r"\bit does not tell\b": "it does not say",
    r"\bPyTorch does not tell\b": "PyTorch does not say",
    r"\b(is|are) told (too|before)\b": "is reported",
    r"\ballows to\b": "allows you to, makes it possible to",
    r"\bactual(ly)? (version|value) of today\b": "current",
    r"\b(one|two|three|some) (operation|multiplication|line|number|conjugation)s? more\b":
        "another, two more",
    r"\bcuts? (it|them) off (its|their)\b": "cuts it off from its",
    r"\b(both|all) stand on it\b": "both depend on it",
    r"\bas any other( \w+)?[.;]": "like any other",
    r"\balso not\b": "not even",
    r"\bexactly if\b": "exactly when",
    r"\b(one|1) (\w+ )?less\b(?! than)": "one fewer",
    r"\bmultiplied (\w+ times )?with\b": "multiplied by",
    r"\bderivatives? of (the |a |each |one )?\w+( of the \w+)? by\b":
        "derivative with respect to",
    r"(?<!there )(?<!There )\b(is|are) no error\b": "is not an error",
    r"\b(is|are) told truthfully\b": "is reported",
}  # fmt: skip


def found(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield the line of each phrase in a text, the phrase, and what to write."""
    for phrase, better in PHRASES.items():
        for match in re.finditer(phrase, text, re.MULTILINE):
            yield text.count("\n", 0, match.start()) + 1, match[0], better


def files() -> Iterator[Path]:
    """Yield the pages and the sources whose words users read."""
    yield from (CHECKOUT / name for name in ("README.md", "CONTRIBUTING.md"))
    yield from (
        path
        for path in sorted(CHECKOUT.glob("docs/**/*.md"))
        if not {"reference", "_notebooks"} & {*path.relative_to(CHECKOUT).parts}
    )
    yield from sorted(CHECKOUT.glob("src/pellucid/**/*.py"))


def main() -> int:
    """Print where such phrases stand; return 1 if there are any."""
    bad = [
        f"{path.relative_to(CHECKOUT)}:{line}: {phrase!r}; write: {better}\n"
        for path in files()
        for line, phrase, better in found(path.read_text("utf-8"))
    ]
    sys.stdout.writelines(bad)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
