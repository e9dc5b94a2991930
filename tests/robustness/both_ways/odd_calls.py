"""Calls of everything public with odd arguments, as text; they fail only with errors of ours."""

from __future__ import annotations

import contextlib
import functools
import inspect
import random
import re
import resource
import signal
import traceback
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pellucid as torch
from pellucid.errors import PellucidError

CALL_SECONDS = 5
MEMORY = 1 << 30

#: what reads or writes files, talks, ends the process, starts others, iterates as often as it is
#: told, tells of addresses or of how the library was built, or sets something for all
_LEFT_OUT = frozenset({
    "Transformer", "TransformerDecoder", "TransformerEncoder", "add_module", "apply_",
    "array_from_arguments", "autocast_decrement_nesting", "autocast_increment_nesting",
    "autocast_mode", "backward", "boolean_dispatch", "clear_autocast_cache", "compile", "cond",
    "const_data_ptr", "data_ptr", "enable_grad", "fork", "from_file", "handle_torch_function",
    "has_torch_function", "hub",
    "inference_mode", "initial_seed", "install_as_torch", "is_shared", "load", "load_file",
    "manual_seed", "map2_", "map_", "no_grad", "pca_lowrank", "public_functions", "register_hook",
    "register_module",
    "register_module_forward_hook", "register_post_accumulate_grad_hook", "save", "save_file",
    "seed", "svd_lowrank",
    "set_anomaly_enabled", "set_autocast_cache_enabled", "set_autocast_cpu_dtype",
    "set_autocast_cpu_enabled", "set_autocast_dtype", "set_autocast_enabled",
    "set_autocast_gpu_dtype", "set_default_device", "set_default_dtype",
    "set_default_tensor_type", "set_deterministic_debug_mode", "set_float32_matmul_precision",
    "set_flush_denormal", "set_grad_enabled", "set_num_interop_threads", "set_num_threads",
    "set_printoptions", "set_rng_state", "set_warn_always", "share_memory_",
    "show_config",    "use_deterministic_algorithms", "vmap", "wait", "while_loop",
})  # fmt: skip
#: what gives memory as it finds it: of that, only the shape is looked at
_UNFILLED = re.compile(r"empty|Tensor$|\.new$|\.resize_")
_INTEGERS = (
    0, 1, 2, 3, 4, 5, -1, -2, -3, 7, 100, 10**5, 2**31, -(2**31) - 1, 10**12, 2**62, 2**63, 2**64,
    -(2**63), 2**70,
)  # fmt: skip
_NUMBERS = (
    "0.0", "1.0", "-1.0", "0.5", "-0.0", "2.5", "1e-30", "1e30", "1e308", "float('inf')",
    "float('nan')", "1 + 2j",
)  # fmt: skip
_TEXTS = ("x", "", "mean", "sum", "none", "ij,jk", "i", "constant", "reflect", "fro", "nuc", "same")
_DTYPES = (
    "float32", "float64", "float16", "bfloat16", "int64", "int32", "uint8", "bool", "complex64",
)  # fmt: skip
_SHAPES = (
    (), (0,), (1,), (3,), (4,), (2, 3), (3, 3), (3, 2), (0, 3), (3, 0), (1, 1), (2, 3, 4),
    (1, 4, 4), (2, 2, 3, 3), (1, 2, 4, 4), (2, 0, 3, 3), (1, 2, 3, 4, 4), (1, 1, 2, 2, 2, 2),
)  # fmt: skip


# ---- what is called -------------------------------------------------------------------------


@functools.cache
def functions() -> list[tuple[str, Callable[..., Any]]]:
    """Return the public functions and methods with how a program names them."""
    found: dict[str, Callable[..., Any]] = {}
    for prefix, module in (
        ("torch", torch), ("F", torch.nn.functional), ("torch.linalg", torch.linalg),
        ("torch.fft", torch.fft), ("torch.special", torch.special), ("torch.Tensor", torch.Tensor),
    ):  # fmt: skip
        for name in dir(module):
            value = getattr(module, name, None)
            if name.startswith(("_", "sym_")) or name in _LEFT_OUT:
                continue
            if isinstance(value, type):
                continue
            is_method = module is torch and value is getattr(torch.Tensor, name, None)
            if callable(value) and not inspect.ismodule(value) and not is_method:
                found[f"{prefix}.{name}"] = value
    return sorted(found.items())


@functools.cache
def modules() -> list[tuple[str, type[Any]]]:
    """Return the public layers with how a program names them."""
    return sorted(
        (f"nn.{name}", value)
        for name, value in vars(torch.nn).items()
        if isinstance(value, type) and issubclass(value, torch.nn.Module) and name not in _LEFT_OUT
    )


# ---- with what ------------------------------------------------------------------------------


