"""Which name a class or function has in PyTorch's files, and what such a name stands for here."""

from __future__ import annotations

import importlib
from typing import Any

from pellucid.interop.errors import UnpicklingError
from pellucid.interop.rebuilding import KNOWN, refuse_what_is_not_here
from pellucid.ops.random.sampling import Generator

#: The files of torch.nn.modules, and the classes whose names files give as living there.
_LAYERS = {
    "activation": "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU "
    "LogSigmoid LogSoftmax Mish MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid "
    "Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold",
    "adaptive": "AdaptiveLogSoftmaxWithLoss",
    "batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d "
    "LazyBatchNorm3d SyncBatchNorm",
    "channelshuffle": "ChannelShuffle",
    "container": "Container ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d "
    "LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
    "distance": "CosineSimilarity PairwiseDistance",
    "dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "flatten": "Flatten Unflatten",
    "fold": "Fold Unfold",
    "instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d "
    "LazyInstanceNorm2d LazyInstanceNorm3d",
    "linear": "Bilinear Identity LazyLinear Linear",
    "loss": "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss "
    "GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss "
    "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d "
    "PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
    "module": "Module",
    "normalization": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d "
    "ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d "
    "ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "pooling": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d "
    "AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d "
    "FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d "
    "MaxUnpool2d MaxUnpool3d",
    "rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "sparse": "Embedding EmbeddingBag",
    "transformer": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
    "TransformerEncoderLayer",
    "upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
}
_FILE_OF_LAYER = {name: file for file, names in _LAYERS.items() for name in names.split()}

#: where modules of PyTorch that functions are said to come from have their counterpart
_COUNTERPARTS = {
    "torch._C": "pellucid",
    "torch._C._nn": "pellucid.nn.functional",
    "torch._tensor": "pellucid.tensors.tensor",
    "torch.nn.functional": "pellucid.nn.functional",
}

_NAME_OF_KNOWN = {id(known.value): name for name, known in KNOWN.items() if name[:5] == "torch"}


def name_in_files(value: Any, name: str | None = None) -> tuple[str, str] | None:
    """Return module and name that stand for a value of pellucid in a file; ``None`` for others."""
    known = _NAME_OF_KNOWN.get(id(value))
    if known is not None:
        module, _, short = known.rpartition(".")
        return module, short
    home = getattr(value, "__module__", None) or ""
    name = name or getattr(value, "__qualname__", None)
    if name is None or home.partition(".")[0] != "pellucid":
        return None
    if home.startswith("pellucid.nn.modules.") and name in _FILE_OF_LAYER:
        return f"torch.nn.modules.{_FILE_OF_LAYER[name]}", name
    if value is Generator:
        return "torch._C", name
    if home.startswith("pellucid.ops."):
        return _public_home(value, name), name
    if home == "pellucid.nn.lazy_tensors":
        return "torch.nn.parameter", name
    if home == "pellucid.nn.activations":
        return "torch.nn.functional", name
    return f"torch{home.removeprefix('pellucid')}", name


def _public_home(function: Any, name: str) -> str:
    """Return where PyTorch has a function that pellucid keeps under ``ops``."""
    functional = importlib.import_module("pellucid.nn.functional")
    if getattr(functional, name, None) is function:
        return "torch.nn.functional"
    return "torch"


def found_here(module: str, name: str) -> Any:
    """Return what a name of PyTorch's stands for; raise UnpicklingError if it is not provided."""
    full_name = f"{module}.{name}"
    refuse_what_is_not_here(full_name)
    if full_name in KNOWN:
        return KNOWN[full_name].value
    if full_name == "torch._C._VariableFunctionsClass":
        # Functions implemented in C++ are described as attributes of this class.
        return importlib.import_module("pellucid")
    for home in _candidates(module):
        found = _attribute(home, name)
        if found is not None:
            return found
    raise UnpicklingError(
        f"Can't get attribute '{name}' on module '{module}': pellucid does not provide {full_name}."
    )


def _candidates(module: str) -> list[str]:
    homes = [_COUNTERPARTS[module]] if module in _COUNTERPARTS else []
    homes.append(f"pellucid{module.removeprefix('torch')}")
    if module.startswith("torch.nn."):
        homes.append("pellucid.nn")
    return homes


def _attribute(home: str, name: str) -> Any:
    try:
        found: Any = importlib.import_module(home)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return None
    return found
