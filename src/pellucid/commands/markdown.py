"""Markdown as HTML, as far as the lessons use it: no package that this one needs can do it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from html import escape

from pellucid.commands.narrow import for_screens

_FENCE = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_SPAN = re.compile(r"(`+)(.+?)\1|!\[(.*?)\]\((.*?)\)|\[(.*?)\]\((.*?)\)|\*\*(.+?)\*\*|\*(.+?)\*")


def as_html(text: str, picture: Callable[[str], str], link: Callable[[str], str]) -> str:
    """Return a page of Markdown as HTML.

    Headings, paragraphs, quotations, lists, tables, blocks of code and HTML are read.

    Args:
        text: The page.
        picture: Returns the HTML of the picture in a file.
        link: Returns where the link to a file leads.
    """
    return _Reader(picture, link).page(text)


def _for_each_screen(kind: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield classes and text of a block: of printed tables, a wide one and one for a phone."""
    wide, narrow = for_screens(text) if kind == "printed" else (text, text)
    if narrow == wide:
        yield kind, text
    else:
        yield from ((f"{kind} wide", wide), (f"{kind} narrow", narrow))


class _Reader:
    def __init__(self, picture: Callable[[str], str], link: Callable[[str], str]) -> None:
        self.picture = picture
        self.link = link

    def page(self, text: str) -> str:
        parts: list[str] = []
        position = 0
        for fence in _FENCE.finditer(text):
            parts += self._blocks(text[position : fence.start()])
            if not fence[1].startswith("{"):  # a directive of the site's
                kind = "printed" if fence[1] == "text" else "program"
                parts += (self._pre(*each) for each in _for_each_screen(kind, fence[2]))
            position = fence.end()
        return "\n".join([*parts, *self._blocks(text[position:])])

    def _pre(self, kind: str, text: str) -> str:
        return f'<pre class="{kind}"><code>{escape(text)}</code></pre>'

    def _blocks(self, text: str) -> Iterator[str]:
        for block in re.split(r"\n\s*\n", re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL)):
            if block.strip():
                yield self._block(block.strip())

    def _block(self, block: str) -> str:
        if heading := re.match(r"(#+) (.*)", block):
            level = len(heading[1])
            return f"<h{level}>{self._spans(heading[2])}</h{level}>"
        if block.startswith("<"):
            return block
        if block.startswith(">"):
            return f"<blockquote>{self._spans(re.sub(r'^> ?', '', block, flags=re.M))}</blockquote>"
        if block.startswith("|"):
            return self._table(block.splitlines())
        if items := re.split(r"^(?:- |\d+\. )", block, flags=re.MULTILINE)[1:]:
            kind = "ul" if block.startswith("- ") else "ol"
            rows = "".join(f"<li>{self._spans(item)}</li>" for item in items)
            return f"<{kind}>{rows}</{kind}>"
        return f"<p>{self._spans(block)}</p>"

    def _table(self, lines: list[str]) -> str:
        head, _, *rows = (
            [each.strip().replace("\\|", "|") for each in re.split(r"(?<!\\)\|", line)[1:-1]]
            for line in lines
        )
        return (
            f"<table><thead>{self._row('th', head)}</thead>"
            f"<tbody>{''.join(self._row('td', row) for row in rows)}</tbody></table>"
        )

    def _row(self, cell: str, texts: list[str]) -> str:
        return f"<tr>{''.join(f'<{cell}>{self._spans(each)}</{cell}>' for each in texts)}</tr>"

    def _spans(self, text: str) -> str:
        parts, position = [], 0
        for span in _SPAN.finditer(text):
            parts += [escape(text[position : span.start()], quote=False), self._span(span)]
            position = span.end()
        return "".join([*parts, escape(text[position:], quote=False)])

    def _span(self, span: re.Match[str]) -> str:
        _, code, _, picture, label, target, bold, slanted = span.groups()
        if code is not None:
            return f"<code>{escape(code.strip(), quote=False)}</code>"
        if picture is not None:
            return self.picture(picture)
        if target is not None:
            return f'<a href="{escape(self.link(target))}">{self._spans(label)}</a>'
        if bold is not None:
            return f"<b>{self._spans(bold)}</b>"
        return f"<i>{self._spans(slanted)}</i>"
