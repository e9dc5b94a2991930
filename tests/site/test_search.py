"""The search answers questions, typed as people ask them, with the right page first."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import quote_plus, urlsplit

import pytest

#: what people type, and the page that answers it
QUESTIONS = {
    "why is grad None": "learn/leaves-and-retain-grad",
    "second time": "learn/the-shared-part",
    "del b": "learn/which-tensors-are-in-the-graph",
    "accumulate": "learn/gradients-add-up",
    "leaf": "learn/leaves-and-retain-grad",
    "retain_graph": "learn/retain-graph-in-four-settings",
    "detach": "learn/leaving-the-graph",
    "in-place": "learn/names-tensors-and-memory",
    "checkpoint": "learn/memory-and-checkpointing",
    "two losses": "learn/two-losses-on-one-trunk",
    "double backward": "learn/double-backward",
    "hook": "learn/hooks",
    "where does the memory go": "learn/memory-and-checkpointing",
    "loss does not decrease": "learn/why-does-it-not-learn",
    "no_grad": "learn/leaving-the-graph",
    "custom function": "learn/custom-functions",
    "what is a graph": "learn/what-a-graph-is",
    "run a PyTorch program": "use/running-a-pytorch-program",
    "distributed": "distributed",
    "compile": "use/compile",
    "install": "use/installing",
    "numpy": "use/from-numpy",
}


def results(browser: Any) -> list[str]:
    """Return the pages that a search has found, the first first, once it is through."""
    from selenium.webdriver.support.wait import WebDriverWait

    WebDriverWait(browser, 30).until(
        lambda it: it.execute_script(
            "const found = document.querySelector('#search-results .search-summary');"
            "return found !== null && /finished/.test(found.textContent);"
        )
    )
    links = browser.execute_script(
        "return [...document.querySelectorAll('#search-results li > a')].map((a) => a.href)"
    )
    return [urlsplit(link).path.strip("/") for link in links]


@pytest.mark.parametrize(("question", "page"), QUESTIONS.items(), ids=QUESTIONS)
def test_a_question_has_the_page_that_answers_it_first(
    at: Callable[[str], Any], question: str, page: str
) -> None:
    assert results(at(f"search/?q={quote_plus(question)}"))[:1] == [page]
