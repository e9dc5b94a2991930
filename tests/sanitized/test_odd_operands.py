"""Operands that nobody hands over by mistake raise the same errors with the module and without."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid import _native
from tests.samples.duration import takes_long
from tests.sanitized.odd_operands import OddProgram, is_of_others

SEED, COUNT = 5, 400
ROOT = Path(__file__).resolve().parents[2]
CHILD = """
import json, sys
from tests.sanitized.odd_operands import outcomes
json.dump(outcomes(int(sys.argv[1]), int(sys.argv[2])), sys.stdout)
"""


@takes_long
@pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module")
def test_errors_are_of_the_same_class_with_the_module_and_without():
    compiled, in_python = (
        subprocess.Popen(
            [sys.executable, "-c", CHILD, str(SEED), str(COUNT)],
            cwd=ROOT, stdout=subprocess.PIPE, env=os.environ | {"PYTHONPATH": "src:."} | own,
        )
        for own in ({}, {"PELLUCID_NATIVE": "0"})
    )  # fmt: skip
    with compiled, in_python:
        found = [json.loads(each.communicate()[0]) for each in (compiled, in_python)]
    assert len(found[0]) == COUNT
    assert len(set(found[0])) > 4  # among them programs that run to their end
    different = [
        (OddProgram(SEED, number, tame=True).text, first, second)
        for number, (first, second) in enumerate(zip(*found, strict=True))
        if first != second
    ]
    assert not different


def test_a_program_is_the_same_for_the_same_seed_and_number():
    assert OddProgram(3, 5).text == OddProgram(3, 5).text != OddProgram(3, 6).text


def test_reports_without_the_module_are_those_of_others():
    report = "ERROR: AddressSanitizer\n  #0 0x1 in f {}\n  #1 0x2 in g ceval.c:1\n"
    assert is_of_others(report.format("Objects/dictobject.c:5"))
    assert not is_of_others(report.format("src/pellucid/_native/call.cpp:5"))
    called_by_python = "  #1 0x2 in _PyEval_EvalFrameDefault\n  #2 0x3 in run _native/call.cpp:5\n"
    assert is_of_others("  #0 0x1 in f numpy.so\n" + called_by_python)
    assert not is_of_others("Segmentation fault")
