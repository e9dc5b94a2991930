"""An optimizer whose ranks average their parameters from time to time."""

from __future__ import annotations

import warnings
from typing import Any

from pellucid.distributed.algorithms.model_averaging.averagers import ModelAverager
from pellucid.optim.optimizer import Optimizer


class PostLocalSGDOptimizer(Optimizer):
    """Wrapper of an optimizer that lets a model averager average parameters after each step.

    Args:
        optim: The optimizer of this rank.
        averager: What averages the parameters.
    """

    def __init__(self, optim: Optimizer, averager: ModelAverager) -> None:
        self.optim = optim
        self.param_groups = optim.param_groups
        self.averager = averager

    @property
    def state(self) -> Any:
        """The state of the wrapped optimizer."""
        return self.optim.state

    def __repr__(self) -> str:
        return repr(self.optim)

    def state_dict(self) -> dict[str, Any]:
        """Return the state dict of the wrapped optimizer, and the averager's step."""
        return {**self.optim.state_dict(), "step": self.averager.step}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Load the wrapped optimizer's state, and the averager's step.

        Args:
            state_dict: What `state_dict` has returned.
        """
        self.optim.load_state_dict(state_dict)
        if "step" not in state_dict:
            warnings.warn(
                "Loaded state dict does not contain a step counter for an averager. Setting step "
                "counter to 0.",
                stacklevel=2,
            )
        self.averager.step = state_dict.get("step", 0)

    def step(self) -> None:
        """Step the wrapped optimizer, and average the parameters if it is time to."""
        self.optim.step()
        self.averager.average_parameters(self.param_groups)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Clear the gradients.

        Args:
            set_to_none: Whether they become None instead of zero.
        """
        self.optim.zero_grad(set_to_none=set_to_none)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters to the wrapped optimizer.

        Args:
            param_group: The parameters and their options.
        """
        self.optim.add_param_group(param_group)
