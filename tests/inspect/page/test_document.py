"""The page of a graph: one file that holds all it needs; what can be checked without a browser."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import pellucid as torch
from pellucid.inspect import Graph, graph
from pellucid.inspect.page.document import graph_page
from pellucid.inspect.page.scene import Scene
from tests.inspect.page import graphs


class Reader(HTMLParser):
    """The tags of a page, and its texts by the tag around them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.open: str = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open = tag if tag != "script" else f"script {dict(attrs)['type']}"

    def handle_data(self, data: str) -> None:
        self.texts[self.open] = self.texts.get(self.open, "") + data


def data_of(text: str) -> dict[str, Any]:
    """Return the data that a page carries."""
    return json.loads(Reader(text).texts["script application/json"])


def scene_of(picture: Graph) -> dict[str, Any]:
    (scene,) = data_of(graph_page(picture))["scenes"]
    return scene


def test_nothing_is_fetched_from_elsewhere() -> None:
    text = graph_page(graphs.heads())
    assert not re.search(r"https?:|//[a-z]+\.|@import|\bfetch\(|XMLHttpRequest|import\(", text)
    policy = [attributes for tag, attributes in Reader(text).tags if tag == "meta"]
    assert any("default-src 'none'" in (each.get("content") or "") for each in policy)
    for _, attributes in Reader(text).tags:
        assert "src" not in attributes
        assert (attributes.get("href") or "#").startswith(("#", "data:"))


def test_every_part_of_the_page_that_is_worked_with_has_a_name() -> None:
    tags = Reader(graph_page(graphs.heads())).tags
    roles = {attributes.get("role") for _, attributes in tags}
    assert {"search", "tree", "toolbar", "status"} <= roles
    labelled = {attributes.get("for") for tag, attributes in tags if tag == "label"}
    for tag, attributes in tags:
        if tag == "input":
            assert attributes["id"] in labelled
        if tag in ("section", "main") and "id" in attributes:
            assert attributes.get("aria-label")


def test_the_data_has_all_nodes_operands_leaves_and_lines() -> None:
    picture = graphs.encoder(2)
    scene = scene_of(picture)
    kinds = [scene["kinds"][kind] for kind in scene["nodes"]["kind"]]
    assert [kind["name"] for kind in kinds] == [node.name for node in picture.nodes]
    assert [kind["where"] for kind in kinds] == [node.where for node in picture.nodes]
    operands = [tuple(each) for each in scene["nodes"]["operands"]]
    assert operands == [node.operands for node in picture.nodes]
    assert [leaf["name"] for leaf in scene["leaves"]] == [leaf.name for leaf in picture.leaves]


def test_the_data_has_what_nodes_save_and_who_freed_it() -> None:
    w = torch.ones(2, requires_grad=True)
    y = w.exp()
    loss = (y * w).sum()
    (product,) = (kind for kind in scene_of(graph(loss))["kinds"] if kind["op"] == "mul")
    assert {(each["name"], each["leaf"]) for each in product["saved"]} == {
        ("other", 1),
        ("input", None),
    }
    assert product["bytes"] == 8
    loss.backward()
    call, _, where = scene_of(graph(loss))["kinds"][1]["freed"]
    assert call == "backward"
    assert where.startswith("test_document.py:")


def test_nodes_that_keep_the_same_memory_have_the_same_block() -> None:
    w = torch.ones(100, requires_grad=True)
    y = w.exp()  # kept by exp and by two products, by the second as a view
    scene = scene_of(graph((y * y).sum() + (y[:10] * y[:10]).sum() + (w * w).sum()))
    blocks: dict[str, set[int]] = {}
    for kind, kept in zip(scene["nodes"]["kind"], scene["nodes"]["blocks"], strict=True):
        blocks.setdefault(scene["kinds"][kind]["op"], set()).update(kept)
    assert blocks["exp"] == blocks["mul"] == {0}
    assert scene["blockSizes"] == [scene["held"]] == [400]  # without the leaf's


def test_the_source_is_there_around_the_lines_that_made_nodes() -> None:
    (lines,) = scene_of(graphs.heads())["sources"].values()
    source = Path(graphs.__file__).read_text(encoding="utf-8").splitlines()
    assert lines == [[number, source[number - 1]] for number, _ in lines]
    numbers = [number for number, _ in lines]
    assert source.index("    trunk = w.exp()") + 1 in numbers
    assert len(numbers) < len(source)


def test_files_are_named_without_the_folders_they_are_in() -> None:
    scene = scene_of(graphs.heads())
    assert list(scene["sources"]) == ["graphs.py"]
    assert str(Path(graphs.__file__).parent) not in graph_page(graphs.heads())


def test_files_of_the_same_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    result = torch.ones(2, requires_grad=True)
    for folder in ("first", "second"):
        (tmp_path / folder).mkdir()
        file = tmp_path / folder / "net.py"
        file.write_text("y = x.exp()\n", encoding="utf-8")
        names: dict[str, Any] = {"x": result}
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
        result = names["y"]
    assert set(scene_of(graph(result))["sources"]) == {"first/net.py", "second/net.py"}


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "<!-- & ' \" \\ \u2028 {title}", "🙂 ü"]
)
def test_no_text_of_a_program_can_break_the_page(tmp_path: Path, text: str) -> None:
    file = tmp_path / "odd.py"
    file.write_text(f"y = x.exp()  # {text}\n", encoding="utf-8")
    names: dict[str, Any] = {"x": torch.ones(2, requires_grad=True)}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), names)
    page = graph_page(graph(names["y"]))
    assert page.count("<script") == page.count("</script>") == 2
    (line,) = data_of(page)["scenes"][0]["sources"]["odd.py"]
    assert line == [1, f"y = x.exp()  # {text}"] or "\u2028" in text


def test_groups_that_repeat_share_their_layers() -> None:
    scene = scene_of(graphs.loop(200))
    assert len(scene["groups"]) > 200
    assert len(scene["layers"]) < 12


def test_links_through_points_in_a_row_are_written_as_one() -> None:
    picture = graphs.tangle(40, 0)
    for drawn, written in zip(Scene(picture).layers, scene_of(picture)["layers"], strict=True):
        links = []
        for upper, lower, value, more in written["links"]:
            ends = [upper, *range(lower, lower + more + 1)]
            links += [(*pair, value) for pair in pairwise(ends)]
        assert links == list(drawn.links)
        assert len(written["links"]) < len(links)


def test_a_page_of_ten_thousand_nodes_is_small() -> None:
    text = graph_page(graphs.loop(2000))
    assert len(text) < 1_000_000


def test_the_same_graph_gives_the_same_page() -> None:
    assert graph_page(graphs.heads()) == graph_page(graphs.heads())


def test_a_page_is_written_to_a_file(tmp_path: Path) -> None:
    picture = graphs.heads()
    picture.html(tmp_path / "graph.html")
    assert (tmp_path / "graph.html").read_text(encoding="utf-8") == graph_page(picture)
