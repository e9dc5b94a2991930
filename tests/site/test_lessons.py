"""Lessons on a phone and on a desktop: what programs print can be read, and passes play."""

from __future__ import annotations

import io
import itertools
from collections.abc import Callable
from typing import Any

import pytest

from pellucid.commands.lessons import all_lessons
from tests.browser import screen

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


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_a_pass_plays_and_is_seen_in_light_and_dark(
    at: Callable[[str], Any], name: str, width: int
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
    for light, dark in zip(shown["light"], shown["dark"], strict=True):
        assert differing(drawn(light).convert("RGB"), drawn(dark).convert("RGB")) < 0.25
