"""Trained weights, which are not here."""

from __future__ import annotations

from typing import Any

from pellucid.errors import UnimplementedError


def refuse_weights(name: str, weights: Any, pretrained: bool) -> None:
    """Raise NotImplementedError if a program asks for a trained network."""
    if weights is not None or pretrained:
        raise UnimplementedError(
            f"{name} comes without trained weights: pellucid never downloads. Make the network "
            f"with weights=None, and load a file of weights that you have with "
            "load_state_dict(torch.load(path)); the names of the parameters are torchvision's."
        )
