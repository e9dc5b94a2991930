"""Random calls of everything public, which may fail only with errors of pellucid.

``python -m tests.robustness.fuzz SECONDS [SEED]`` makes such calls for so long, prints each call
that raised an error of NumPy's or Python's own or took too long, and ends with status 1 if there
was one. The numbers of a line are the seed and the call's number.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import random
import resource
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, NoReturn

import pellucid as torch
from pellucid.errors import PellucidError

CALL_SECONDS = 5
MEMORY = 1 << 30

#: what reads or writes files, talks, ends the process, starts others, iterates as often as it is
#: told, or sets something for all
_LEFT_OUT = frozenset({
    "Transformer", "TransformerDecoder", "TransformerEncoder", "add_module", "apply_",
    "array_from_arguments", "autocast_decrement_nesting", "autocast_increment_nesting",
    "autocast_mode", "backward", "boolean_dispatch", "clear_autocast_cache", "compile", "cond",
    "enable_grad", "fork", "from_file", "handle_torch_function", "has_torch_function", "hub",
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
    "use_deterministic_algorithms", "vmap", "wait", "while_loop",
})  # fmt: skip
_INTEGERS = (
    0, 1, 2, 3, 4, 5, -1, -2, -3, 7, 100, 10**5, 2**31, -(2**31) - 1, 10**12, 2**62, 2**63, 2**64,
    -(2**63), 2**70,
)  # fmt: skip
_NUMBERS = (0.0, 1.0, -1.0, 0.5, -0.0, 2.5, 1e-30, 1e30, 1e308, float("inf"), float("nan"), 1 + 2j)
_TEXTS = ("x", "", "mean", "sum", "none", "ij,jk", "i", "constant", "reflect", "fro", "nuc", "same")
_DTYPES = (
    "float32",
    "float64",
    "float16",
    "bfloat16",
    "int64",
    "int32",
    "uint8",
    "bool",
    "complex64",
)
_SHAPES = (
    (), (0,), (1,), (3,), (4,), (2, 3), (3, 3), (3, 2), (0, 3), (3, 0), (1, 1), (2, 3, 4),
    (1, 4, 4), (2, 2, 3, 3), (1, 2, 4, 4), (2, 0, 3, 3), (1, 2, 3, 4, 4), (1, 1, 2, 2, 2, 2),
)  # fmt: skip


class Call(NamedTuple):
    """A function with its name, and the arguments of one call."""

    name: str
    function: Callable[..., Any]
    args: list[Any]
    kwargs: dict[str, Any]

    def __str__(self) -> str:
        args = [_shown(each) for each in self.args]
        args += [f"{name}={_shown(value)}" for name, value in self.kwargs.items()]
        return f"{self.name}({', '.join(args)})"


def _shown(value: Any, depth: int = 3) -> str:
    if isinstance(value, torch.Tensor):
        grad = ", requires_grad=True" if value.requires_grad else ""
        return f"<{str(value.dtype).removeprefix('torch.')}{list(value.shape)}{grad}>"
    if isinstance(value, list | tuple) and depth:
        return "[" + ", ".join(_shown(each, depth - 1) for each in value) + "]"
    return repr(value)[:60]


# ---- what is called -------------------------------------------------------------------------


def functions() -> dict[str, Callable[..., Any]]:
    """Return the public functions and methods by name."""
    found: dict[str, Callable[..., Any]] = {}
    functional = torch.nn.functional
    for prefix, module in (
        ("torch", torch), ("F", functional), ("linalg", torch.linalg), ("fft", torch.fft),
        ("special", torch.special), ("Tensor", torch.Tensor),
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
    return found


def modules() -> dict[str, type[Any]]:
    """Return the public layers by name."""
    return {
        f"nn.{name}": value
        for name, value in vars(torch.nn).items()
        if isinstance(value, type) and issubclass(value, torch.nn.Module) and name not in _LEFT_OUT
    }


# ---- with what ------------------------------------------------------------------------------


class Arguments:
    """A source of random arguments, most of them of the kind that the name suggests."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def tensor(self) -> Any:
        """Return a small tensor of any shape and dtype."""
        rng = self._rng
        shape, dtype = rng.choice(_SHAPES), getattr(torch, rng.choice(_DTYPES))
        made = torch.testing.make_tensor(shape, dtype=dtype, device="cpu", low=0, high=5)
        if rng.random() < 0.2 and made.is_floating_point():
            made.requires_grad_()
        if rng.random() < 0.1 and made.ndim > 1:
            made = made.transpose(0, -1)
        return made

    def anything(self, depth: int = 2) -> Any:
        """Return a value of any kind."""
        rng = self._rng
        kinds: list[Callable[[], Any]] = [
            self.tensor, self.tensor, lambda: rng.choice(_INTEGERS), lambda: rng.choice(_NUMBERS),
            lambda: rng.choice(_TEXTS), lambda: None, lambda: rng.random() < 0.5,
            lambda: getattr(torch, rng.choice(_DTYPES)), object, lambda: {"x": 1},
        ]  # fmt: skip
        if depth:
            kinds += [lambda: self._several(depth), lambda: tuple(self._several(depth))]
        return rng.choice(kinds)()

    def _several(self, depth: int) -> list[Any]:
        rng = self._rng
        count = rng.choice((0, 1, 2, 2, 3, 4))
        match rng.randrange(4):
            case 0:
                return [self.tensor() for _ in range(count)]
            case 1:
                return [rng.choice(_INTEGERS[:9]) for _ in range(count)]
            case 2:
                return [rng.choice(_INTEGERS) for _ in range(count)]
            case _:
                return [self.anything(depth - 1) for _ in range(count)]

    def like(self, parameter: inspect.Parameter) -> Any:
        """Return a value for a parameter: often one that its default and name suggest."""
        rng, default, name = self._rng, parameter.default, parameter.name
        if rng.random() < 0.2:
            return self.anything()
        if isinstance(default, bool):
            return rng.random() < 0.5
        if isinstance(default, int) or name in ("dim", "n", "k", "kernel_size", "size", "stride"):
            return rng.choice((rng.choice(_INTEGERS[:10]), rng.choice(_INTEGERS)))
        if isinstance(default, float):
            return rng.choice(_NUMBERS)
        if isinstance(default, str):
            return rng.choice(_TEXTS)
        if name in ("tensors", "sizes", "dims", "padding", "shifts", "pad", "output_size"):
            return self._several(1)
        if default is None and rng.random() < 0.5:
            return None
        return self.tensor() if rng.random() < 0.8 else self.anything()

    def of(self, function: Callable[..., Any]) -> tuple[list[Any], dict[str, Any]]:
        """Return arguments of a function."""
        rng = self._rng
        try:
            parameters = list(inspect.signature(function).parameters.values())
        except (TypeError, ValueError):
            return [self.anything() for _ in range(rng.randrange(4))], {}
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for each in parameters:
            if each.kind is each.VAR_POSITIONAL:
                args += [self.anything() for _ in range(rng.randrange(4))]
            elif each.kind is each.VAR_KEYWORD or each.name in ("out", "generator"):
                continue
            elif each.default is each.empty and each.kind is not each.KEYWORD_ONLY and not kwargs:
                args.append(self.like(each))
            elif rng.random() < 0.35 and each.kind is not each.POSITIONAL_ONLY:
                kwargs[each.name] = self.like(each)
        return args, kwargs


