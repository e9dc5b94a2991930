"""What to do about errors of calls, by the sentence that tells them."""

from __future__ import annotations

import ast
import re
import sys

from pellucid.autograd.explanations.frames import locals_of, outward
from pellucid.autograd.lost_paths import assignment
from pellucid.autograd.sites import Site, library_files

_DTYPES = (
    "Convert one of them, as in x.to(weight.dtype). What comes from NumPy is float64 unless it is "
    "made float32: torch.from_numpy(a).float()."
)
#: sentences, and what is to be done
_REMEDIES: tuple[tuple[str, str], ...] = (
    (r"expected target dtype to be Long|expected scalar type Long but found \w*(Float|Double)|"
     r"\"nll_loss\w*\" not implemented for '(Float|Double|Int)'",
     "Targets that are classes are whole numbers: give target.long(); targets that are shares of "
     "each class have the shape of the input."),
    (r"must have the same dtype|expected scalar type \w+ but found|to have the same dtype",
     _DTYPES),
    (r"all elements of input should be between 0 and 1",
     "Give it probabilities: apply sigmoid first, or better use "
     "binary_cross_entropy_with_logits."),
)  # fmt: skip
#: those of PyTorch's errors only: pellucid's say it, or more, in their own lines
_OF_PYTORCH: tuple[tuple[str, str], ...] = (
    (r"Expected all tensors to be on the same device",
     "Move the one that was left behind: x = x.to(device), or model.to(device) before the "
     "optimizer is made."),
    (r"mat1 and mat2 shapes cannot be multiplied|size mismatch, got",
     "The last dimension of the first has to be the first one of the second: for a linear layer, "
     "in_features has to be the size of what it is given."),
    (r"must match the size of tensor b .* at non-singleton dimension",
     "Sizes are compared from the last dimension on; each pair has to be equal, or one of them 1."),
    (r"view size is not compatible", "reshape() copies where view() cannot; or call "
     ".contiguous() after the transpose or slice that reordered it."),
    (r"Can't call numpy\(\) on Tensor that requires grad",
     "What is computed from the array gets no gradient. If that is meant, write "
     ".detach().numpy(); if not, stay with torch functions."),
    (r"Target -?\d+ is out of bounds", "Classes are counted from 0 to the number of columns of the "
     "input less one."),
    (r"out of memory|can't allocate memory",
     "inspect.memory(loss) says which lines keep how much for backward; a list of losses, or a sum "
     "of them, keeps the graphs of all steps."),
)  # fmt: skip


def remedy_of(sentence: str, torch: bool = False) -> str:
    """Return what to do about an error as a line of its own; empty where that is not known.

    Args:
        sentence: What the error says.
        torch: Whether it is one of PyTorch's.
    """
    known = (*_REMEDIES, *_OF_PYTORCH) if torch else _REMEDIES
    remedy = next((each for pattern, each in known if re.search(pattern, sentence)), None)
    if remedy is None:
        return ""
    return f"\n  {remedy}{_wide_variable() if remedy is _DTYPES else ''}"


def _wide_variable() -> str:
    """Return which variable on the lines that are running is float64, and the line that made it."""
    for frame in outward(sys._getframe(1)):
        if not library_files[frame.f_code.co_filename]:
            site = Site(frame.f_code, frame.f_lasti)
            values = {**frame.f_globals, **locals_of(frame)}
            parts = () if site.statement is None else ast.walk(site.statement)
            for name in [each.id for each in parts if isinstance(each, ast.Name)]:
                is_wide = "float64" in str(getattr(values.get(name), "dtype", ""))
                made = assignment(site, name) if is_wide else None
                if made is not None:
                    return f" {made.text} at {made} is float64."
    return ""
