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
    r"TorchFunctionOverride\.test_(Tensor|torch)_(q_per_|q_scale|q_zero|int_repr|dequant|fake_q)": (
        "quantized numbers"
    ),
    r"TorchFunctionOverride\.test_Tensor(Base)?_(is_)?(ipu|maia|xla|mtia|vulkan|ort)": (
        "other devices and libraries"
    ),
    r"TorchFunctionOverride\.test_(Tensor|torch)__[a-z]": (
        "functions whose names begin with an underscore"
    ),
    r"TestProfilerITT|emit_itt": "other devices and libraries",
    "module_hierarchy": "the compiler of scripts",
    "test_namedtuple_return": "quantized numbers, which the one test asks for among all others",
    "transfer_parametrizations": "layers for quantized numbers",
    "conv_backend|nnpack": "which of PyTorch's kernels computes a convolution",
    "numpy_array_binary_ufunc_promotion": (
        "arrays of NumPy's for tensors, which PyTorch refuses by a known fault of its own"
    ),
    "export_strict": "the compiler of graphs",
    "TestSliceArgnums|TestHelpersCPU|functional_init": "private helpers of PyTorch's transforms",
    "compute_nparams_to_prune|validate_pruning_amount": "private helpers of PyTorch's pruning",
    "HigherOrderOperatorInteraction.*_sum_|HopSchema": "operators that compilers are given",
    "TestTags|CompositeCompliance": (
        "how PyTorch's operators are made of each other, seen through the inner dispatcher"
    ),
    "neg_view|neg_conj_view": "signs that are put off, which only a private function does",
    "TestExperimentalUtils|TorchTidyProfiler": "the events of PyTorch's C++ profiler",
    r"TestProfiler\.test_(source|concrete_inputs|cpu_annotation|export_stacks|lazy_build)|"
    r"TestProfiler\.test_(guarded_)?record_function_fast|TestProfiler\.test_is_profiler_enabled|"
    r"TestProfiler\.test_profiler_(correlation_id|disable_fwd_bwd|fwd_bwd|op_event|strides|type)|"
    "kineto_profiler_multiple": (
        "what PyTorch's C++ profiler writes, read or set through torch._C and kineto_results"
    ),
    "current_graph_task|will_engine_execute|during_unpack_hook|insert_removal_caching|"
    "warning_in_backward|set_sequence_nr|is_retain_graph|fwd_grad_enabled|calculate_shape_util|"
    "construct_standard_basis|zeros_with_same_meta|ignores_undefined_outputs|"
    r"TestAutograd\.test_(integer_outputs|record_function_legacy|view_func|view_replay)": (
        "private functions of PyTorch's engine, which nothing but the test calls"
    ),
    "set_thread_name": "a private function, which names a thread for debuggers in C++",
    "MultipleDispatch": "operators that PyTorch has for this test alone",
    "primal_has_(conj|neg)_bit|serialization_math_bits|efficient_zerotensor": (
        "signs and zeros that are put off, which only private functions do"
    ),
    "profiler_propagation|fork_join_in_middle|call_provenance|symbolic_trace_assert": (
        "the compiler of scripts"
    ),
    "ast_rewriter|delete_unused_values|legalize_slice|torch_func_signature": (
        "torch.fx.experimental and passes for compilers"
    ),
    "torchbind|native_callable|pretty_print_node": "classes and checkers written in C++",
    "zipfile_utils|filewriter_metadata|byteorder_mark": (
        "private functions that write and read the parts of PyTorch's files"
    ),
    "load_njt": "tensors of tensors",
    "inplace_views_cross_dtype": (
        "a wrong gradient of PyTorch's, which the test itself calls a bug"
    ),
    "resurrected|zombie|fix_weakref|storage_base_|storage_from_tensor_dealloc|slot_dealloc": (
        "how Python objects live on while C++ keeps what they stand for"
    ),
    "fast_path_mock": "which of PyTorch's kernels computes attention",
    r"TestSubclass\.test_(?!parametrization_diag).*_(diag_tensor_below|sparse_tensor|wrapper_with_custom_\w+?)(_|$)|"
    "test_swap_basic|test_swap_fail_slots|unsafe_globals_in_checkpoint|error_unsafe_global_False|"
    "safe_globals_context_manager_weights_only|safe_globals_for_weights_only|"
    "subclass_dispatching_sizes|storage_lifetime|no_recompution_needed": (
        "tensors of classes that stand in the inner dispatcher, made by the private "
        "_make_wrapper_subclass"
    ),
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
