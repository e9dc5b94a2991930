"""Without memory the compiled module raises MemoryError, and the library goes on afterwards."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pellucid import _native

pytestmark = [
    pytest.mark.skipif(_native.compiled is None, reason="there is no compiled module"),
    pytest.mark.skipif(sys.platform != "linux", reason="sets the limit of memory as Linux does"),
]

#: what is made before, what is called, and how many megabytes are left for it
CALLS = {
    "a list of numbers": ("data = [1.0] * 5_000_000", "torch.tensor(data)", 15),
    "backward of a chain": (
        "y = torch.ones((), requires_grad=True)\nfor _ in range(60_000): y = y * 1.0",
        "y.backward()",
        1,
    ),
    "gradients of a chain": (
        "x = y = torch.ones((), requires_grad=True)\nfor _ in range(60_000): y = y * 1.0",
        "torch.autograd.grad(y, x)",
        1,
    ),
    "a list of tensors": ("data = [torch.ones(1)] * 1_000_000", "torch.cat(data)", 4),
    "looking at a graph": (
        # loaded before: Python itself may raise SystemError where an import has no memory
        "import pellucid.inspect\n"
        "y = torch.ones((), requires_grad=True)\nfor _ in range(60_000): y = y * 1.0",
        "torch.inspect.graph(y)",
        1,
    ),
}

PROGRAM = """
import resource
import pellucid as torch

def a_step():
    w = torch.ones(3, requires_grad=True)
    (torch.cat([w * 2.0, w]) ** 2).sum().backward()
    return w.grad.tolist()

expected = a_step()
{made}
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + {megabytes} * 2**20
resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
try:
    {called}
    told = "nothing"
except MemoryError:
    told = "MemoryError"
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert a_step() == expected
print(told, flush=True)
import os
os._exit(0)
"""


@pytest.mark.skipif(
    "libasan" in os.environ.get("LD_PRELOAD", ""),
    reason="the sanitizer ends a process that has no memory left for itself",
)
@pytest.mark.parametrize("name", CALLS)
def test_no_memory_is_an_error_after_which_the_library_goes_on(name: str):
    made, called, megabytes = CALLS[name]
    program = PROGRAM.format(made=made, called=called, megabytes=megabytes)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "MemoryError\n"), done.stderr


LEAVING = """
from _testcapi import remove_mem_hooks, set_nomemory
from pellucid.blocks import Block

class Owner:
    entries = ()

class Mode(Block):
    def _begin(self):
        self._push(Owner, "entries", "entry")
        self._set(Owner, "number", 1)

Owner.number = 0
mode = Mode()
mode.__enter__()
leave = mode.__exit__
set_nomemory(0)
try:
    leave()
finally:
    remove_mem_hooks()
print(Owner.entries, Owner.number)
"""


def test_a_mode_is_left_though_there_is_no_memory():
    pytest.importorskip("_testcapi", reason="Python came without its own tests")
    done = subprocess.run(
        [sys.executable, "-c", LEAVING], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "() 0\n"), done.stderr


#: functions of Python's that are called where no error may be raised
WITHOUT_ERRORS = {"traverse", "clear", "deallocate", "PyVectorcall_Call"}


def test_every_function_that_python_calls_turns_exceptions_into_errors():
    folder = Path(_native.__file__).parent
    if not (folder / "call" / "call.cpp").exists():
        pytest.skip("the sources are not there")
    found, bare = 0, []
    for path in sorted(folder.rglob("*.cpp")):
        source = path.read_text()
        tables = re.findall(r"\{(?:\"\w+\"|#name), ([^,]+), METH_", source)
        callables = re.findall(r"\b(?:make_callable|is_callable)\((?:function, )?([^,)]+)", source)
        getters = re.findall(r"\{\"\w+\", (\S+), nullptr, nullptr, nullptr\}", source)
        slots = re.findall(r"\{Py_tp_\w+, reinterpret_cast<void\*>\(([^)]+)\)\}", source)
        for each in [*tables, *callables, *getters, *slots]:
            if each.startswith(("vectorcallfunc", "PyObject*")):  # a declaration
                continue
            found += 1
            if not re.match(r"entry<|fast<", each) and each not in WITHOUT_ERRORS:
                bare.append((path.name, each))
    assert found > 40
    assert not bare
