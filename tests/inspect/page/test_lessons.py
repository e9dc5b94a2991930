"""The lessons in a browser: their pass plays, and they fit a phone and a desktop."""

from __future__ import annotations

from typing import Any

import pytest

from pellucid.commands.lessons import Lesson, all_lessons, lesson_page
from tests.samples.duration import takes_long

WIDTHS = (390, 1280)


@takes_long
@pytest.mark.parametrize("lesson", all_lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_plays_and_fits(opened: Any, lesson: Lesson) -> None:
    browser = opened(lesson_page(lesson))
    try:
        for width in WIDTHS:
            browser.execute_cdp_cmd(
                "Emulation.setDeviceMetricsOverride",
                {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": width < 700},
            )
            wide = "return document.documentElement.scrollWidth"
            assert browser.execute_script(wide) <= width
        browser.switch_to.frame(0)
        assert browser.execute_script("return pellucid.timeline.place") == 0
        assert browser.execute_script(
            "const { timeline } = pellucid, states = new Set();"
            "const stride = Math.ceil(timeline.moments.length / 100);"
            "while (timeline.place < timeline.moments.length - 1) {"
            "  timeline.step(stride);"
            "  for (let node = 1; node <= timeline.data.made.length; node++)"
            "    states.add(timeline.state(node));"
            "}"
            "return states.has('live') && (states.has('freed') || states.has('ran'));"
        )
    finally:
        browser.switch_to.default_content()
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
