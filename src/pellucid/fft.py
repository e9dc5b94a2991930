"""Fourier transforms: the functions of ``torch.fft``."""

from __future__ import annotations

from pellucid.tensors.public_functions import PublicFunctions

_functions = PublicFunctions(globals())
__all__ = list(_functions.names())
__getattr__ = _functions.get
__dir__ = _functions.names
