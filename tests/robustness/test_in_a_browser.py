"""Lessons run without what a browser's Python lacks: threads, processes, the compiled module.

Pyodide, which runs Python in browsers and is behind JupyterLite, is not run here: its packages come
from a server of its own. This is its surroundings, with NumPy as it is installed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.samples.duration import takes_long

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import _thread, json, os, re, subprocess, sys, threading
from pathlib import Path

def refuse(*given, **named):
    raise RuntimeError("can't start new thread")

for name in ("resource", "_posixshmem", "multiprocessing.shared_memory"):
    sys.modules[name] = None
_thread.start_new_thread = threading._start_new_thread = threading._start_joinable_thread = refuse
os.fork = subprocess.Popen.__init__ = refuse

import pellucid as torch
from pellucid import _native
from pellucid.commands.program_page import ProgramPage

def shape(text):
    "A page without the numbers of its passes, which are counted over all pages here."
    return re.sub(r"[ \\d]+", " ", text)

assert _native.compiled is None
changed = []
pages = sorted(Path(sys.argv[1]).glob("*.md"))
for page in pages:
    torch.set_default_dtype(torch.float32)
    if shape(ProgramPage(page).text) != shape(page.read_text("utf-8")):
        changed.append(page.name)
print(json.dumps([len(pages), changed]))
"""


@takes_long
def test_lessons_need_no_threads_processes_or_compiled_code() -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM, ROOT / "docs" / "learn"],
        env={**os.environ, "PELLUCID_NATIVE": "0", "PYTHONPATH": str(ROOT / "src")},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    count, changed = json.loads(ran.stdout.splitlines()[-1])
    assert count > 15
    assert changed == []