class Arguments:
    """A source of random arguments, most of them of the kind that the name suggests."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def tensor(self) -> str:
        """Return a small tensor of any shape and dtype."""
        rng = self._rng
        shape, dtype = rng.choice(_SHAPES), rng.choice(_DTYPES)
        layout = "turned" if rng.random() < 0.1 else "rows"
        differentiable = rng.random() < 0.2 and dtype in ("float32", "float64", "float16")
        grad = ", grad=True" if differentiable else ""
        return f"leaf({shape}, torch.{dtype}, {rng.randrange(99)}, {layout!r}, 'odd'{grad})"

    def anything(self, depth: int = 2) -> str:
        """Return a value of any kind."""
        rng = self._rng
        kinds: list[Callable[[], str]] = [
            self.tensor, self.tensor, lambda: str(rng.choice(_INTEGERS)),
            lambda: rng.choice(_NUMBERS), lambda: repr(rng.choice(_TEXTS)), lambda: "None",
            lambda: str(rng.random() < 0.5), lambda: f"torch.{rng.choice(_DTYPES)}",
            lambda: "object()", lambda: "{'x': 1}",
        ]  # fmt: skip
        if depth:
            kinds += [lambda: f"[{self._several(depth)}]", lambda: f"({self._several(depth)},)"]
        return rng.choice(kinds)().replace("(,)", "()")

    def _several(self, depth: int) -> str:
        rng = self._rng
        count = rng.choice((0, 1, 2, 2, 3, 4))
        makers: tuple[Callable[[], str], ...] = (
            self.tensor,
            lambda: str(rng.choice(_INTEGERS[:9])),
            lambda: str(rng.choice(_INTEGERS)),
            lambda: self.anything(depth - 1),
        )
        make = rng.choice(makers)
        return ", ".join(make() for _ in range(count))

    def like(self, parameter: inspect.Parameter) -> str:
        """Return a value for a parameter: often one that its default and name suggest."""
        rng, default, name = self._rng, parameter.default, parameter.name
        if rng.random() < 0.2:
            return self.anything()
        if isinstance(default, bool):
            return str(rng.random() < 0.5)
        if isinstance(default, int) or name in ("dim", "n", "k", "kernel_size", "size", "stride"):
            return str(rng.choice((rng.choice(_INTEGERS[:10]), rng.choice(_INTEGERS))))
        if isinstance(default, float):
            return rng.choice(_NUMBERS)
        if isinstance(default, str):
            return repr(rng.choice(_TEXTS))
        if name in ("tensors", "sizes", "dims", "padding", "shifts", "pad", "output_size"):
            return f"[{self._several(1)}]"
        if default is None and rng.random() < 0.5:
            return "None"
        return self.tensor() if rng.random() < 0.8 else self.anything()

    def of(self, function: Callable[..., Any]) -> list[str]:
        """Return arguments of a function."""
        rng = self._rng
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return [self.anything() for _ in range(rng.randrange(4))]
        args: list[str] = []
        named: list[str] = []
        for each in parameters:
            if each.kind is each.VAR_POSITIONAL:
                args += [self.anything() for _ in range(rng.randrange(4))]
            elif each.kind is each.VAR_KEYWORD or each.name in ("out", "generator"):
                continue
            elif each.default is each.empty and each.kind is not each.KEYWORD_ONLY and not named:
                args.append(self.like(each))
            elif rng.random() < 0.35 and each.kind is not each.POSITIONAL_ONLY:
                named.append(f"{each.name}={self.like(each)}")
        return args + named


def odd_call(rng: random.Random) -> str:
    """Return a random call."""
    arguments = Arguments(rng)
    if rng.random() < 0.15:
        name, layer = rng.choice(modules())
        return f"{name}({', '.join(arguments.of(layer))})({arguments.tensor()})"
    name, function = rng.choice(functions())
    args = arguments.of(function)
    if name.startswith("torch.Tensor."):
        args[:1] = [arguments.tensor()]
    of_it = ".shape" if _UNFILLED.search(name) else ""
    return f"{name}({', '.join(args)}){of_it}"


# ---- what comes of it -----------------------------------------------------------------------


class TookTooLong(BaseException):
    """A call that did not return in time."""


def stop(*_: object) -> NoReturn:
    """End the call that is running: for the alarm."""
    raise TookTooLong


def outcome(call: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return what a call gave or raised, and what is wrong with how it ended, if anything is."""
    signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
    try:
        return call(), None
    except PellucidError as error:
        return error, None
    except TookTooLong as error:
        return None, f"takes longer than {CALL_SECONDS} s: {_place(error)}"
    except (RuntimeError, NotImplementedError, AssertionError, BufferError) as error:
        wrong = isinstance(error, RecursionError)
        return error, f"{type(error).__name__}: {_place(error)}" if wrong else None
    except Exception as error:  # noqa: BLE001 - it is what is looked for
        told = f"{type(error).__name__}: {_place(error)}: {error}"
        return error, None if _is_of_the_call(error) else told
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _is_of_the_call(error: Exception) -> bool:
    """Return whether Python refused the arguments, as it does in PyTorch.

    It refuses their number and names; and where a layer, which is written in Python there too,
    compares or converts what is not a number.
    """
    frames = traceback.extract_tb(error.__traceback__)
    if isinstance(error, TypeError) and ("positional arg" in str(error) or "keyword" in str(error)):
        return True
    in_a_layer = any("/nn/modules/" in frame.filename for frame in frames)
    return in_a_layer and isinstance(
        error, TypeError | AttributeError | ValueError | ZeroDivisionError
    )


def _place(error: BaseException) -> str:
    frames = [
        each for each in traceback.extract_tb(error.__traceback__) if "pellucid/" in each.filename
    ]
    if not frames:
        return "outside"
    return f"{frames[-1].filename.rpartition('pellucid/')[2]}:{frames[-1].lineno} {frames[-1].name}"


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Bound memory and the time of a call, and be silent about warnings, inside the block."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    before = signal.signal(signal.SIGALRM, stop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
