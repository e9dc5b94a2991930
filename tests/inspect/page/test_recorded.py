"""The page of a recording: its graph, and what there was of it at each moment."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import pellucid as torch
from pellucid.inspect import Recording, record
from pellucid.inspect.page.recorded import graph_of, recording_page, timeline_data
from pellucid.inspect.recording.rank_times import RankTime, RankTimes, Stretch
from pellucid.inspect.tables import size_text
from tests.inspect.page.test_browser import press, run
from tests.inspect.page.test_document import data_of


def recorded() -> Recording:
    w = torch.ones(100, requires_grad=True)
    with record() as recording:
        y = w.exp()
        loss = (y * y).sum()
        loss.backward()
    return recording


def nothing_recorded() -> Recording:
    with record() as recording:
        pass
    return recording


def test_the_graph_has_the_nodes_and_operands_that_were_recorded() -> None:
    picture = graph_of(recorded())
    assert [node.name for node in picture.nodes] == ["SumBackward0", "MulBackward0", "ExpBackward0"]
    assert [node.operands for node in picture.nodes] == [(2,), (3, 3), (None,)]
    assert picture.roots == (1,)
    assert picture.nodes[0].text == "loss = (y * y).sum()"


def test_a_node_has_what_it_saved() -> None:
    product = graph_of(recorded()).nodes[1]
    assert {(value.name, value.like, value.bytes) for value in product.saved} >= {
        ("input", "float32[100]", 400)
    }


def test_what_is_saved_of_a_parameter_counts_no_bytes() -> None:
    layer = torch.nn.Linear(3, 2)
    x = torch.ones(1, 3, requires_grad=True)
    with record() as recording:
        layer(x).sum().backward()
    kept = {value.like: value.bytes for value in graph_of(recording).nodes[1].saved}
    assert kept.get("parameter float32[2, 3]", 0) == 0


def test_what_several_recorded_nodes_keep_counts_once() -> None:
    picture = graph_of(recorded())
    exp, product = picture.find("exp")[0].number, picture.find("mul")[0].number
    blocks = picture.kept.by_node(len(picture.nodes))
    assert len(blocks[exp - 1]) == 1
    assert blocks[exp - 1] == blocks[product - 1]
    assert picture.kept.sizes[blocks[exp - 1][0]] == 400


def test_loops_of_a_recording_are_folded() -> None:
    x = torch.ones(2, requires_grad=True)
    with record() as recording:
        for _ in range(50):
            (x.exp() * 2).sum().backward()
    scene = data_of(recording_page(recording))["scenes"][0]
    assert [group["times"] for group in scene["groups"] if group["sort"] == "repeat"] == [50]


def test_times_are_those_of_the_recording() -> None:
    recording = recorded()
    data = timeline_data(recording)
    assert data["made"] == [node.made for node in recording.nodes[::-1]]
    assert data["ran"] == [node.ran for node in recording.nodes[::-1]]
    assert data["made"] == sorted(data["made"], reverse=True)
    assert data["ran"] == sorted(data["ran"])
    assert max(size for _, size in data["curve"]) == data["peak"][1] == recording.peak.bytes


def test_a_line_has_the_time_of_its_forward_and_of_its_backward() -> None:
    recording = recorded()
    lines = timeline_data(recording)["lines"]
    for name, line, phases in lines:
        assert name == "test_recorded.py"
        numbers = {each.number for each in recording.lines if each.line == line}
        events = [event for event in recording.events if event.line in numbers]
        assert sum(phases.values()) == sum(event.self_time for event in events)
    assert any({"forward", "backward"} <= set(phases) for _, _, phases in lines)


def test_a_long_curve_keeps_its_peak() -> None:
    x = torch.ones(3)
    with record() as recording:
        for _ in range(3000):
            x = x + 1
    data = timeline_data(recording)
    assert len(data["curve"]) <= 2000
    assert max(size for _, size in data["curve"]) == recording.peak.bytes


@pytest.mark.parametrize("make", [recorded, nothing_recorded])
def test_a_recording_writes_its_page(tmp_path: Path, make: Callable[[], Recording]) -> None:
    recording = make()
    recording.html(tmp_path / "step.html")
    assert (tmp_path / "step.html").read_text(encoding="utf-8") == recording_page(recording)


# ---- in a browser ----


def test_nodes_appear_in_forward_and_fade_as_backward_frees_them(
    opened: Callable[[str], Any],
) -> None:
    recording = recorded()
    browser = opened(recording_page(recording))
    (total, product, power) = recording.nodes[::-1]
    states = "[1, 2, 3].map((number) => page.timeline.state(number))"

    def at(time: int | None) -> list[str]:
        browser.execute_script(f"pellucid.timeline.go(pellucid.timeline.moments.indexOf({time}))")
        return run(browser, states)

    assert at(0) == ["unmade"] * 3
    assert at(power.made) == ["unmade", "unmade", "live"]
    assert at(total.made) == ["live"] * 3
    assert at(product.freed)[1:] == ["freed", "live"]
    assert at(power.freed)[1:] == ["freed", "freed"]


def test_all_ranks_are_drawn(opened: Callable[[str], Any]) -> None:
    late = Stretch("waiting", 10, 50, "all_reduce", "a.py:1", 1)
    rows = RankTime(0, 0, 100, (late,), 8, "a.py:1", ((0, 8),)), RankTime(1, 0, 99, (), 4, "", ())
    browser = opened(recording_page(Recording(ranks=RankTimes(rows, ()))))
    drawn = browser.find_elements("css selector", "#ranks rect.waiting, #ranks rect.computing")
    assert [each.size["width"] > 0 for each in drawn] == [True] * 3


def test_the_slider_moves_by_keys_and_says_what_happens(opened: Callable[[str], Any]) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = opened(recording_page(recorded()))
    assert run(browser, "page.timeline.place") == 0
    said = set()
    for _ in range(run(browser, "page.timeline.moments.length") - 1):
        press(browser, "#timeline input", Keys.ARROW_RIGHT)
        text = run(browser, "page.timeline.slider.getAttribute('aria-valuetext')")
        said |= {part.strip() for part in text.split("·")}
    assert {"#3 exp made", "#2 mul made", "forward", "backward"} <= said
    assert any("freed" in each for each in said)
    last = run(browser, "page.timeline.moments.length") - 1
    press(browser, "canvas", "[")
    assert run(browser, "page.timeline.place") == last - 1
    press(browser, "canvas", ",", ",", ".")
    assert run(browser, "page.timeline.place") == last - 2


def test_a_short_recording_plays_at_a_pace_that_can_be_followed(
    opened: Callable[[str], Any],
) -> None:
    browser = opened(recording_page(recorded()))
    assert run(browser, "page.timeline.rhythm()") == [700, 1]
    run(browser, "page.timeline.nextSpeed()")
    assert run(browser, "page.timeline.rhythm()") == [350, 1]
    assert run(browser, "page.timeline.pace.textContent") == "2×"
    press(browser, "canvas", " ")
    assert run(browser, "page.timeline.playing > 0")
    press(browser, "canvas", " ")
    assert run(browser, "page.timeline.playing") == 0


def test_a_long_recording_plays_within_forty_seconds(opened: Callable[[str], Any]) -> None:
    browser = opened(recording_page(recorded()))
    shown, at_once = browser.execute_script(
        "const { timeline } = pellucid;"
        "timeline.moments = new Float64Array(20000); return timeline.rhythm();"
    )
    assert at_once > 1
    assert 20000 / at_once * shown <= 40_000


def test_an_empty_recording_opens(opened: Callable[[str], Any]) -> None:
    browser = opened(recording_page(nothing_recorded()))
    assert run(browser, "page.timeline.moments.length") >= 1


def test_a_page_of_a_recording_shows_the_time_by_line(opened: Callable[[str], Any]) -> None:
    from selenium.webdriver.common.by import By

    browser = opened(recording_page(recorded()))
    source = browser.find_element(By.ID, "source").text
    assert "time by line" in source
    assert "loss = (y * y).sum()" in source
    assert "µs" in source or "ms" in source


# ---- as a drawing, and in a notebook ----


@pytest.mark.parametrize("make", [recorded, nothing_recorded])
def test_live_memory_is_drawn(tmp_path: Path, make: Callable[[], Recording]) -> None:
    recording = make()
    recording.svg(tmp_path / "memory.svg")
    drawing = ElementTree.parse(tmp_path / "memory.svg")
    texts = [text.text or "" for text in drawing.iter("{http://www.w3.org/2000/svg}text")]
    assert f"▼ {size_text(recording.peak.bytes)}" in "".join(texts)
    if recording.events:
        assert {"forward", "backward"} & set(texts)


def test_the_curve_rises_to_the_peak_and_nowhere_above_it(tmp_path: Path) -> None:
    recording = recorded()
    recording.svg(tmp_path / "memory.svg")
    drawing = ElementTree.parse(tmp_path / "memory.svg")
    (path,) = drawing.iter("{http://www.w3.org/2000/svg}path")
    numbers = [float(each) for each in re.findall(r"[\d.]+", path.attrib["d"])]
    heights = [110 - y for y in numbers[1::2]]
    live = recording.memory().live
    assert max(heights) == 90
    assert heights[-2] == pytest.approx(live.bytes[-1] / recording.peak.bytes * 90, abs=0.06)


def test_a_recording_shows_its_memory_and_its_lines() -> None:
    shown = recorded()._repr_html_()
    assert "y = w.exp()" in shown
    assert 'role="img"' in shown
    assert "1 step" in shown
    assert nothing_recorded()._repr_html_()


def test_an_account_of_memory_shows_what_each_line_keeps() -> None:
    w = torch.ones(100, requires_grad=True)
    y = w.exp()
    loss = (y * y).sum()
    shown = torch.inspect.memory(loss)._repr_html_()
    assert "400 B held beside the leaves" in shown
    assert "<td>loss = (y * y).sum()</td><td>2</td><td>400 B</td>" in shown


def test_gradients_arrive_in_boxes_as_the_pass_runs(opened: Callable[[str], Any]) -> None:
    w = torch.ones(2, requires_grad=True)
    with record(values="whole") as recording:
        (w * 3).exp().sum().backward()
    browser = opened(recording_page(recording))
    lines = "page.lookAt(page.active, 2, page.active.scene.look(2)).lines"
    browser.execute_script("pellucid.timeline.go(pellucid.timeline.moments.length - 1)")
    arrived = run(browser, lines)
    gradient = next(line for line in arrived if line.startswith("gradient "))
    assert gradient == "gradient [1, 1]"
    made = "pellucid.timeline.moments.indexOf(pellucid.timeline.data.made[1])"
    browser.execute_script(f"pellucid.timeline.go({made})")
    assert "no gradient yet" in run(browser, lines)
    assert gradient not in run(browser, lines)


def test_the_view_goes_along_with_what_happens(opened: Callable[[str], Any]) -> None:
    w = torch.ones(2, requires_grad=True)
    with record() as recording:
        for op in (torch.exp, torch.tanh, torch.sin, torch.cos, torch.sigmoid, torch.square):
            (op(w) * w).sum().backward()
    browser = opened(recording_page(recording))
    seen = browser.execute_script(
        "const { timeline, active: p } = pellucid, seen = [];"
        "while (timeline.place < timeline.moments.length - 1) {"
        "  timeline.step(1);"
        "  if (!timeline.now.size) continue;"
        "  seen.push([...timeline.now].some((number) => {"
        "    const { x, y, width, height } = p.placement.box(number);"
        "    return p.x + x * p.scale >= 0 && p.x + (x + width) * p.scale <= p.canvas.clientWidth"
        "      && p.y + y * p.scale >= 0 && p.y + (y + height) * p.scale <= p.canvas.clientHeight;"
        "  }));"
        "}"
        "return seen;"
    )
    assert len(seen) > 20
    assert all(seen)
    assert run(browser, "page.active.scale") >= 0.6  # large enough to be read


def test_an_address_can_name_the_event_that_a_page_opens_at(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text(recording_page(recorded()), "utf-8")
    browser.get(f"{file.as_uri()}#event-3")
    assert run(browser, "page.timeline.place") == 3
