"""Transforms that apply other transforms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pellucid.errors import ArgumentTypeError
from pellucid.nn.modules.module import Module
from pellucid.random import rand, randint


class Compose:
    """Transforms applied one after the other.

    >>> Compose([abs, str])(-1)
    '1'
    """

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self) -> str:
        return _listed("Compose", [], self.transforms)


class Lambda:
    """A transform given by a function."""

    def __init__(self, lambd: Callable[[Any], Any]) -> None:
        if not callable(lambd):
            raise ArgumentTypeError(
                f"Argument lambd should be callable, got {type(lambd).__name__!r}"
            )
        self.lambd = lambd

    def __call__(self, img: Any) -> Any:
        return self.lambd(img)

    def __repr__(self) -> str:
        return "Lambda()"


class RandomApply(Module):
    """Transforms applied all together, or not at all, at random."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]], p: float = 0.5) -> None:
        super().__init__()
        self.transforms = transforms
        self.p = p

    def forward(self, img: Any) -> Any:
        if self.p < rand(1):
            return img
        return Compose(self.transforms)(img)

    def __repr__(self) -> str:
        return _listed("RandomApply", [f"    p={self.p}"], self.transforms)


class RandomChoice:
    """A transform chosen at random from several."""

    def __init__(self, transforms: Sequence[Callable[[Any], Any]]) -> None:
        self.transforms = transforms

    def __call__(self, img: Any) -> Any:
        return self.transforms[int(randint(len(self.transforms), (1,)))](img)


def _listed(name: str, first: list[str], transforms: Sequence[Any]) -> str:
    lines = [f"{name}(", *first, *(f"    {transform}" for transform in transforms), ")"]
    return "\n".join(lines)
