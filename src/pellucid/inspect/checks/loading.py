"""A state that was loaded, and has loaded nothing: by its names, or as it is the model's own."""

from __future__ import annotations

from typing import Any

from pellucid.autograd.sites import user_site
from pellucid.inspect.checks.check import Check

KIND = "a state that loaded nothing"
OWN = "a state that is the model's own"


class Loading(Check):
    """A look at what ``load_state_dict`` has left out, and at whose tensors it was given."""

    kinds = (KIND, OWN)

    def loaded(self, module: Any, state: Any, keys: Any, strict: bool) -> None:
        if self.run.steps and _is_own(module, state):
            self._report_own(module)
            return
        missing, unexpected = list(keys.missing_keys), list(keys.unexpected_keys)
        if strict or not missing or len(missing) < len(module.state_dict()):
            return
        name = type(module).__name__
        given = f"the state has {unexpected[0]!r}" if unexpected else "the state is empty"
        self.report(
            KIND, f"none of the {len(missing)} names of {name} was in the state", user_site(),
            f"{name} has {missing[0]!r}, {given}. With strict=False that is not an error, and the "
            "model keeps its random weights.", _remedy(missing, unexpected),
        )  # fmt: skip

    def _report_own(self, module: Any) -> None:
        name = type(module).__name__
        self.report(
            OWN, f"the state that {name} loads has the tensors of {name} itself", user_site(),
            "state_dict() copies nothing: its tensors are the parameters, and what is trained "
            "later changes them as well. So nothing goes back to what it was.",
            "Keep a copy: copy.deepcopy(model.state_dict()), or torch.save it.",
        )  # fmt: skip


def _is_own(module: Any, state: Any) -> bool:
    """Return whether a state has no other tensors than those of the module that loads it."""
    own = {name: each.data_ptr() for name, each in module.named_parameters() if each.numel()}
    return bool(own) and all(
        name in state and hasattr(state[name], "data_ptr") and state[name].data_ptr() == address
        for name, address in own.items()
    )


def _remedy(missing: list[str], unexpected: list[str]) -> str:
    """Return what to do, with the prefix that makes the difference if there is one."""
    for longer, shorter, away in ((unexpected, missing, True), (missing, unexpected, False)):
        for each in longer[:20]:
            match = next((key for key in shorter if each.endswith("." + key)), None)
            if match is not None:
                prefix = each.removesuffix(match)
                if away:
                    renamed = f"{{k.removeprefix({prefix!r}): v for k, v in state.items()}}"
                else:
                    renamed = f"{{{prefix!r} + k: v for k, v in state.items()}}"
                return f"Load {renamed}, and leave strict=False out."
    if any("." not in key for key in unexpected) and len(unexpected) < 8:
        inner = next((key for key in unexpected if "state" in key or "model" in key), None)
        if inner is not None:
            return f"Load state[{inner!r}], which is likely to have the weights."
    return "Leave strict=False out, which shows both lists of names."
