"""How modules convert their parameters: ``torch.__future__``."""

from __future__ import annotations

from pellucid.nn.modules.conversion import conversion

__all__ = [
    "get_overwrite_module_params_on_conversion", "get_swap_module_params_on_conversion",
    "set_overwrite_module_params_on_conversion", "set_swap_module_params_on_conversion",
]  # fmt: skip


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether ``module.to`` and similar methods replace parameters by new ones.

    Args:
        value: Whether they do; else a parameter stays the object that it is.

    >>> torch.__future__.set_overwrite_module_params_on_conversion(False)
    """
    conversion.makes_new_parameters = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Return whether ``module.to`` and similar methods make new parameters.

    >>> torch.__future__.get_overwrite_module_params_on_conversion()
    False
    """
    return conversion.makes_new_parameters


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set whether ``module.to`` and ``load_state_dict`` exchange the contents of parameters.

    Then a parameter stays the object that it is, on the device ``meta`` and with ``assign=True``
    too. What is loaded is what the parameter's method ``module_load`` returns.

    Args:
        value: Whether they do.

    >>> torch.__future__.set_swap_module_params_on_conversion(False)
    """
    conversion.swaps = value


def get_swap_module_params_on_conversion() -> bool:
    """Return what `set_swap_module_params_on_conversion` has set.

    >>> torch.__future__.get_swap_module_params_on_conversion()
    False
    """
    return conversion.swaps
