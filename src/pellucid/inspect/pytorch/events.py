"""What happens in a training run of PyTorch, told as `pellucid.observe.watching` tells it."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from pellucid.autograd.engine import plan_all, plan_towards
from pellucid.autograd.node import Node
from pellucid.autograd.passes import BackwardPass
from pellucid.inspect.pytorch import explanations
from pellucid.inspect.pytorch.graphs import FREED, function_of, nodes_of, run_of
from pellucid.inspect.pytorch.line_mode import Lines

torch: Any = importlib.import_module("torch")
_hooks: Any = importlib.import_module("torch.nn.modules.module")
_optimizers: Any = importlib.import_module("torch.optim.optimizer")

Listener = Callable[[str, Any], None]


class Unheard:
    """PyTorch's calls for the checks: they are not told of them yet."""

    def listen(self, hear: Any) -> None:
        """Do nothing."""

    def records(self) -> bool:
        """Return whether PyTorch records nodes."""
        return torch.is_grad_enabled()


@contextmanager
def watching_torch(listener: Listener) -> Iterator[None]:
    """Call ``listener(event, subject)`` as `pellucid.observe.watching` does, for PyTorch's events.

    Lines of the program are noted on the graphs, and PyTorch's errors about graphs tell them.
    """
    watch = _Watch(listener)
    with ExitStack() as stack:
        stack.enter_context(watch.lines)
        for handle in watch.registered():
            stack.callback(handle.remove)
        for owner, name, function in watch.replaced():
            stack.callback(setattr, owner, name, getattr(owner, name))
            setattr(owner, name, function)
        yield


class _Watch:
    """The hooks and the functions that stand in PyTorch's place while it is watched."""

    def __init__(self, listener: Listener) -> None:
        self.hear = listener
        self.lines = Lines()
        self._inside = threading.local()

    def registered(self) -> Iterator[Any]:
        """Register hooks on all modules and optimizers, and yield their handles."""
        yield _hooks.register_module_forward_pre_hook(self._module_began)
        yield _hooks.register_module_forward_hook(self._module_ended, always_call=True)
        yield _optimizers.register_optimizer_step_pre_hook(self._step_began)
        yield _optimizers.register_optimizer_step_post_hook(self._step_ended)

    def replaced(self) -> Iterator[tuple[Any, str, Any]]:
        """Yield what is to be replaced: owner, name and function."""
        yield torch.autograd, "backward", self._backward(torch.autograd.backward)
        yield torch.autograd, "grad", self._grad(torch.autograd.grad)
        optimizer = torch.optim.Optimizer
        yield optimizer, "__init__", self._made(optimizer.__init__)
        yield optimizer, "zero_grad", self._zeroed(optimizer.zero_grad)
        yield torch.nn.Module, "zero_grad", self._zeroed(torch.nn.Module.zero_grad)

    # ---- modules and optimizers ---------------------------------------------------------------

    def _module_began(self, module: Any, _: Any) -> None:
        if self.lines.scopes.enter(module):
            self.hear("module began", module)

    def _module_ended(self, module: Any, *_: Any) -> None:
        if self.lines.scopes.leave():
            self.hear("module ended", module)

    def _step_began(self, optimizer: Any, *_: Any) -> None:
        self.hear("step began", optimizer)

    def _step_ended(self, optimizer: Any, *_: Any) -> None:
        for number, group in enumerate(optimizer.param_groups):
            for position, param in enumerate(group["params"]):
                if param.grad is not None:
                    detail = f"parameter {position} of group {number}"
                    self.lines.note_change(param, f"{type(optimizer).__name__}.step", detail)
        self.hear("step ended", optimizer)

    def _made(self, function: Any) -> Any:
        def __init__(optimizer: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
            function(optimizer, *args, **kwargs)
            self.hear("optimizer made", optimizer)

        return __init__

    def _zeroed(self, function: Any) -> Any:
        def zero_grad(owner: Any, *args: Any, **kwargs: Any) -> Any:
            self.hear("zero_grad", owner)
            return function(owner, *args, **kwargs)

        return zero_grad

    # ---- passes -------------------------------------------------------------------------------

    def _backward(self, function: Any) -> Any:
        def backward(
            tensors: Any, grad_tensors: Any = None, retain_graph: bool | None = None,
            create_graph: bool = False, grad_variables: Any = None, inputs: Any = None,
        ) -> Any:  # fmt: skip
            return self._run(
                "backward",
                lambda: function(
                    tensors, grad_tensors, retain_graph, create_graph, grad_variables, inputs
                ),
                _sequence(tensors), _sequence(inputs), retain_graph, create_graph,
            )  # fmt: skip

        return backward

    def _grad(self, function: Any) -> Any:
        def grad(
            outputs: Any, inputs: Any, grad_outputs: Any = None, retain_graph: bool | None = None,
            create_graph: bool = False, *args: Any, **kwargs: Any,
        ) -> Any:  # fmt: skip
            return self._run(
                "grad",
                lambda: function(
                    outputs, inputs, grad_outputs, retain_graph, create_graph, *args, **kwargs
                ),
                _sequence(outputs), _sequence(inputs), retain_graph, create_graph,
            )  # fmt: skip

        return grad

    def _run(
        self, call: str, function: Callable[[], Any], roots: list[Any], inputs: list[Any],
        retain_graph: bool | None, create_graph: bool,
    ) -> Any:  # fmt: skip
        starts = [each for root in roots if (each := function_of(root)) is not None]
        found = nodes_of(starts)
        wanted = {each: found.get(function_of(each)) for each in inputs}
        nodes = [found[each] for each in starts]
        run = run_of(call, nodes)
        if inputs:
            plan = plan_towards(
                nodes, {each for each in wanted.values() if each}, run_wanted=call == "backward"
            )
        else:
            plan = plan_all(nodes)
        keep = create_graph if retain_graph is None else retain_graph
        asked = BackwardPass(run, plan.nodes, roots, inputs or None, keep, create_graph)
        self.hear("backward began", asked)
        try:
            result = function()
        except RuntimeError as error:
            position, unused = self._unused(inputs, found)
            explanations.explain_pass(
                error, run, plan.nodes, roots, unused, position, self.lines.changes
            )
            self.hear("backward failed", asked)
            raise
        except BaseException:
            self.hear("backward failed", asked)
            raise
        if not keep:
            for node in plan.nodes:
                if node not in plan.stops:
                    node.function.metadata[FREED] = run  # type: ignore[attr-defined]
        self.hear("backward ended", asked)
        return result

    def _unused(self, inputs: list[Any], found: dict[Any, Node]) -> tuple[int, Node | None]:
        """Return the first input that the roots do not depend on."""
        for position, each in enumerate(inputs):
            function = function_of(each)
            if function is not None and function not in found:
                return position, nodes_of([function])[function]
        return -1, None


def _sequence(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, torch.Tensor) or hasattr(value, "output_nr"):
        return [value]
    return list(value)
