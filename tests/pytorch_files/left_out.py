"""Tests that are not counted, because what they test is inside PyTorch, with the reasons."""

from __future__ import annotations

import re

#: what stands in the name of a test's class or method, and why it is left out
LEFT_OUT = {
    "cuda|mps|xpu|mkldnn|xnnpack|vulkan|metal|cudnn|miopen|hpu": "other devices and libraries",
    "jit|torchscript|script(ed|ing)?_|_script|trac(e|ing)_?(d|module)": "the compiler of scripts",
    "inductor|dynamo|compile[d_]|_compile|nvfuser|_nvprims|export": "the compiler of graphs",
    "cpp|c_api|_c_|aten_|_aten": "extensions in C++ and bindings of C++",
    "fake|functionaliz|proxy|symint|symbolic_shape|dynamic_shape": "tracing for compilers",
    "quantiz|qint|sparse_semi|cslt": "quantized numbers",
    "python_ref|_refs_|prims|decomp": "operators in terms of each other, for compilers",
    "named_?tensor|names_arg": "named dimensions, which PyTorch gives up",
    "nested_?tensor": "tensors of tensors",
    "distributed|rpc|nccl|gloo": "processes on several machines",
    "large_?tensor|_large|64bit|int64_upsample|huge": "memory of many gigabytes",
    "python_dispatch|torch_?dispatch|PythonKey": "the inner dispatcher",
    "docs_coverage|public_bindings|doc_template|_stubs": "the form of PyTorch's own sources",
    "legacy_vmap|_vmap_internals": "the vmap that PyTorch had before",
    "CommonPass|CSE|DCE|TestConst|Matcher|PassManager": "passes for compilers",
    "SubgraphRewriter|Annotations|TypeChecker|LazyGraph": "passes for compilers",
    "FxSplit|FXExperimental|PartitionFunctions": "passes for compilers",
    "TestVisionTracing": "a package that is not installed",
}

_PATTERNS = [(re.compile(pattern, re.IGNORECASE), why) for pattern, why in LEFT_OUT.items()]


def reason_to_leave_out(test: str) -> str | None:
    """Return why a test is not counted, or None."""
    return next((why for pattern, why in _PATTERNS if pattern.search(test)), None)
