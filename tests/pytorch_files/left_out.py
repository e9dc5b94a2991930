"""Tests that are not counted, because what they test is inside PyTorch, with the reasons."""

from __future__ import annotations

import re

#: what stands in the name of a test's class or method, and why it is left out
LEFT_OUT = {
    "cuda(?!assert)|mps|xpu|mkldnn|xnnpack|vulkan|metal|cudnn|miopen|hpu": (
        "other devices and libraries"
    ),
    "jit|torchscript|script(ed|ing)?_|_script|traced_module|trace_module": (
        "the compiler of scripts"
    ),
    r"FlowTraced\.(?!test_cond_vmap|test_vmap_vmap)": "graphs that compilers are given",
    "inductor|dynamo|compile[d_]|_compile|nvfuser|_nvprims": "the compiler of graphs",
    "HipifyTrie": "a tool that translates C++ for another device",
    r"cpp|c_api|_c_(?!ontig)|aten_|_aten|public_api_surface": (
        "extensions in C++ and bindings of C++"
    ),
    "fake|functionalize|proxy_tensor|symint|symbolic_shape|dynamic_shape": "tracing for compilers",
    r"quantiz|qint|qengine|sparse_semi|cslt|_int_mm|_int\d+_mm": "quantized numbers",
    "transfer_parametrizations": "layers for quantized numbers",
    "conv_backend|nnpack": "which of PyTorch's kernels computes a convolution",
    "numpy_array_binary_ufunc_promotion": (
        "arrays of NumPy's for tensors, which PyTorch refuses by a known fault of its own"
    ),
    "export_strict": "the compiler of graphs",
    "TestSliceArgnums|TestHelpersCPU|functional_init": "private helpers of PyTorch's transforms",
    "HigherOrderOperatorInteraction.*_sum_|HopSchema": "operators that compilers are given",
    "TestTags|CompositeCompliance": (
        "how PyTorch's operators are made of each other, seen through the inner dispatcher"
    ),
    "neg_view|neg_conj_view": "signs that are put off, which only a private function does",
    "TestExperimentalUtils|TorchTidyProfiler": "the events of PyTorch's C++ profiler",
    "TestFunctionalTracing": (
        "at which line of PyTorch's own functional.py a trace fails, with the dispatch by "
        "__torch_function__ patched away in that file"
    ),
    "signature_exhaustive": "the signatures that PyTorch's C++ functions are compiled with",
    "lazy_clone|_cow_": "copies on write, which no public function makes",
    "python_ref|_refs_|_prims|decomposition_under": (
        "operators in terms of each other, for compilers"
    ),
    "named_?tensor|names_arg": "named dimensions, which PyTorch gives up",
    "nested_?tensor": "tensors of tensors",
    "rpc|nccl|gloo": "processes on several machines",
    "large_?tensor|64bit|int64_upsample|huge|_large_workspace": "memory of many gigabytes",
    "python_dispatch|torch_?dispatch|logging_tensor|PythonKey": "the inner dispatcher",
    "docs_coverage|public_bindings|doc_template|_stubs": "the form of PyTorch's own sources",
    "legacy_vmap|_vmap_internals": "the vmap that PyTorch had before",
    "CommonPass|TestCSE|TestDCE|TestConstFold|TestConstParam": "passes for compilers",
    "TestMatcher|PassManager|pattern_matcher": "passes for compilers",
    "SubgraphRewriter|AnnotationsTest|TypeChecker|LazyGraph": "passes for compilers",
    "FxSplit|FXExperimental|PartitionFunctions": "passes for compilers",
    "TestVisionTracing": "a package that is not installed",
}

_PATTERNS = [(re.compile(pattern, re.IGNORECASE), why) for pattern, why in LEFT_OUT.items()]


def reason_to_leave_out(test: str) -> str | None:
    """Return why a test is not counted, or None."""
    return next((why for pattern, why in _PATTERNS if pattern.search(test)), None)
