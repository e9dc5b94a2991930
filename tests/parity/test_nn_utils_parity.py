"""Helpers around modules: pruning, fusion, parametrizations, other parameters, hooks, names."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid
import pellucid.nn

torch = pytest.importorskip("torch")

PROGRAMS = {
    "l1": "prune.l1_unstructured(net[0], 'weight', 0.3)",
    "l1 twice": "prune.l1_unstructured(net[0], 'weight', 3); "
    "prune.l1_unstructured(net[0], 'weight', 0.5)",
    "l1 by scores": "prune.l1_unstructured(net[0], 'bias', 2, "
    "importance_scores=1 - net[0].bias.abs())",
    "random": "prune.random_unstructured(net[0], 'weight', 0.4)",
    "random channels": "prune.random_structured(net[0], 'weight', 2, 0)",
    "channels by norm": "prune.ln_structured(net[0], 'weight', 0.5, 2, 0)",
    "channels by maximum": "prune.ln_structured(net[0], 'weight', 1, float('inf'), -1)",
    "channels, then elements": "prune.ln_structured(net[0], 'weight', 1, 1, 0); "
    "prune.l1_unstructured(net[0], 'weight', 4)",
    "elements, then channels": "prune.l1_unstructured(net[0], 'weight', 4); "
    "prune.ln_structured(net[0], 'weight', 2, 1, 0)",
    "identity": "prune.identity(net[2], 'weight')",
    "mask": "prune.custom_from_mask(net[2], 'bias', torch.tensor([0, 1]))",
    "global": "prune.global_unstructured([(net[0], 'weight'), (net[2], 'weight')], "
    "prune.L1Unstructured, amount=0.5)",
    "removed": "prune.l1_unstructured(net[0], 'weight', 0.3); prune.remove(net[0], 'weight')",
    "weight norm": "utils.parametrizations.weight_norm(net[0])",
    "spectral norm": "utils.parametrizations.spectral_norm(net[2])",
    "old weight norm": "utils.weight_norm(net[0], dim=1)",
    "old spectral norm": "utils.spectral_norm(net[2], n_power_iterations=2)",
    "orthogonal": "utils.parametrizations.orthogonal(net[0])",
    "orthogonal by cayley": "utils.parametrizations.orthogonal(net[0], orthogonal_map='cayley')",
    "orthogonal by exponential": "utils.parametrizations.orthogonal(net[2], "
    "'weight', 'matrix_exp')",
    "orthogonal and plain": "utils.parametrizations.orthogonal(net[0], "
    "orthogonal_map='householder', use_trivialization=False)",
    "orthogonal and square": "utils.parametrizations.orthogonal(square)",
    "frozen": "net.requires_grad_(False); net[2].requires_grad_()",
    "data parallel": "net = nn.DataParallel(net)",
}  # fmt: skip


def program(module: Any, text: str) -> tuple[Any, list[Any]]:
    """Run a program on a small network of either library; return it and what it computes."""
    nn = module.nn
    module.manual_seed(0)
    square = nn.Linear(5, 5)
    names = {
        "torch": module, "nn": nn, "utils": nn.utils, "square": square,
        "net": nn.Sequential(nn.Linear(3, 5), square, nn.Linear(5, 2)),
    }  # fmt: skip
    for path in ("prune", "stateless"):
        names[path] = importlib.import_module(f"{nn.__name__}.utils.{path}")
    exec(text, names)
    net = names["net"]
    module.manual_seed(1)
    input = module.tensor(np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32))
    out = net(input)
    (out * out).sum().backward()
    return net, [out.detach(), *(each.grad for each in net.parameters())]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_changed_network_computes_alike(name: str) -> None:
    ours, mine = program(pellucid, PROGRAMS[name])
    theirs, others = program(torch, PROGRAMS[name])
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for key, value in theirs.state_dict().items():
        np.testing.assert_allclose(
            ours.state_dict()[key].numpy(), value.numpy(), 1e-4, 1e-5, err_msg=key
        )
    for one, other in zip(mine, others, strict=True):
        assert (one is None) == (other is None)
        if other is not None:
            np.testing.assert_allclose(one.numpy(), other.numpy(), 1e-3, 1e-4)


FUSIONS = [
    ("Conv2d(2, 3, 2)", "BatchNorm2d(3)", "conv", (2, 2, 4, 4)),
    ("Conv1d(2, 3, 2, bias=False)", "BatchNorm1d(3, affine=False)", "conv", (2, 2, 4)),
    ("ConvTranspose2d(2, 3, 2)", "BatchNorm2d(3)", "conv", (2, 2, 4, 4)),
    ("Linear(2, 3)", "BatchNorm1d(3)", "linear", (4, 2)),
]


@pytest.mark.parametrize(("layer", "norm", "kind", "shape"), FUSIONS)
def test_fused_layers_compute_alike(
    layer: str, norm: str, kind: str, shape: tuple[int, ...]
) -> None:
    results = []
    values = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    for module in (pellucid, torch):
        module.manual_seed(0)
        first, second = (eval(f"nn.{each}", {"nn": module.nn}) for each in (layer, norm))
        second(first(module.tensor(values)))
        first.eval()
        second.eval()
        options = {"transpose": True} if "Transpose" in layer else {}
        fuse = getattr(module.nn.utils, f"fuse_{kind}_bn_eval")
        fused = fuse(first, second, **options)
        results.append((fused.weight.detach(), fused.bias.detach(), fused(module.tensor(values))))
    for mine, other in zip(*results, strict=True):
        np.testing.assert_allclose(mine.detach().numpy(), other.detach().numpy(), 1e-4, 1e-5)


BAD = [
    "prune.l1_unstructured(net[0], 'weight', 100)",
    "prune.l1_unstructured(net[0], 'weight', 1.5)",
    "prune.l1_unstructured(net[0], 'weight', 'all')",
    "prune.ln_structured(net[0], 'bias', 1, 2, 0)",
    "prune.ln_structured(net[0], 'weight', 1, 2, 2)",
    "prune.remove(net[0], 'weight')",
    "prune.l1_unstructured(net[0], 'weight', 1, importance_scores=torch.ones(1))",
    "prune.global_unstructured([(net[0], 'weight')], prune.LnStructured, amount=1, n=2)",
    "utils.fuse_conv_bn_eval(nn.Conv1d(1, 1, 1), nn.BatchNorm1d(1))",
    "utils.fuse_linear_bn_eval(nn.Linear(1, 3).eval(), nn.BatchNorm1d(2).eval())",
    "utils.skip_init(nn.ReLU)",
    "utils.skip_init(int)",
    "utils.parametrizations.orthogonal(net[0], 'bias')",
    "utils.parametrizations.orthogonal(net[0], 'nothing')",
    "utils.parametrizations.orthogonal(net[0], orthogonal_map='svd')",
    "stateless.functional_call(net, {'9.weight': torch.ones(1)}, torch.ones(3))",
    "stateless.functional_call(net, {'0.weight': 3}, torch.ones(3))",
    "stateless.functional_call(net, {'0.bias': torch.ones(5)}, torch.ones(3), strict=True)",
    "stateless.functional_call(nn.Sequential(square, square), {'0.bias': torch.ones(5), "
    "'1.bias': torch.zeros(5)}, torch.ones(5))",
    "nn.FractionalMaxPool2d(2)",
    "nn.FractionalMaxPool2d(2, 2, 0.5)",
    "nn.FractionalMaxPool3d(2, output_ratio=1.5)",
    "nn.FractionalMaxPool3d(0, 2)",
    "nn.CrossMapLRN2d(3)(torch.ones(1, 2, 3))",
    "nn.LinearCrossEntropyLoss(3, 2, weight=torch.ones(3))",
    "nn.LinearCrossEntropyLoss(3, 2, label_smoothing=1.5)",
    "nn.LinearCrossEntropyOptions(batch_chunk_size=0)",
    "nn.LinearCrossEntropyOptions(chunking_method='rows')",
    "nn.LinearCrossEntropyOptions(acc_policy='fast')",
    "nn.LinearCrossEntropyOptions(acc_dtype=torch.int32)",
    "nn.Hardtanh(2, 1)",
    "nn.Sigmoid(1)",
    "nn.Sigmoid(inplace=True)",
    "net * 0",
    "net * 'two'",
    "net.set_submodule('7', nn.ReLU(), strict=True)",
    "net.set_submodule('0.weight', nn.ReLU())",
    "net.set_submodule('0', 3)",
    "net.cuda()",
    "net.xpu()",
    "net.ipu()",
    "net.to_empty(device='cuda')",
    "net[0].register_full_backward_hook(print), net[0].register_backward_hook(print)",
    "net.register_state_dict_post_hook(lambda *args: {}) and net.state_dict()",
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("text", BAD)
def test_bad_use_raises_the_same_class(text: str) -> None:
    expected, found = (error_of(module, text) for module in (torch, pellucid))
    assert expected is not None
    assert isinstance(found, type(expected))


def error_of(module: Any, text: str) -> Exception | None:
    try:
        program(module, text)
    except Exception as error:  # noqa: BLE001 - any class, to be compared
        return error
    return None


PATHS = [
    "nn", "nn.functional", "nn.init", "nn.utils", "nn.utils.rnn", "nn.utils.parametrize",
    "nn.utils.parametrizations", "nn.utils.prune", "nn.utils.stateless", "nn.utils.fusion",
    "nn.parallel", "nn.parameter", "nn.attention.bias", "nn.grad", "nn.common_types",
    *(f"nn.modules.{name}" for name in (
        "activation", "adaptive", "batchnorm", "channelshuffle", "container", "conv", "distance",
        "dropout", "flatten", "fold", "instancenorm", "lazy", "linear",
        "linear_cross_entropy_options", "loss", "module", "normalization", "padding",
        "pixelshuffle", "pooling", "rnn", "sparse", "transformer", "upsampling", "utils",
    )),
]  # fmt: skip

#: names of PyTorch's that make no sense here, and why
LEFT_OUT = {
    "intrinsic": "quantized", "qat": "quantized", "quantizable": "quantized",
    "quantized": "quantized", "scaled_mm": "8-bit floating point, on accelerators",
    "scaled_grouped_mm": "8-bit floating point, on accelerators", "ScalingType": "of scaled_mm",
    "SwizzleType": "of scaled_mm", "grouped_mm": "bfloat16, on accelerators",
    "factory_kwargs": "a helper of PyTorch's own layers",
    "transfer_parametrizations_and_params": "a helper of quantization",
    "UninitializedTensorMixin": "a base class of PyTorch's own",
    "NamedMemberAccessor": "a helper of PyTorch's own",
    "assert_int_or_pair": "a helper of PyTorch's own",
    "boolean_dispatch": "a helper of TorchScript", "ConvT": "a type variable",
    "LinearT": "a type variable", "T_destination": "a type variable",
    "apply_permutation": "an older helper of packed sequences",
    "PackedSequence_": "the tuple behind PackedSequence", "bind": "a helper of PackedSequence",
}  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_module_has_the_names_of_pytorch(path: str) -> None:
    theirs = importlib.import_module(f"torch.{path}")
    ours = importlib.import_module(f"pellucid.{path}")
    missing = [
        name
        for name, value in vars(theirs).items()
        if not name.startswith("_") and not hasattr(ours, name) and name not in LEFT_OUT
        and _belongs(value, theirs)
    ]  # fmt: skip
    assert missing == []


def _belongs(value: Any, theirs: ModuleType) -> bool:
    """Return whether a value is the module's own, and not something that its file has imported."""
    home = getattr(value, "__module__", None) or ""
    here = home.startswith("torch.nn.") if hasattr(theirs, "__path__") else home == theirs.__name__
    return callable(value) and here
