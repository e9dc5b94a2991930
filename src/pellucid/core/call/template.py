"""Templates of source text: the text as it will be, with named holes, loops and conditions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Template:
    """Source text with ``{holes}``, read once and filled many times.

    A hole is an expression, as in an f-string. A line that starts with ``%`` is a Python
    statement, ``% for ... in ...``, ``% if``, ``% elif`` or ``% else``; ``% end`` closes it.

    >>> pairs = Template('''
    ... % for name in names
    ... {name} = {name}._array
    ... % end
    ... ''')
    >>> pairs.fill({"names": ["a", "b"]})
    'a = a._array\\nb = b._array\\n'
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._code = compile("\n".join(_statements(text)), "<template>", "exec")

    def fill(self, holes: dict[str, Any]) -> str:
        """Return the text; ``holes`` gives the names that stand in it their values."""
        lines: list[str] = []
        exec(self._code, {**holes, "_put": lines.append})
        return "".join(lines)


def _statements(text: str) -> Iterator[str]:
    """Return the program that puts the lines of the text one after the other."""
    depth = 0
    for line in text.splitlines():
        statement = line.strip().removeprefix("%").strip()
        if not line.strip().startswith("%"):
            if statement:
                yield "    " * depth + f"_put(f{line + chr(10)!r})"
        elif statement == "end":
            depth -= 1
        else:
            depth -= statement.startswith("el")
            yield "    " * depth + statement + ":"
            depth += 1
