"""The ways in which a layer is spread: its parameters, what it is given and what it returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pellucid.distributed.tensor.api import parameter_of
from pellucid.distributed.tensor.dtensor import DTensor
from pellucid.distributed.tensor.placement_types import Placement, Replicate, Shard
from pellucid.errors import ArgumentError, UnimplementedError
from pellucid.nn.modules.linear import Linear
from pellucid.nn.modules.module import Module
from pellucid.nn.modules.sparse import Embedding
from pellucid.processes.mesh import DeviceMesh
from pellucid.tensors import Tensor


class ParallelStyle:
    """A way to spread a module; subclasses define ``_apply(module, device_mesh)``."""

    src_data_rank: int | None = 0

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        raise NotImplementedError

    def apply_to(self, module: Module, device_mesh: DeviceMesh) -> Module:
        """Spread a module over a mesh, in place; return it.

        Args:
            module: The module.
            device_mesh: The ranks.
        """
        return self._apply(module, device_mesh)

    def _spread(
        self, module: Module, mesh: DeviceMesh, placement: Callable[[str], Placement]
    ) -> None:
        """Replace a module's own parameters by DTensors, each with the placement for its name."""
        for name, param in list(module._parameters.items()):
            if param is not None and not isinstance(param, DTensor):
                spread = parameter_of(param, mesh, [placement(name)], self.src_data_rank)
                module.register_parameter(name, spread)


def _given(value: Any, mesh: DeviceMesh, layout: Placement, wanted: Placement) -> Any:
    """Return a tensor as a DTensor in the wanted layout; a plain one is a part in ``layout``."""
    if not isinstance(value, Tensor):
        return value
    spread: Any = value
    if not isinstance(value, DTensor):
        spread = DTensor.from_local(value, mesh, [layout])
    return spread.redistribute(placements=[wanted])


def _returned(value: Any, layout: Placement, local: bool) -> Any:
    """Return an output in a layout; with ``local`` this rank's part."""
    if not isinstance(value, DTensor):
        return value
    moved = value.redistribute(placements=[layout])
    return moved.to_local() if local else moved


