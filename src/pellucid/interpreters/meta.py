"""Operations on tensors without values: on which device their operands are, and what they refuse.

What they compute, shapes and dtypes, the kernels of `pellucid.kernels.meta` say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pellucid.autograd.variable import TensorBase
from pellucid.core.call.interpreter import Below, Interpreter
from pellucid.core.definition.op import Op
from pellucid.core.errors.op_errors import CONTEXT
from pellucid.device import cpu_device, meta_device
from pellucid.errors import GraphError, UnimplementedError
from pellucid.kernels.meta import MetaArray, NoValues, is_meta
from pellucid.ops.shape.copying import NO_DATA, copy


class MetaRules(Interpreter):
    """Operations of which an operand has no values: their results have none either."""

    def call(self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below) -> Any:
        if op.promotes:
            _check_devices(operands)
        return _inferred(op, below, operands, params)

    def change(
        self, op: Op, operands: tuple[Any, ...], params: tuple[Any, ...], below: Below
    ) -> Any:
        if not is_meta(operands[0]._array):
            raise UnimplementedError(NO_DATA)
        if op.promotes and op is not copy.op:
            _check_devices(operands)
        return _inferred(op, below, operands, params)


def _inferred(op: Op, below: Callable[..., Any], operands: Any, params: Any) -> Any:
    """Return what an operation gives; raise NotImplementedError where that depends on values."""
    try:
        return below(op, operands, params)
    except NoValues as error:
        _, context, where = str(error).partition(CONTEXT)
        raise UnimplementedError(
            f"aten::{op.torch_name}: attempted to run this operator with Meta tensors, but there "
            "was no fake impl or Meta kernel registered.\n  What it returns depends on values, and "
            f"tensors on the device 'meta' have none.{context}{where}"
        ) from None


def _check_devices(operands: tuple[Any, ...]) -> None:
    """Raise where tensors are on two devices; one number on the CPU goes with any."""
    arrays = [each._array for each in operands if isinstance(each, TensorBase)]
    placed = [array for array in arrays if is_meta(array) or array.ndim]
    devices = [meta_device if is_meta(array) else cpu_device for array in placed]
    for found in devices[1:]:
        if found is not devices[0]:
            raise GraphError(
                f"Tensor on device {found} is not on the expected device {devices[0]}!"
            )


MetaArray.interpreter = MetaRules()
