"""The page in a browser: what is drawn where, and every way to move about in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import diff, graph
from pellucid.inspect.page.compared import diff_page
from pellucid.inspect.page.document import graph_page
from pellucid.inspect.page.drawing import draw
from pellucid.inspect.page.payload import FIRST_BOXES
from pellucid.inspect.page.scene import Scene
from tests.inspect.page import graphs

Opened = Callable[[str], Any]


def run(browser: Any, script: str) -> Any:
    """Return the value of an expression on the page; `page` is the program of the page."""
    return browser.execute_script(f"const page = window.pellucid; return {script};")


def press(browser: Any, element: str, *keys: str) -> None:
    """Press keys while an element, given by a CSS selector, has the focus."""
    from selenium.webdriver.common.by import By

    browser.execute_script(f"document.querySelector({element!r}).focus()")
    browser.find_element(By.CSS_SELECTOR, element).send_keys(*keys)


def click(browser: Any, element: str) -> None:
    from selenium.webdriver.common.by import By

    browser.find_element(By.CSS_SELECTOR, element).click()


@pytest.mark.parametrize("boxes", [FIRST_BOXES, 1000])
def test_boxes_stand_where_the_drawing_in_python_has_them(opened: Opened, boxes: int) -> None:
    picture = graphs.encoder(2)
    scene = Scene(picture)
    shown = scene.opened(boxes)
    browser = opened(graph_page(picture))
    numbers = [scene.number_of[group] for group in shown]
    browser.execute_script(
        "const { scene, placement } = pellucid.active;"
        "scene.open = new Set(arguments[0]); placement.allChanged();",
        numbers,
    )
    for box in draw(scene, shown).boxes:
        found = run(browser, f"page.active.placement.box({box.number})")
        wanted = {"x": box.left, "y": box.top, "width": box.width, "height": box.height}
        assert found == pytest.approx(wanted, abs=1e-6)


def test_a_click_on_a_box_shows_its_line_its_source_and_what_it_keeps(opened: Opened) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By

    picture = graphs.heads()
    (node,) = picture.find("exp")
    browser = opened(graph_page(picture))
    browser.execute_script("pellucid.active.fitWhole()")
    x, y = browser.execute_script(
        "const p = pellucid.active, b = p.placement.box(arguments[0]);"
        "return [p.x + (b.x + b.width / 2) * p.scale - p.canvas.clientWidth / 2,"
        " p.y + (b.y + b.height / 2) * p.scale - p.canvas.clientHeight / 2]",
        node.number,
    )
    canvas = browser.find_element(By.CSS_SELECTOR, "canvas")
    ActionChains(browser).move_to_element_with_offset(canvas, round(x), round(y)).click().perform()
    details = browser.find_element(By.ID, "details").text
    for text in ("ExpBackward0", node.where, "trunk = w.exp()", "keeps 8 B", "out", "float32[2]"):
        assert text in details
    (line,) = browser.find_elements(By.CSS_SELECTOR, "#source .line.selected")
    assert "trunk = w.exp()" in line.text
    assert f"▶ {node.where.rpartition(':')[2]}" in line.text


def test_a_group_and_a_line_count_memory_that_several_nodes_keep_once(opened: Opened) -> None:
    from selenium.webdriver.common.by import By

    w = torch.ones(100, requires_grad=True)
    loss = ((y := w.exp()) * y * y).sum()  # keeps y three times, and y * y
    browser = opened(graph_page(graph(loss)))
    run(browser, "page.select(page.active, page.active.scene.root)")
    assert "800 B, shared memory counted once" in browser.find_element(By.ID, "details").text
    (line,) = browser.find_elements(By.CSS_SELECTOR, "#source .line.selected")
    assert "800 B" in line.text


def test_groups_open_and_close_by_key_in_the_outline(opened: Opened) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = opened(graph_page(graphs.loop(20)))
    sort = "(g) => g.sort === 'repeat'"
    repeat = run(
        browser, f"page.active.scene.data.groups.findIndex({sort}) + page.active.scene.root"
    )
    rows = run(browser, "page.tree.rows.length")
    run(browser, f"page.select(page.active, {repeat})")
    press(browser, "#outline", Keys.ARROW_RIGHT)
    assert run(browser, f"page.active.scene.isOpen({repeat})")
    assert run(browser, "page.tree.rows.length") == rows + 19
    row = "document.getElementById('outline').getAttribute('aria-activedescendant')"
    active = f"document.getElementById({row})"
    assert run(browser, f"{active}.getAttribute('aria-expanded')") == "true"
    press(browser, "#outline", Keys.ARROW_RIGHT, Keys.ARROW_DOWN)
    assert run(browser, f"{active}.getAttribute('aria-level')") == "2"
    assert run(browser, f"{active}.textContent").startswith("▸round 2")
    press(browser, "#outline", Keys.ARROW_LEFT, Keys.ARROW_LEFT)
    assert run(browser, f"{active}.getAttribute('aria-expanded')") == "false"
    assert run(browser, "page.tree.rows.length") == rows


def test_arrow_keys_in_the_picture_follow_the_graph(opened: Opened) -> None:
    from selenium.webdriver.common.keys import Keys

    picture = graphs.heads()
    browser = opened(graph_page(picture))
    names = []
    for key in (Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_UP, Keys.ARROW_DOWN):
        press(browser, "canvas", key)
        names.append(run(browser, "page.active.scene.title(page.active.selected)"))
    assert names[0] == "sum"
    assert names[1] in ("sin", "cos")
    assert names[2:] == ["exp", "w", "exp"]
    assert "exp" in run(browser, "document.getElementById('status').textContent")


def test_search_finds_what_is_folded_away_and_opens_the_way_to_it(opened: Opened) -> None:
    from selenium.webdriver.common.keys import Keys

    picture = graphs.loop(100)
    browser = opened(graph_page(picture))
    press(browser, "#outline", "/")
    press(browser, "#query", "TanhBackward", Keys.ENTER)
    assert run(browser, "document.getElementById('found').textContent") == "1 of 100"
    press(browser, "#query", Keys.ENTER)
    assert run(browser, "document.getElementById('found').textContent") == "2 of 100"
    selected = run(browser, "page.active.selected")
    assert picture.nodes[selected - 1].op == "tanh"
    assert run(browser, f"page.active.scene.shown({selected})") == selected
    press(browser, "#query", Keys.CONTROL + "a" + Keys.NULL, "#17", Keys.ENTER)
    assert run(browser, "page.active.selected") == 17
    press(browser, "#query", Keys.CONTROL + "a" + Keys.NULL, "no such thing", Keys.ENTER)
    assert run(browser, "document.getElementById('found').textContent") == "none"


def test_the_picture_moves_and_zooms_by_keys_and_wheel(opened: Opened) -> None:
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    browser = opened(graph_page(graphs.heads()))
    view = "[page.active.x, page.active.y, page.active.scale]"
    start = run(browser, view)
    press(browser, "canvas", "+")
    assert run(browser, "page.active.scale") == pytest.approx(start[2] * 1.25)
    press(browser, "canvas", "0")
    assert run(browser, view) == start
    press(browser, "canvas", Keys.SHIFT + Keys.ARROW_RIGHT)
    assert run(browser, view) == [start[0] - 60, *start[1:]]
    origin = ScrollOrigin.from_element(browser.find_element(By.CSS_SELECTOR, "canvas"))
    ActionChains(browser).key_up(Keys.SHIFT).scroll_from_origin(origin, 0, 200).perform()
    assert run(browser, "page.active.scale") < start[2]


def test_all_groups_open_and_close_at_once(opened: Opened) -> None:
    browser = opened(graph_page(graphs.encoder(3)))
    groups = run(browser, "page.active.scene.data.groups.length")
    click(browser, "#unfold")
    assert run(browser, "page.active.scene.open.size") == groups
    click(browser, "#fold")
    assert run(browser, "page.active.scene.open.size") == 1


def test_themes_change_the_colours_of_the_picture(opened: Opened) -> None:
    browser = opened(graph_page(graphs.heads()))
    paper = "page.active.colours.paper.trim()"
    press(browser, "canvas", "t")
    light = run(browser, paper)
    press(browser, "canvas", "t")
    dark = run(browser, paper)
    assert (light, dark) == ("#ffffff", "#161a22")
    assert run(browser, "document.getElementById('theme').textContent") == "Theme: dark"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_and_ground_differ_enough_in_brightness(opened: Opened, theme: str) -> None:
    browser = opened(graph_page(graphs.heads()))
    colours = run(browser, f"(page.setTheme({theme!r}), page.active.colours)")
    for ink in ("ink", "soft"):
        for ground in ("paper", "live", "leaf", "group", "added"):
            assert contrast(colours[ink].strip(), colours[ground].strip()) >= 4.5, (ink, ground)
    assert contrast(colours["line"].strip(), colours["paper"].strip()) >= 3


def contrast(one: str, other: str) -> float:
    """Return the ratio of brightness of two colours, after WCAG 2.2."""
    lighter, darker = sorted(map(luminance, (one, other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_the_keys_are_listed(opened: Opened) -> None:
    browser = opened(graph_page(graphs.heads()))
    press(browser, "canvas", "?")
    assert run(browser, "document.getElementById('keys').open")


def test_only_what_can_be_seen_is_drawn(opened: Opened) -> None:
    browser = opened(graph_page(graphs.loop(400)))
    click(browser, "#unfold")
    drawn = run(browser, "(page.active.draw(), page.active.drawn)")
    assert 0 < drawn < 60
    rows = run(browser, "document.querySelectorAll('#outline .row').length")
    assert run(browser, "page.tree.rows.length") > 2000 > 100 > rows


def test_on_a_phone_nothing_is_wider_than_the_screen(opened: Opened) -> None:
    browser = opened(graph_page(graphs.encoder(2)))
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True},
    )
    try:
        assert run(browser, "document.documentElement.scrollWidth") <= 390
        assert run(browser, "document.querySelector('canvas').clientHeight") > 300
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_two_graphs_stand_side_by_side_and_differences_are_gone_through(opened: Opened) -> None:
    difference = diff(graphs.loop(20), graphs.loop(22))
    browser = opened(diff_page(difference))
    assert run(browser, "page.pictures.length") == 2
    seen = set()
    for _ in difference.added:
        press(browser, "canvas", "d")
        seen.add(run(browser, "page.active.selected"))
        assert run(browser, "page.pictures.indexOf(page.active)") == 1
    assert seen == set(difference.added)
    assert run(browser, "document.getElementById('status').textContent").startswith("added: ")


def test_a_search_finds_ops_before_lines_that_have_the_word(opened: Opened) -> None:
    w = torch.ones(2, requires_grad=True)
    tanh = (w * 2).tanh()  # two ops of one line, of which one is what is asked for
    browser = opened(graph_page(graph(tanh.sum())))
    found = browser.execute_script(
        "const { scene } = pellucid.active;"
        "document.getElementById('query').value = 'tanh'; pellucid.search();"
        "return pellucid.found.numbers.map((number) => scene.kind(number).op);"
    )
    assert found[0] == "tanh"
    assert "mul" in found[1:]


def test_on_a_phone_what_is_selected_is_told_below_the_picture(opened: Opened) -> None:
    browser = opened(graph_page(graphs.heads()))
    told = "document.getElementById('told')"
    assert run(browser, f"getComputedStyle({told}).display") == "none"
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True},
    )
    try:
        run(browser, "page.select(page.active, 1)")
        assert "#1" in run(browser, f"{told}.textContent")
        assert run(browser, f"{told}.getBoundingClientRect().bottom") <= 844
        run(browser, f"{told}.click()")
        assert run(browser, "document.getElementById('details').textContent").strip()
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.fixture
def phone(opened: Opened) -> Iterator[Any]:
    """Open a page on a screen that is touched, and return the browser."""
    browser = opened(graph_page(graphs.heads()))
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
    browser.refresh()
    yield browser
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def touch(browser: Any, kind: str, *points: tuple[float, float]) -> None:
    told = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(points)]
    browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": told})


def test_two_fingers_keep_what_lies_under_them(phone: Any) -> None:
    seen = (
        "const { active } = pellucid, frame = active.canvas.getBoundingClientRect();"
        "return [active.scale, ...[195, 350].map((x, i) =>"
        " (x - (i ? frame.y + active.y : frame.x + active.x)) / active.scale)]"
    )
    scale, *middle = phone.execute_script(seen)
    touch(phone, "touchStart", (155, 350), (235, 350))
    for step in range(1, 21):
        touch(phone, "touchMove", (155 - 2 * step, 350), (235 + 2 * step, 350))
    touch(phone, "touchEnd")
    after, *still = phone.execute_script(seen)
    assert after / scale == pytest.approx(2)  # 80 pixels became 160
    assert still == pytest.approx(middle, abs=2)


def test_a_tap_shows_on_the_screen_what_it_selects(phone: Any) -> None:
    x, y = phone.execute_script(
        "const { active } = pellucid, frame = active.canvas.getBoundingClientRect();"
        "active.fitWhole();"
        "const box = active.placement.box(active.scene.shown(1));"
        "return [frame.x + active.x + (box.x + box.width / 2) * active.scale,"
        " frame.y + active.y + (box.y + box.height / 2) * active.scale]"
    )
    touch(phone, "touchStart", (x, y))
    touch(phone, "touchEnd")
    told, bottom = phone.execute_script(
        "const told = document.getElementById('told');"
        "return [told.textContent, told.getBoundingClientRect().bottom]"
    )
    assert told.startswith("node #1 sum")
    assert bottom <= 844