def _hook_up(module: Module, before: Callable[[Any], Any], after: Callable[[Any], Any]) -> None:
    """Register hooks that change the first input, and the output, of forward."""

    def prepare(_: Any, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        return (before(inputs[0]), *inputs[1:]) if inputs else inputs

    module.register_forward_pre_hook(prepare)
    module.register_forward_hook(lambda _, inputs, output: after(output))


class ColwiseParallel(ParallelStyle):
    """Style of a linear layer or an embedding whose output features are cut.

    Args:
        input_layouts: Placement of the input; whole on every rank if None.
        output_layouts: Placement of the output; cut along the last dim if None.
        use_local_output: Whether forward returns this rank's part, not a DTensor.
    """

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.input_layouts = input_layouts or Replicate()
        self.output_layouts = output_layouts or Shard(-1)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        if isinstance(module, Linear):
            self._spread(module, device_mesh, lambda name: Shard(0))
        elif isinstance(module, Embedding):
            self._spread(module, device_mesh, lambda name: Shard(1))
        else:
            raise UnimplementedError("ColwiseParallel currently only support nn.Linear and "
                                     f"nn.Embedding, not {type(module).__name__}!")  # fmt: skip
        _hook_up(
            module, lambda x: _given(x, device_mesh, self.input_layouts, Replicate()),
            lambda y: _returned(y, self.output_layouts, self.use_local_output),
        )  # fmt: skip
        return module


class RowwiseParallel(ParallelStyle):
    """Style of a linear layer whose input features are cut, or of an embedding whose rows are.

    Args:
        input_layouts: Placement of the input; cut along the last dim if None.
        output_layouts: Placement of the output; whole on every rank if None.
        use_local_output: Whether forward returns this rank's part, not a DTensor.
    """

    def __init__(
        self, *, input_layouts: Placement | None = None, output_layouts: Placement | None = None,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.input_layouts = input_layouts or Shard(-1)
        self.output_layouts = output_layouts or Replicate()
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        wanted: Placement = Shard(-1)
        if isinstance(module, Linear):
            cut = Shard(1)
            self._spread(module, device_mesh, lambda name: cut if name == "weight" else Replicate())
        elif isinstance(module, Embedding):
            wanted = Replicate()
            self._spread(module, device_mesh, lambda name: Shard(0))
        else:
            raise UnimplementedError("RowwiseParallel currently only support nn.Linear and "
                                     f"nn.Embedding, not {type(module).__name__}!")  # fmt: skip
        _hook_up(
            module, lambda x: _given(x, device_mesh, self.input_layouts, wanted),
            lambda y: _returned(y, self.output_layouts, self.use_local_output),
        )  # fmt: skip
        return module


class SequenceParallel(ParallelStyle):
    """Style of a norm or dropout that is computed on a part of the sequence; parameters are whole.

    Korthikanti et al., "Reducing activation recomputation in large transformer models", 2022.

    Args:
        sequence_dim: The dim of the input that is cut.
        use_local_output: Whether forward returns this rank's part, not a DTensor.
    """

    def __init__(self, *, sequence_dim: int = 1, use_local_output: bool = False) -> None:
        self.sequence_sharding = Shard(sequence_dim)
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        self._spread(module, device_mesh, lambda name: Replicate())
        cut = self.sequence_sharding
        _hook_up(
            module, lambda x: _given(x, device_mesh, cut, cut),
            lambda y: y.to_local() if self.use_local_output and isinstance(y, DTensor) else y,
        )  # fmt: skip
        return module


# ---- what a module is given, and returns ------------------------------------------------------

_Layouts = Placement | Sequence[Placement | None] | None


def _listed(layouts: _Layouts) -> tuple[Placement | None, ...]:
    if layouts is None or isinstance(layouts, Placement):
        return (layouts,)
    return tuple(layouts)


class PrepareModuleInput(ParallelStyle):
    """Style of a module that is left as it is, and whose inputs become DTensors in a layout.

    Args:
        input_layouts: Placement of each positional input; None for one that stays.
        desired_input_layouts: The placements that they are moved to.
        input_kwarg_layouts: Placements of inputs by name.
        desired_input_kwarg_layouts: The placements that those are moved to.
        use_local_output: Whether the module gets this rank's parts, not DTensors.

    Raises:
        AssertionError: If there are not as many desired layouts as layouts.
    """

    def __init__(
        self, *, input_layouts: _Layouts = None, desired_input_layouts: _Layouts = None,
        input_kwarg_layouts: dict[str, Placement] | None = None,
        desired_input_kwarg_layouts: dict[str, Placement] | None = None,
        use_local_output: bool = False,
    ) -> None:  # fmt: skip
        self.input_layouts = None if input_layouts is None else _listed(input_layouts)
        self.desired_input_layouts = (
            None if desired_input_layouts is None else _listed(desired_input_layouts)
        )
        if self.input_layouts is not None and (
            self.desired_input_layouts is None
            or len(self.input_layouts) != len(self.desired_input_layouts)
        ):
            raise AssertionError("input_layouts and desired_input_layouts should have same length!")
        self.input_kwarg_layouts = input_kwarg_layouts or {}
        self.desired_input_kwarg_layouts = desired_input_kwarg_layouts or {}
        if self.input_kwarg_layouts.keys() != self.desired_input_kwarg_layouts.keys():
            raise AssertionError(
                "input_kwarg_layouts and desired_input_kwarg_layouts should have same length!"
            )
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        def prepare(_: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return self._args(args, device_mesh), self._kwargs(kwargs, device_mesh)

        module.register_forward_pre_hook(prepare, with_kwargs=True)
        return module

    def _args(self, args: tuple[Any, ...], mesh: DeviceMesh) -> tuple[Any, ...]:
        if self.input_layouts is None or self.desired_input_layouts is None:
            return args
        if len(args) != len(self.input_layouts):
            raise ArgumentError("module inputs and input_layouts should have same length!")
        triples = zip(args, self.input_layouts, self.desired_input_layouts, strict=True)
        return tuple(self._moved(value, mesh, now, wanted) for value, now, wanted in triples)

    def _kwargs(self, kwargs: dict[str, Any], mesh: DeviceMesh) -> dict[str, Any]:
        return {
            name: self._moved(
                value, mesh, self.input_kwarg_layouts.get(name),
                self.desired_input_kwarg_layouts.get(name),
            )
            for name, value in kwargs.items()
        }  # fmt: skip

    def _moved(self, value: Any, mesh: DeviceMesh, layout: Any, wanted: Any) -> Any:
        if layout is None:
            return value
        moved = _given(value, mesh, layout, layout if wanted is None else wanted)
        return moved.to_local() if self.use_local_output and isinstance(moved, DTensor) else moved


class PrepareModuleOutput(ParallelStyle):
    """Style of a module that is left as it is, and whose outputs are moved to a layout.

    Args:
        output_layouts: Placement of each output; None for one that stays.
        desired_output_layouts: The placements that they are moved to.
        use_local_output: Whether forward returns this rank's parts, not DTensors.

    Raises:
        AssertionError: If there are not as many desired layouts as layouts.
    """

    def __init__(
        self, *, output_layouts: _Layouts, desired_output_layouts: _Layouts,
        use_local_output: bool = True,
    ) -> None:  # fmt: skip
        self.output_layouts = _listed(output_layouts)
        self.desired_output_layouts = _listed(desired_output_layouts)
        if len(self.output_layouts) != len(self.desired_output_layouts):
            raise AssertionError(
                "output_layouts and desired_output_layouts should have same length!"
            )
        self.use_local_output = use_local_output

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        module.register_forward_hook(lambda _, inputs, output: self._outputs(output, device_mesh))
        return module

    def _outputs(self, output: Any, mesh: DeviceMesh) -> Any:
        several = isinstance(output, tuple)
        outputs = output if several else (output,)
        if len(outputs) != len(self.output_layouts):
            raise ArgumentError("module outputs and output_layouts should have same length!")
        made: list[Any] = []
        triples = zip(outputs, self.output_layouts, self.desired_output_layouts, strict=True)
        for value, now, wanted in triples:
            if now is None or wanted is None:
                made.append(value)
            else:
                moved = _given(value, mesh, now, wanted)
                made.append(_returned(moved, wanted, self.use_local_output))
        return tuple(made) if several else made[0]


class PrepareModuleInputOutput(ParallelStyle):
    """Style of a module that is left as it is, and whose inputs and outputs are moved to layouts.

    Args:
        use_local_input: Whether the module gets this rank's parts, not DTensors.
        use_local_output: Whether forward returns this rank's parts, not DTensors.
        **layouts: Those of `PrepareModuleInput` and `PrepareModuleOutput`.
    """

    def __init__(
        self, *, use_local_input: bool = False, use_local_output: bool = True, **layouts: Any
    ) -> None:
        outputs = {name: layouts.pop(name) for name in list(layouts) if "output" in name}
        self.prepare_module_input = PrepareModuleInput(use_local_output=use_local_input, **layouts)
        self.prepare_module_output = PrepareModuleOutput(
            use_local_output=use_local_output, **outputs
        )

    def _apply(self, module: Module, device_mesh: DeviceMesh) -> Module:
        self.prepare_module_input.apply_to(module, device_mesh)
        return self.prepare_module_output.apply_to(module, device_mesh)
