"""What kind of work an op does with samples along a new first dimension, for `vmap`."""

from __future__ import annotations

from enum import Enum, auto


class Batch(Enum):
    """The kinds of ops that batching follows from; see `pellucid.interpreters.vmap`."""

    #: element by element, with broadcasting
    ELEMENTWISE = auto()
    #: on the last dimensions alone, whatever is before them
    LAST_DIMS = auto()
    #: along dimensions that parameters name, counted from the end
    ALONG_DIMS = auto()
    #: a reduction over the named dimensions, or over all that a sample has
    OVER_DIMS = auto()
    #: a reduction over one named dimension, or over all elements of a sample
    OVER_ONE_DIM = auto()
    #: on a region of a sample's memory
    REGION = auto()
    #: refused, as the shape of the result depends on the values
    DYNAMIC_SHAPE = auto()
