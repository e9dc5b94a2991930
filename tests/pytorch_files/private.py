"""Private parts of PyTorch's that its helpers for tests ask for while they are imported."""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

from pellucid import library
from tests.pytorch_files.tools import TOOLS, forget_hooks_with_their_dictionaries

#: modules of which the helpers mention names, for tests of internals that are not run
MENTIONED = (
    "torch._C._autograd", "torch._C._dynamo", "torch._C._functorch", "torch._decomp",
    "torch._dispatch", "torch._dynamo.testing", "torch._dynamo.utils", "torch._dynamo.backends",
    "torch._functorch",
    *(f"torch._higher_order_ops.{name}" for name in (
        "auto_functionalize", "effects", "flex_attention", "foreach_map", "hints_wrap",
        "invoke_subgraph", "out_dtype", "schema", "strict_mode", "torchbind", "utils", "wrap",
        "base_hop", "triton_kernel_wrap", "partitioner", "print", "flat_apply",
    )),
    "torch._inductor", "torch._jit_internal", "torch._lazy", "torch._logging", "torch._ops",
    "torch._prims", "torch._prims_common", "torch._refs", "torch._subclasses",
    "torch._utils_internal", "torch.backends.xnnpack", "torch.ao",
    "torch.cuda._gpu_trace",
    "torch.export", "torch.fx.experimental", "torch.jit.mobile",
    "torch.utils._config_module", "torch.utils._stats",
    "torch.utils.cpp_extension", "torch.distributed._tensor",
    "fx",
    "torch.utils._triton",
    "torch.testing._internal.generated",
)  # fmt: skip


class PrivateNameError(RuntimeError):
    """A test uses what is private to PyTorch."""


class Mentioned:
    """A private name that may be mentioned, subscripted and looked into, but not called."""

    __all__: tuple[str, ...] = ()

    def __init__(self, name: str) -> None:
        self.__name__ = self.__qualname__ = name

    def __call__(self, *args: Any, **options: Any) -> NoReturn:
        raise PrivateNameError(f"{self.__name__} is private to PyTorch")

    def __getattr__(self, name: str) -> Mentioned:
        if name.startswith("__"):
            raise AttributeError(name)
        return Mentioned(f"{self.__name__}.{name}")

    def __getitem__(self, key: object) -> Mentioned:
        return Mentioned(f"{self.__name__}[{key}]")

    def __or__(self, other: object) -> Mentioned:
        return self

    __ror__ = __or__

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (type(self.__name__.rpartition(".")[2], (), {"__init__": _nothing}),)

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __instancecheck__(self, value: object) -> bool:
        return False

    def __repr__(self) -> str:
        return f"<{self.__name__}, private to PyTorch>"


class HigherOrderOperator:
    """An operator that takes functions, which tests of the inner dispatcher derive from."""

    def __init__(self, name: str, **options: Any) -> None:
        self.__name__ = name

    def _register(self, *args: Any, **options: Any) -> Any:
        return lambda function: function

    py_impl = py_functionalize_impl = py_autograd_impl = _register
    fallthrough = _register


def _assert_metadata_eq(
    assert_equal: Any, first: Any, second: Any, *, skip_leaf: bool = False, **options: Any
) -> None:
    """Compare two tensors in everything but their device and their values."""
    for name in ("shape", "dtype", "requires_grad"):
        assert_equal(getattr(first, name), getattr(second, name))
    if not skip_leaf:
        assert_equal(first.is_leaf, second.is_leaf)
    assert_equal(first.stride(), second.stride())
    assert_equal(first.storage_offset(), second.storage_offset())


#: the names of modules of mentions that the helpers use
GIVEN: dict[str, dict[str, Any]] = {
    "torch._inductor.config": {"patch": lambda *_, **__: lambda function: function},
    "torch.testing._internal.generated.annotated_fn_args": {"annotated_args": {}},
    "torch._ops": {"HigherOrderOperator": HigherOrderOperator},
    "torch._prims_common": {"corresponding_complex_dtype": lambda dtype: dtype.to_complex()},
    "torch._prims_common.wrappers": {"_maybe_remove_out_wrapper": lambda function: function},
    "torch._utils_internal": {"IS_FBSOURCE": False},
    "torch._logging.scribe": {"open_source_signpost": lambda *_, **__: None},
    "torch.utils._triton": {"has_triton": lambda: False, "has_triton_package": lambda: False},
    "torch._subclasses.meta_utils": {"assert_metadata_eq": _assert_metadata_eq},
}


