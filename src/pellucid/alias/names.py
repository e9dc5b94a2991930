"""Which module of pellucid stands for which of PyTorch's, where their names do not say so."""

from __future__ import annotations

from pellucid.compat.torch_version import TorchVersion

#: the release of PyTorch that pellucid follows, as far as programs ask for it
VERSION_OF_TORCH = TorchVersion("2.13.0+pellucid")

#: packages that are stood in for, and by what
ROOTS = {
    "torch": "pellucid", "torchvision": "pellucid.vision",
    "functorch": "pellucid.compat.functorch",
}  # fmt: skip

#: modules that have another place here than their name says
ELSEWHERE = {
    "torch._tensor": "pellucid.tensors.tensor",
    # old programs take the names of types from there
    "torch.jit.annotations": "typing",
    "torch.autograd.grad_mode": "pellucid.autograd.modes",
    "torch.autograd.gradcheck": "pellucid.testing.gradcheck",
    "torch.nn.utils.spectral_norm": "pellucid.nn.utils.spectral_norm",
    "torch.nn.utils.weight_norm": "pellucid.nn.utils.weight_norm",
    "torch.utils._pytree": "pellucid.func.pytree",
    "torch._C._functorch": "pellucid.compat._functorch",
    "torch._functorch.vmap": "pellucid.compat._functorch",
    **{
        f"torch._higher_order_ops{name}": "pellucid.func.control_flow"
        for name in ("", ".associative_scan", ".cond", ".map", ".scan", ".while_loop")
    },
    "functorch.experimental.control_flow": "pellucid.func.control_flow",
    # their names before they were public
    "torch.distributed._tensor": "pellucid.distributed.tensor",
    "torch.distributed._tensor.experimental": "pellucid.distributed.tensor.experimental",
    "torch.distributed._composable": "pellucid.distributed",
    "torch.distributed._composable.fsdp": "pellucid.distributed.fsdp",
    # the files of PyTorch in which these are defined
    "torch.distributed.fsdp._fully_shard": "pellucid.distributed.fsdp",
    "torch.distributed.checkpoint.state_dict_saver": "pellucid.distributed.checkpoint",
    "torch.distributed.checkpoint.state_dict_loader": "pellucid.distributed.checkpoint",
    "torch.distributed.checkpoint.stateful": "pellucid.distributed.checkpoint",
    "torch.distributed.checkpoint.api": "pellucid.distributed.checkpoint",
    "torch.distributed.tensor.device_mesh": "pellucid.distributed.device_mesh",
    "torch.distributed.tensor.parallel.style": "pellucid.distributed.tensor.parallel",
    "torch.distributed.tensor.parallel.api": "pellucid.distributed.tensor.parallel",
    "torch.distributed.launch": "pellucid.distributed.run",
}

#: modules that have the names of functions: the import system would put them in their place
NAMED_AS_FUNCTIONS = (
    "torch.autograd.gradcheck", "torch.nn.utils.spectral_norm", "torch.nn.utils.weight_norm",
    *(name for name in ELSEWHERE if name.startswith("torch._higher_order_ops.")),
)  # fmt: skip

#: names that are spelt otherwise here: module and name
RENAMED = {
    "torch.distributions.utils._standard_normal": (
        "pellucid.distributions.utils", "standard_normal",
    ),
    "torch.distributions.utils._sum_rightmost": ("pellucid.distributions.utils", "sum_rightmost"),
    "torch.distributions.transforms._InverseTransform": (
        "pellucid.distributions._transform", "_InverseTransform",
    ),
    "torch._segment_reduce": ("pellucid", "segment_reduce"),
    "torch.nn.functional.grad": ("pellucid.nn", "grad"),
    "torch.GradScaler": ("pellucid.amp", "GradScaler"),
    "torch.nn.utils.stateless._functional_call": (
        "pellucid.nn.utils.stateless", "functional_call",
    ),
    "torch.serialization.MAP_LOCATION": ("typing", "Any"),
    "torch.nn.modules.module._IncompatibleKeys": ("pellucid.nn.modules.state", "IncompatibleKeys"),
}  # fmt: skip


def name_for_programs(home: str) -> str:
    """Return the name that a module of pellucid has in programs written for PyTorch."""
    for elsewhere, module in ELSEWHERE.items():
        # modules of torch.distributed have their own names, too
        if module == home and not elsewhere.startswith("torch.distributed."):
            return elsewhere
    home = home.replace("pellucid.compat.", "pellucid.", 1)
    if f"{home}.".startswith(f"{ROOTS['torchvision']}."):
        return "torchvision" + home.removeprefix(ROOTS["torchvision"])
    return "torch" + home.removeprefix(ROOTS["torch"])
