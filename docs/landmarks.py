"""What the theme's pages lack for keyboards and screen readers, put into their HTML."""

from __future__ import annotations

from pathlib import Path

#: what the theme writes, and what is written instead
_REPLACED = {
    # A region that scrolls has to be reached by the keyboard.
    "<pre>": '<pre tabindex="0">',
    '<div class="table-wrapper': '<div tabindex="0" role="group" aria-label="Table" '
    'class="table-wrapper',
    # A page has a heading: that of the search has none before it is through.
    '<div id="search-results"></div>': '<h1>Search</h1>\n<div id="search-results"></div>',
    # A heading has a level.
    'class="caption" role="heading"': 'class="caption" role="heading" aria-level="2"',
    # All that can be read or pressed stands in a landmark, and no two have the same name.
    '<div class="article-container">': '<div class="article-container" role="main">',
    '<article role="main"': "<article",
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="Pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="Contents of this page">',
    '<aside class="toc-drawer no-toc">': '<aside class="toc-drawer no-toc" aria-label="Contents">',
}


def with_landmarks(page: str) -> str:
    """Return the HTML of a page with levels, names of landmarks, and all that scrolls reachable."""
    for written, wanted in _REPLACED.items():
        page = page.replace(written, wanted)
    return page


def mend(site: Path) -> None:
    """Write the pages of a site anew, with what they lack."""
    for file in site.rglob("*.html"):
        if "playing" not in file.parts:  # pages of the library's own
            file.write_text(with_landmarks(file.read_text("utf-8")), "utf-8")