def module_of_mentions(name: str) -> ModuleType:
    """Return a module every name of which is a ``Mentioned`` one."""
    module = ModuleType(name)
    module.__path__ = []
    module.__all__ = []  # type: ignore[attr-defined]

    def mention(attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if f"{name}.{attribute}" in GIVEN:
            return module_of_mentions(f"{name}.{attribute}")
        return Mentioned(f"{name}.{attribute}")

    vars(module).update(GIVEN.get(name, {}), __getattr__=mention)
    return module


def is_mentioned(name: str) -> bool:
    """Return whether a module is one of those of which names are only mentioned."""
    return f"{name}.".startswith(tuple(f"{module}." for module in MENTIONED))


def _nothing(*args: Any, **options: Any) -> None:
    """Do nothing."""


class _NoEffect(contextlib.ContextDecorator):
    """A guard that changes nothing."""

    def __init__(self, *args: Any, **options: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass


def _false(*args: Any, **options: Any) -> bool:
    return False


#: modules of the helpers that tests use without importing them
USED_AS_ATTRIBUTES = (
    "torch.nn._reduction", "torch.testing._utils", "torch.utils._mode_utils",
)  # fmt: skip

#: what the helpers call: answers of a PyTorch for the CPU alone, without compilers
ANSWERS: dict[str, Any] = {
    "torch._C._get_cpu_capability": lambda: "DEFAULT",
    "torch._C._get_privateuse1_backend_name": lambda: "privateuseone",
    "torch._C._get_tracing_state": _nothing,
    "torch._C.has_lapack": True,
    "torch._C.has_spectral": True,
    "torch.utils._foreach_utils._get_foreach_kernels_supported_devices": list,
    "torch.utils._foreach_utils._get_fused_kernels_supported_devices": lambda: ["cpu"],
    "torch._utils._element_size": lambda dtype: dtype.itemsize,
    "torch._C._TorchFunctionState.ENABLED": 0,
    "torch._C._get_torch_function_state": lambda: 0,
    "torch._C._len_torch_function_stack": lambda: 0,
    "torch._C._log_api_usage_once": _nothing,
    "torch._C.ScriptFunction": type("ScriptFunction", (), {}),
    "torch._C.ScriptMethod": type("ScriptMethod", (), {}),
    "torch._C.ScriptDict": type("ScriptDict", (), {}),
    "torch._C.ScriptList": type("ScriptList", (), {}),
    "torch.backends.quantized.supported_engines": [],
    "torch.cuda.jiterator._create_jit_fn": lambda *_, **__: Mentioned("torch.cuda.jiterator"),
    "torch.cuda.jiterator._create_multi_output_jit_fn": (
        lambda *_, **__: Mentioned("torch.cuda.jiterator")
    ),
    "torch.backends.python_native.available_dsls": [],
    "torch._dynamo.reset": _nothing,
    "torch._dynamo.compiled_autograd.reset": _nothing,
    "torch._dynamo.config.compiled_autograd": False,
    "torch._dynamo.config.suppress_errors": False,
    "torch.profiler.itt.is_available": _false,
    "torch._nnpack_available": _false,
    "torchvision.models.detection": Mentioned("torchvision.models.detection"),
    "torchvision.models.video": Mentioned("torchvision.models.video"),
    "torchvision.models.segmentation": Mentioned("torchvision.models.segmentation"),
    "torchvision.models.list_models": lambda *_, **__: [],
    "torch._running_with_deploy": _false,
    "torch.ops.load_library": _nothing,
    "torch._C._debug_only_are_vmap_fallback_warnings_enabled": _false,
    "torch._C._debug_only_display_vmap_fallback_warnings": _nothing,
    "torch._dynamo.is_dynamo_supported": lambda: True,
    "torch._dynamo.config.patch": lambda *_, **__: lambda function: function,
    "torch._C._ConvBackend": Mentioned("torch._C._ConvBackend"),
    "torch._C._DisableTorchDispatch": _NoEffect,
    "torch._C._DisableFuncTorch": _NoEffect,
    "torch.autograd.forward_ad._current_level": -1,
    "torch._utils._is_privateuse1_backend_available": _false,
    "torch.backends.disable_global_flags": _nothing,
    "torch.cpu.get_capabilities": dict,
    "torch.cpu._is_avx2_supported": _false,
    "torch.cpu._is_avx512_supported": _false,
    "torch.cpu._is_vnni_supported": _false,
    "torch.cpu._is_amx_tile_supported": _false,
    "torch.cpu._is_avx512_bf16_supported": _false,
}


def _leave_as_it_is(*args: Any, **options: Any) -> Any:
    return lambda function: function


#: names of helpers that PyTorch has given up since its test files were written
GIVEN_UP: dict[str, Any] = {
    "new_module_tests": [],
    "tf32_is_not_fp32": _false,
    "bf32_on_and_off": _leave_as_it_is,
    "skipOps": _leave_as_it_is,
}

#: and those that another name of the same helpers says
RENAMED = {"binary_ufuncs_and_refs": "binary_ufuncs"}

#: and those that have moved to another module of the helpers
MOVED_TO = "torch.testing._internal.common_device_type"


def supply_given_up_names(file: Path) -> None:
    """Give PyTorch's modules the names that a file of an older release imports from them."""
    for statement in ast.parse(file.read_text()).body:
        if not isinstance(statement, ast.ImportFrom) or statement.level:
            continue
        home = statement.module or ""
        local = file.parent.joinpath(*home.split(".")).with_suffix(".py")
        if local.exists():
            supply_given_up_names(local)
        if home.partition(".")[0] not in ("torch", "functorch"):
            continue
        module = _module(home)
        for name in (entry.name for entry in statement.names):
            if not hasattr(module, name) and not _is_module(f"{home}.{name}"):
                setattr(module, name, _given_up(module, name))


def _given_up(module: ModuleType, name: str) -> Any:
    if name in RENAMED:
        return getattr(module, RENAMED[name])
    if name == "JitTestCase":  # whose module needs the compiler of scripts
        return _module("torch.testing._internal.common_utils").TestCase
    if name in GIVEN_UP:
        return GIVEN_UP[name]
    return getattr(_module(MOVED_TO), name, None) or Mentioned(f"{module.__name__}.{name}")


def _is_module(name: str) -> bool:
    with contextlib.suppress(ImportError):
        return importlib.util.find_spec(name) is not None
    return False


def answer() -> None:
    """Give pellucid, which stands in PyTorch's place already, what the helpers call."""
    for name in MENTIONED:
        if name.startswith("torch."):
            parent, _, child = name.rpartition(".")
            setattr(_module(parent), child, importlib.import_module(name))
    for name, value in {**ANSWERS, **TOOLS}.items():
        home, _, last = name.rpartition(".")
        owner = _owner(home)
        if last not in vars(owner):
            setattr(owner, last, value)
    setattr(library.CustomOpDef, "_opoverload", property(lambda self: self))  # noqa: B010
    forget_hooks_with_their_dictionaries()
    for name in USED_AS_ATTRIBUTES:
        importlib.import_module(name)


def _owner(name: str) -> Any:
    """Return a class or module under PyTorch's name."""
    parent, _, child = name.rpartition(".")
    found = vars(importlib.import_module(parent)).get(child) if parent else None
    return found if isinstance(found, type) else _module(name)


def _module(name: str) -> ModuleType:
    """Return a module under PyTorch's name, or an empty one in its place."""
    with contextlib.suppress(ImportError):
        return importlib.import_module(name)
    parent, _, child = name.rpartition(".")
    module = sys.modules[name] = ModuleType(name)
    setattr(_module(parent), child, module)
    return module
