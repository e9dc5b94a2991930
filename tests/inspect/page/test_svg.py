"""A graph as SVG: what it shows, and that any viewer can read it."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pellucid as torch
from pellucid.inspect import graph
from pellucid.inspect.page.drawing import draw
from pellucid.inspect.page.scene import Scene
from pellucid.inspect.page.svg import write_svg
from tests.inspect.page import graphs

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    return [each.text or "" for each in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def test_ops_lines_outputs_and_leaves_are_written() -> None:
    shown = texts(write_svg(graphs.heads()))
    assert {"exp", "sin", "cos", "sum", "w", "float32[2]", "keeps 8 B"} <= set(shown)
    assert any(text.startswith("graphs.py:") for text in shown)


def test_a_layer_names_its_parameters() -> None:
    layer = torch.nn.Linear(2, 2)
    assert "with weight, bias" in texts(write_svg(graph(layer(torch.ones(1, 2)))))


def test_a_freed_node_is_dashed_and_says_which_pass_freed_it() -> None:
    w = torch.ones(2, requires_grad=True)
    loss = w.exp().sum()
    loss.backward()
    svg = write_svg(graph(loss))
    assert 'class="freed"' in svg
    assert "stroke-dasharray" in svg
    assert any(text.startswith("freed by backward #") for text in texts(svg))


def test_names_are_escaped() -> None:
    w = torch.ones(2, requires_grad=True)
    names = {"torch": torch, "w": w}
    exec(compile("y = w.exp()", "<a & b>", "exec"), names)
    assert "<a & b>:1" in texts(write_svg(graph(names["y"])))


def test_the_same_graph_gives_the_same_drawing() -> None:
    assert write_svg(graphs.encoder(2)) == write_svg(graphs.encoder(2))


def test_no_more_boxes_are_shown_than_asked_for() -> None:
    picture = graphs.encoder(4)
    boxes = [write_svg(picture, boxes=count).count("<g>") for count in (1, 20, 1000)]
    assert boxes[0] <= boxes[1] <= 20 + 1
    assert boxes[2] > 60


def test_a_long_loop_is_a_few_boxes() -> None:
    svg = write_svg(graphs.loop(1000))
    assert svg.count("<g>") < 12
    assert any(text.startswith("999 × ") for text in texts(svg))


def test_boxes_do_not_overlap_unless_one_is_inside_the_other() -> None:
    scene = Scene(graphs.encoder(2))
    boxes = draw(scene, scene.opened(1000)).boxes
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            across = min(one.left + one.width, other.left + other.width) - max(one.left, other.left)
            down = min(one.top + one.height, other.top + other.height) - max(one.top, other.top)
            apart = across <= 0 or down <= 0
            smaller = min(one.width * one.height, other.width * other.height)
            assert apart or abs(across * down - smaller) < 1e-6


def test_lines_go_down_and_end_at_boxes() -> None:
    scene = Scene(graphs.encoder(2))
    drawing = draw(scene, scene.opened(1000))
    tops = {(round(box.left + box.width / 2, 3), round(box.top, 3)) for box in drawing.boxes}
    for line in drawing.lines:
        heights = [y for _, y in line.points]
        assert heights == sorted(heights)
        if line.arrow:
            x, y = line.points[-1]
            assert (round(x, 3), round(y, 3)) in tops


def test_a_graph_writes_itself_and_shows_itself_in_a_notebook(tmp_path: Path) -> None:
    picture = graphs.heads()
    picture.svg(tmp_path / "graph.svg")
    assert (tmp_path / "graph.svg").read_text(encoding="utf-8") == write_svg(picture)
    assert picture._repr_html_().startswith("<svg ")


def test_a_leaf_alone_can_be_drawn() -> None:
    w = torch.ones(3, requires_grad=True)
    assert len(texts(write_svg(graph(w)))) == 2
