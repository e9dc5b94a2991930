"""What autograd takes and returns; written by ``docs/generate_stubs.py``."""

from pellucid.tensors.tensor import Tensor as Tensor