# ---- what comes of it -----------------------------------------------------------------------


class TookTooLong(BaseException):
    """A call that did not return in time."""


def _stop(*_: object) -> NoReturn:
    raise TookTooLong


def complaint(call: Call) -> str | None:
    """Return what is wrong with how a call ended; ``None`` if nothing is."""
    signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
    try:
        call.function(*call.args, **call.kwargs)
    except PellucidError:
        return None
    except TookTooLong as error:
        return f"takes longer than {CALL_SECONDS} s: {_place(error)}"
    except (RuntimeError, NotImplementedError, AssertionError, BufferError) as error:
        return (
            f"{type(error).__name__}: {_place(error)}"
            if isinstance(error, RecursionError)
            else None
        )
    except Exception as error:  # noqa: BLE001 - it is what is looked for
        return (
            None if _is_of_the_call(error) else f"{type(error).__name__}: {_place(error)}: {error}"
        )
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def _is_of_the_call(error: Exception) -> bool:
    """Return whether Python refused the arguments, as it does in PyTorch.

    It refuses their number and names; and where a layer, which is written in Python there too,
    compares or converts what is no number.
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
        each for each in traceback.extract_tb(error.__traceback__) if "pellucid" in each.filename
    ]
    if not frames:
        return "outside"
    return f"{frames[-1].filename.rpartition('pellucid/')[2]}:{frames[-1].lineno} {frames[-1].name}"


def calls(seed: int) -> Iterator[Call]:
    """Yield random calls without end; the same for the same seed."""
    rng = random.Random(seed)
    torch.manual_seed(seed)
    arguments = Arguments(rng)
    known, layers = sorted(functions().items()), sorted(modules().items())
    while True:
        if rng.random() < 0.15:
            name, layer = rng.choice(layers)
            given = arguments.of(layer)
            yield Call(name, _Layer(layer, arguments), *given)
        else:
            name, function = rng.choice(known)
            args, kwargs = arguments.of(function)
            if name.startswith("Tensor."):
                args[:1] = [arguments.tensor()]
            yield Call(name, function, args, kwargs)


class _Layer:
    """A layer that is made and then called on a random tensor."""

    def __init__(self, kind: type[Any], arguments: Arguments) -> None:
        self._kind = kind
        self._input = arguments.tensor()

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        self._kind(*args, **kwargs)(self._input)


@contextlib.contextmanager
def limited() -> Iterator[None]:
    """Bound memory and the time of a call, and be silent about warnings, inside the block."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, hard))
    before = signal.signal(signal.SIGALRM, _stop)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def main(seconds: float, seed: int) -> int:
    """Make calls for so long; return how many different complaints there were."""
    end = time.monotonic() + seconds
    seen: Counter[str] = Counter()
    made = 0
    with limited():
        for number, call in enumerate(calls(seed)):
            if time.monotonic() > end:
                break
            made += 1
            found = complaint(call)
            if found is None:
                continue
            key = found.split(": ")[0] + found.split(": ")[1]
            seen[key] += 1
            if seen[key] == 1:
                print(f"{seed}.{number} {call}\n    {found[:300]}", flush=True)
    print(f"{made} calls, {len(seen)} complaints")
    return len(seen)


if __name__ == "__main__":
    gc.collect()
    sys.exit(bool(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)))
