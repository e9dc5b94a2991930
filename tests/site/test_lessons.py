"""Lessons on a phone and on a desktop: what programs print can be read, and passes play."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pellucid.commands.lessons import all_lessons
from tests.browser import screen
from tests.site import looks

PIL = pytest.importorskip("PIL", reason="pillow is not installed")

NAMES = [each.name for each in all_lessons()]
WIDTHS = (390, 1280)
#: of all that a page shows in boxes that scroll, what is cut off: printed text and tables
CUT = """
return [...document.querySelectorAll("div.printed pre, div.table-wrapper")]
  .filter((each) => each.offsetParent !== null && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.innerText);
"""


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_that_is_printed_is_cut_off(
    at: Callable[[str], Any], name: str, width: int
) -> None:
    browser = at(f"learn/{name}/")
    with screen(browser, width):
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert browser.execute_script(CUT) == []


def picture_of(browser: Any, event: int) -> Any:
    """Return what is seen of a playing page at an event, once it has been drawn."""
    from PIL import Image

    browser.execute_async_script(
        "const done = arguments[1]; pellucid.active.fit(); pellucid.timeline.go(arguments[0]);"
        "requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));",
        event,
    )
    return Image.open(io.BytesIO(browser.get_screenshot_as_png())).convert("RGB")


def brightness(picture: Any) -> float:
    """Return the mean of a picture, from 0 to 255."""
    from PIL import ImageStat

    return ImageStat.Stat(picture.convert("L")).mean[0]


def differing(one: Any, other: Any) -> float:
    """Return which part of two pictures differs to the eye."""
    from PIL import ImageChops

    changed = ImageChops.difference(one, other).convert("L").point(lambda value: value > 24 and 255)
    return brightness(changed) / 255


def drawn(picture: Any) -> Any:
    """Return where something is drawn, small: what stands out from the ground, in light or dark."""
    from PIL import ImageChops, ImageFilter

    grey = picture.convert("L")
    edges = ImageChops.difference(grey, grey.filter(ImageFilter.GaussianBlur(3)))
    return edges.resize((picture.width // 16, picture.height // 16)).point(
        lambda v: min(255, 16 * v)
    )


@pytest.fixture(scope="module")
def seen(folder: Path) -> Iterator[dict[str, list[str]]]:
    """Return a place for what passes look like now, which is written beside the site."""
    found: dict[str, list[str]] = {}
    yield found
    looks.write(found, folder.parent / looks.KEPT.name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_pass_plays_and_is_seen_in_light_and_dark(
    at: Callable[[str], Any], seen: dict[str, list[str]], name: str, width: int
) -> None:
    browser = at(f"playing/{name}.html")
    shown: dict[str, list[Any]] = {}
    for scheme in ("light", "dark"):
        with screen(browser, width, scheme):
            browser.refresh()
            count = browser.execute_script("return pellucid.timeline.moments.length")
            assert browser.execute_script("return document.documentElement.scrollWidth") <= width
            events = (0, count // 3, 2 * count // 3, count - 1)
            shown[scheme] = [picture_of(browser, event) for event in events]
            # a moment looks the same whenever it is reached
            assert differing(picture_of(browser, 0), shown[scheme][0]) < 0.002
    assert min(map(brightness, shown["light"])) > 200
    assert max(map(brightness, shown["dark"])) < 80
    for pictures in shown.values():
        assert all(differing(*pair) > 0.002 for pair in itertools.pairwise(pictures))
    place = f"{name}, {width}"
    seen[place] = [looks.look_of(each) for each in shown["light"]]
    for light, dark in zip(shown["light"], shown["dark"], strict=True):
        assert differing(drawn(light).convert("RGB"), drawn(dark).convert("RGB")) < 0.25
    # where a change is meant: cp build/looks.json tests/site/looks.json
    pairs = zip(seen[place], looks.kept()[place], strict=True)
    assert max(looks.difference(now, then, width) for now, then in pairs) < 0.02


def test_a_box_that_has_moved_is_noticed_and_fonts_are_not() -> None:
    from PIL import Image, ImageDraw

    def picture(left: int, text: int) -> Any:
        made = Image.new("RGB", (1280, 844), "white")
        draw = ImageDraw.Draw(made)
        draw.rectangle((left, 300, left + 260, 400), outline="black", width=2)
        for line in range(3):
            draw.line((left + 10, 320 + 24 * line, left + 10 + text, 320 + 24 * line), "black", 3)
        return looks.look_of(made)

    assert looks.difference(picture(200, 200), picture(206, 214), 1280) == 0
    assert looks.difference(picture(200, 200), picture(520, 200), 1280) > 0.02
