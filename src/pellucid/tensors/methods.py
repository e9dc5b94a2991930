"""The methods of `Tensor`, made from what the files of operations declare."""

from __future__ import annotations

# ruff: noqa: F401 - importing a file is what declares its functions and methods
from importlib import import_module
from typing import TYPE_CHECKING

from pellucid import ops
from pellucid.autograd.variable import number_of
from pellucid.ops import nn
from pellucid.ops.nn import softmax
from pellucid.tensors import (
    conversions,
    copies,
    dlpack,
    inplace_methods,
    layouts,
    new_tensors,
    numpy_functions,
    print_options,
    properties,
    resizing,
    shared_memory,
    storages,
)
from pellucid.tensors.public_functions import methods

# Other files of `ops.nn` than those imported here declare no methods; see its `all_operations`.
for _folder in ops.submodules(ops):
    if _folder != nn.__name__:
        for _file in ops.submodules(import_module(_folder)):
            import_module(_file)

Operations = type(
    "Operations",
    (conversions.Conversions,),
    {
        "__slots__": (),
        "__module__": __name__,
        "__doc__": "The methods that are declared with their functions.",
        "_cdata": property(number_of),  # what programs ask whether two are the same tensor
        "array_from_arguments": staticmethod(new_tensors.array_from_arguments),
        **methods(),
    },
)
if TYPE_CHECKING:  # where editors find what the stub beside this file declares
    from pellucid._definitions.methods import Operations
