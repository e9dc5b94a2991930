"""Every class of PyTorch's `nn`, in several configurations, over several steps of training."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import pellucid
import pellucid.nn

torch = pytest.importorskip("torch")

STEPS = 3

#: no layers, or not built here; the others must have configurations below
WITHOUT = {
    "Module": "the base of all",
    "Container": "holds what it is given",
    "ModuleDict": "holds what it is given",
    "ModuleList": "holds what it is given",
    "ParameterDict": "holds what it is given",
    "ParameterList": "holds what it is given",
    "RNNBase": "the base of recurrent layers",
    "RNNCellBase": "the base of recurrent cells",
    "SyncBatchNorm": "PyTorch's trains on accelerators only",
    "DataParallel": "wraps a module",
}

#: name: lines of ``arguments | what is called``; ``x`` draws numbers that get gradients, ``i``
#: whole numbers below its first argument, ``u`` numbers between 0 and 1
CONFIGURATIONS: dict[str, list[str]] = {
    "AdaptiveAvgPool1d": ["3 | x(2, 3, 7)", "1 | x(3, 7)"],
    "AdaptiveAvgPool2d": ["(2, 3) | x(1, 2, 7, 5)", "(None, 2) | x(2, 4, 5)", "1 | x(2, 3, 4, 4)"],
    "AdaptiveAvgPool3d": ["(2, None, 1) | x(1, 2, 4, 3, 5)", "2 | x(2, 3, 5, 4)"],
    "AdaptiveLogSoftmaxWithLoss": [
        "3, 9, [1, 4], div_value=2 | x(4, 3), i(9, 4)",
        "3, 4, [3], 1, head_bias=True | x(4, 3), i(4, 4)",
    ],
    "AdaptiveMaxPool1d": ["3 | x(2, 3, 7)", "2, return_indices=True | x(3, 5)"],
    "AdaptiveMaxPool2d": ["(2, 3) | x(1, 2, 7, 5)", "2, True | x(2, 3, 4)"],
    "AdaptiveMaxPool3d": ["2 | x(1, 2, 5, 4, 3)", "(1, 2, None), True | x(2, 4, 3, 2)"],
    "AlphaDropout": ["0.4 | x(4, 5)", "0.2, inplace=True | x(4, 5) * 1"],
    "AvgPool1d": ["2 | x(1, 2, 6)", "3, 2, 1, ceil_mode=True | x(2, 6)"],
    "AvgPool2d": [
        "2, padding=1, count_include_pad=False | x(1, 2, 6, 6)",
        "(2, 3), (1, 2), divisor_override=5 | x(2, 5, 6)",
    ],
    "AvgPool3d": [
        "2, padding=1 | x(1, 2, 4, 4, 4)",
        "(1, 2, 3), 1, ceil_mode=True | x(2, 3, 4, 4)",
    ],
    "BCELoss": ["| u(3, 4), i(2, 3, 4) * 1.0", "reduction='sum' | u(5), i(2, 5) * 1.0"],
    "BCEWithLogitsLoss": ["| x(3, 4), u(3, 4)", "reduction='none' | x(5), u(5)"],
    "BatchNorm1d": [
        "3 | x(4, 3)",
        "3, affine=False, momentum=None | x(4, 3, 2)",
        "3, track_running_stats=False | x(4, 3)",
        "3, bias=False | x(4, 3)",
    ],
    "BatchNorm2d": ["3 | x(2, 3, 4, 4)", "2, 0.1, 0.5 | x(3, 2, 2, 3)"],
    "BatchNorm3d": ["2 | x(2, 2, 3, 2, 2)", "2, affine=False | x(2, 2, 1, 2, 3)"],
    "Bilinear": ["2, 3, 4 | x(5, 2), x(5, 3)", "2, 3, 1, bias=False | x(2), x(3)"],
    "CELU": ["0.5 | x(2, 3)", "2.0, True | x(2, 3) * 1"],
    "CTCLoss": [
        "| x(6, 2, 4).log_softmax(2), i(3, 2, 3) + 1, (6, 5), (3, 2)",
        "1, 'sum', True | x(5, 3).log_softmax(1), i(1, 2) * 2, (5,), (2,)",
    ],
    "ChannelShuffle": ["2 | x(1, 6, 3)", "3 | x(2, 6, 2, 2)"],
    "CircularPad1d": ["2 | x(2, 3, 4)", "(1, 0) | x(3, 4)"],
    "CircularPad2d": ["(1, 2, 1, 0) | x(1, 2, 3, 4)", "1 | x(2, 3, 4)"],
    "CircularPad3d": ["1 | x(1, 2, 2, 3, 2)", "(1, 0, 2, 1, 0, 1) | x(2, 2, 3, 2)"],
    "ConstantPad1d": ["(1, 2), 3.0 | x(2, 3, 4)", "-1, 0 | x(3, 4)"],
    "ConstantPad2d": ["2, 1.5 | x(2, 3, 4)", "(0, 1, -1, 2), 0 | x(1, 2, 3, 4)"],
    "ConstantPad3d": ["1, -1.0 | x(1, 1, 2, 2, 2)", "(1, 0, 0, 1, 1, 1), 2 | x(1, 2, 2, 2)"],
    "Conv1d": [
        "2, 4, 3, padding=1 | x(2, 2, 6)",
        "2, 4, 3, padding='same', padding_mode='circular' | x(2, 6)",
        "4, 4, 2, 2, groups=4, bias=False | x(1, 4, 6)",
    ],
    "Conv2d": [
        "2, 4, 3 | x(2, 2, 6, 5)",
        "4, 4, (3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2), groups=2 | x(1, 4, 6, 7)",
        "2, 3, 3, padding=1, padding_mode='reflect', bias=False | x(2, 5, 5)",
        "2, 3, 2, padding='same', padding_mode='replicate' | x(1, 2, 4, 4)",
    ],
    "Conv3d": [
        "1, 2, 2 | x(1, 1, 3, 3, 4)",
        "2, 2, (1, 2, 3), padding=1, groups=2 | x(2, 3, 3, 3)",
    ],
    "ConvTranspose1d": [
        "2, 3, 3, stride=2, output_padding=1 | x(1, 2, 4)",
        "2, 2, 2, bias=False | x(2, 3)",
    ],
    "ConvTranspose2d": [
        "2, 4, 2, stride=2, groups=2 | x(1, 2, 3, 3)",
        "2, 3, 3, 2, 1, output_padding=1, dilation=2 | x(2, 3, 4)",
    ],
    "ConvTranspose3d": [
        "1, 2, 2 | x(1, 1, 2, 2, 2)",
        "2, 1, (1, 2, 2), 2, bias=False | x(2, 2, 2, 2)",
    ],
    "CosineEmbeddingLoss": ["0.1 | x(4, 3), x(4, 3), i(2, 4) * 2 - 1", "| x(3), x(3), i(1) + 1"],
    "CosineSimilarity": ["| x(4, 3), x(4, 3)", "0, 0.1 | x(4, 3), x(4, 1)"],
    "CrossEntropyLoss": [
        "| x(4, 3), i(3, 4)",
        "label_smoothing=0.1, ignore_index=1 | x(4, 3, 2), i(3, 4, 2)",
        "weight=torch.tensor([1.0, 2.0, 0.5]), reduction='sum' | x(4, 3), u(4, 3)",
    ],
    "CrossMapLRN2d": ["3 | x(2, 3, 2, 2)", "5, 0.5, 0.3, 2 | x(1, 4, 2, 3)"],
    "Dropout": ["0.3 | x(20)", "0.5, True | x(4, 5) * 1"],
    "Dropout1d": ["0.3 | x(4, 5, 3)", "0.5 | x(6, 3)"],
    "Dropout2d": ["0.3 | x(4, 5, 3, 2)", "0.6 | x(4, 5, 3, 2)"],
    "Dropout3d": ["0.4 | x(2, 5, 2, 2, 2)", "0.5 | x(5, 2, 2, 2)"],
    "ELU": ["0.5 | x(2, 3)", "1.5, True | x(2, 3) * 1"],
    "Embedding": [
        "5, 3 | i(5, 4)",
        "5, 3, padding_idx=0, scale_grad_by_freq=True | i(5, 2, 4)",
        "5, 3, max_norm=0.5 | i(5, 4)",
    ],
    "EmbeddingBag": [
        "5, 3 | i(5, 4, 2)",
        "5, 3, mode='sum' | i(5, 6), i(1, 2), u(6)",
        "5, 3, mode='max', padding_idx=1 | i(5, 6), i(1, 1)",
        "5, 3, mode='sum', include_last_offset=True | i(5, 6), torch.tensor([0, 2, 2, 6])",
        "5, 3, max_norm=0.7 | i(5, 3, 2)",
    ],
    "FeatureAlphaDropout": ["0.4 | x(2, 5, 3)", "0.2 | x(2, 5, 2, 2)"],
    "Flatten": ["| x(2, 3, 4)", "0, 1 | x(2, 3, 4)"],
    "Fold": ["(4, 5), (2, 3), padding=1, stride=2 | x(1, 6, 9)", "3, 2, dilation=2 | x(4, 1)"],
    "FractionalMaxPool2d": [
        "2, output_size=3 | x(2, 3, 7, 6)",
        "(3, 2), output_ratio=(0.5, 0.6) | x(3, 8, 9)",
    ],
    "FractionalMaxPool3d": [
        "2, output_size=(2, 3, 1) | x(1, 2, 5, 6, 4)",
        "2, output_ratio=0.5 | x(2, 6, 6, 6)",
    ],
    "GELU": ["| x(2, 3)", "'tanh' | x(2, 3)"],
    "GLU": ["| x(2, 4)", "0 | x(4, 3)"],
    "GRU": [
        "3, 4 | x(5, 2, 3)",
        "3, 4, 2, bidirectional=True, dropout=0.5 | x(5, 2, 3)",
        "3, 4, bias=False, batch_first=True | x(2, 5, 3), x(1, 2, 4)",
    ],
    "GRUCell": ["3, 4 | x(2, 3)", "3, 4, bias=False | x(3), x(4)"],
    "GaussianNLLLoss": [
        "| x(4, 3), x(4, 3), u(4, 3)",
        "full=True, reduction='sum' | x(3), x(3), u(1)",
    ],
    "GroupNorm": ["2, 4 | x(2, 4, 3)", "1, 3, 0.1, affine=False | x(2, 3, 2, 2)"],
    "Hardshrink": ["0.3 | x(2, 3)", "| x(4)"],
    "Hardsigmoid": ["| x(2, 3) * 3", "True | x(4) * 3"],
    "Hardswish": ["| x(2, 3) * 3", "True | x(4) * 3"],
    "Hardtanh": ["-0.5, 0.5 | x(2, 3)", "inplace=True | x(4) * 2"],
    "HingeEmbeddingLoss": [
        "0.5 | x(4), i(2, 4) * 2 - 1",
        "reduction='none' | x(4), i(2, 4) * 2 - 1",
    ],
    "HuberLoss": ["delta=0.5 | x(4), x(4)", "'sum' | x(4, 2), x(4, 2)"],
    "Identity": ["| x(2, 3)", "54, unused=0.1 | x(2)"],
    "InstanceNorm1d": ["3 | x(2, 3, 5)", "3, affine=True | x(3, 5)"],
    "InstanceNorm2d": [
        "3, affine=True, track_running_stats=True | x(2, 3, 4, 4)",
        "2 | x(2, 3, 3)",
    ],
    "InstanceNorm3d": ["2 | x(1, 2, 3, 3, 3)", "2, 0.1, 0.3, True, True | x(2, 2, 2, 2, 2)"],
    "KLDivLoss": [
        "reduction='batchmean' | x(4, 3), u(4, 3)",
        "log_target=True, reduction='sum' | x(3), x(3)",
    ],
    "L1Loss": ["reduction='sum' | x(4, 3), x(4, 3)", "| x(4), x(4)"],
    "LPPool1d": ["2, 3 | x(1, 2, 7)", "1.5, 2, 1, ceil_mode=True | u(2, 7)"],
    "LPPool2d": ["2, (2, 3), stride=1, ceil_mode=True | x(1, 2, 5, 6)", "3, 2 | u(2, 4, 4)"],
    "LPPool3d": ["2, 2 | x(1, 2, 4, 4, 4)", "1, (1, 2, 2), 1 | u(2, 2, 3, 3)"],
    "LSTM": [
        "3, 4 | x(5, 2, 3)",
        "3, 4, 2, bidirectional=True, proj_size=2 | x(5, 2, 3)",
        "3, 4, 3, dropout=0.5, batch_first=True | x(2, 5, 3), (x(3, 2, 4), x(3, 2, 4))",
    ],
    "LSTMCell": ["3, 4 | x(2, 3)", "3, 4, bias=False | x(3), (x(4), x(4))"],
    "LayerNorm": ["(3, 4) | x(2, 3, 4)", "4, bias=False | x(2, 3, 4)", "4, 0.1, False | x(4)"],
    "LazyBatchNorm1d": ["| x(4, 3)", "affine=False | x(4, 3, 2)"],
    "LazyBatchNorm2d": ["affine=False | x(2, 3, 3, 3)", "0.1, None | x(2, 3, 3, 3)"],
    "LazyBatchNorm3d": ["track_running_stats=False | x(2, 2, 3, 3, 3)", "| x(2, 2, 2, 2, 2)"],
    "LazyConv1d": ["4, 2 | x(1, 3, 5)", "4, 2, padding=1, bias=False | x(3, 5)"],
    "LazyConv2d": ["4, 2, bias=False, groups=2 | x(1, 2, 5, 4)", "3, (2, 1), 2 | x(2, 5, 4)"],
    "LazyConv3d": ["2, 2 | x(1, 1, 3, 3, 3)", "2, 1, dilation=2 | x(2, 2, 2, 2)"],
    "LazyConvTranspose1d": ["4, 2 | x(1, 3, 5)", "4, 2, 2, bias=False | x(3, 5)"],
    "LazyConvTranspose2d": ["4, 2, stride=2 | x(1, 2, 3, 3)", "2, 3, padding=1 | x(2, 3, 3)"],
    "LazyConvTranspose3d": ["2, 2 | x(1, 1, 2, 2, 2)", "2, 2, bias=False | x(1, 2, 2, 2)"],
    "LazyInstanceNorm1d": ["| x(2, 3, 5)", "affine=True, track_running_stats=True | x(2, 3, 5)"],
    "LazyInstanceNorm2d": ["affine=False | x(2, 3, 4, 4)", "affine=True | x(2, 3, 4, 4)"],
    "LazyInstanceNorm3d": ["| x(1, 2, 3, 3, 3)", "track_running_stats=True | x(1, 2, 3, 3, 3)"],
    "LazyLinear": ["4 | x(2, 3)", "4, bias=False | x(2, 2, 3)"],
    "LeakyReLU": ["0.2 | x(2, 3)", "inplace=True | x(4) * 1"],
    "Linear": ["3, 4 | x(2, 3)", "3, 4, bias=False | x(3)", "3, 2 | x(2, 2, 3)"],
    "LinearCrossEntropyLoss": [
        "3, 5 | x(4, 3), i(5, 4)",
        "3, 5, bias=True, reduction='none', ignore_index=2, "
        "options=torch.nn.LinearCrossEntropyOptions(batch_chunk_size=2) | x(5, 3), i(5, 5)",
        "3, 4, out_features=(2,), bias=True, label_smoothing=0.1 | x(5, 3), i(4, 5, 2)",
    ],
    "LocalResponseNorm": ["3 | x(2, 5, 3)", "2, 0.5, 0.3, 2 | x(2, 5, 2, 2)"],
    "LogSigmoid": ["| x(2, 3)", "| x(4) * 20"],
    "LogSoftmax": ["0 | x(2, 3)", "-1 | x(2, 3, 4)"],
    "MSELoss": ["| x(4, 3), x(4, 3)", "reduction='none' | x(4), x(4)"],
    "MarginRankingLoss": [
        "0.2 | x(4), x(4), i(2, 4) * 2 - 1",
        "reduction='sum' | x(4), x(4), i(2, 4) * 2 - 1",
    ],
    "MaxPool1d": ["2 | x(1, 2, 6)", "3, 2, 1, 2, ceil_mode=True, return_indices=True | x(2, 8)"],
    "MaxPool2d": ["3, stride=2, padding=1 | x(1, 2, 7, 7)", "(2, 3), ceil_mode=True | x(2, 7, 7)"],
    "MaxPool3d": ["2 | x(1, 2, 4, 4, 4)", "(1, 2, 3), 1, return_indices=True | x(2, 3, 4, 4)"],
    "MaxUnpool1d": [
        "2 | x(1, 2, 3), torch.tensor([[[0, 3, 4], [1, 2, 5]]])",
        "2, 3 | x(1, 2), torch.tensor([[1, 3]])",
    ],
    "MaxUnpool2d": [
        "2 | x(1, 1, 1, 2), torch.tensor([[[[5, 2]]]])",
        "2 | x(1, 1, 1), torch.tensor([[[3]]]), [1, 1, 3, 3]",
    ],
    "MaxUnpool3d": [
        "2 | x(1, 1, 1, 1, 1), torch.tensor([[[[[5]]]]])",
        "1, 2 | x(1, 1, 1, 1), torch.tensor([[[[0]]]])",
    ],
    "Mish": ["| x(2, 3)", "True | x(4) * 1"],
    "MultiLabelMarginLoss": [
        "| x(2, 3), torch.tensor([[2, 0, -1], [1, -1, 0]])",
        "reduction='none' | x(3), torch.tensor([1, -1, 0])",
    ],
    "MultiLabelSoftMarginLoss": [
        "| x(4, 3), i(2, 4, 3) * 1.0",
        "torch.ones(3) * 2, reduction='none' | x(4, 3), u(4, 3)",
    ],
    "MultiMarginLoss": [
        "p=2 | x(4, 3), i(3, 4)",
        "1, 0.5, torch.tensor([1.0, 2, 3]), reduction='sum' | x(4, 3), i(3, 4)",
    ],
    "MultiheadAttention": [
        "8, 2 | x(5, 2, 8), x(4, 2, 8), x(4, 2, 8)",
        "8, 4, dropout=0.5, bias=False, batch_first=True | *[x(2, 5, 8)] * 3, None, False",
        "8, 2, kdim=3, vdim=6, add_bias_kv=True, add_zero_attn=True | x(5, 8), x(4, 3), x(4, 6)",
    ],
    "NLLLoss": [
        "| x(4, 3), i(3, 4)",
        "torch.tensor([1.0, 2, 3]), ignore_index=0 | x(4, 3, 2), i(3, 4, 2)",
    ],
    "NLLLoss2d": [
        "| x(2, 3, 2, 2), i(3, 2, 2, 2)",
        "reduction='sum' | x(2, 3, 2, 2), i(3, 2, 2, 2)",
    ],
    "PReLU": ["| x(2, 3)", "3, init=0.1 | x(2, 3, 4)"],
    "PairwiseDistance": ["p=1, keepdim=True | x(4, 3), x(4, 3)", "| x(3), x(4, 3)"],
    "PixelShuffle": ["2 | x(1, 8, 2, 3)", "3 | x(9, 2, 2)"],
    "PixelUnshuffle": ["2 | x(1, 2, 4, 6)", "3 | x(1, 3, 3)"],
    "PoissonNLLLoss": [
        "full=True | x(4), i(5, 4) * 1.0",
        "False, reduction='sum' | u(4) + 1, i(5, 4) * 1.0",
    ],
    "RMSNorm": ["4 | x(2, 3, 4)", "(3, 4), eps=0.1, elementwise_affine=False | x(2, 3, 4)"],
    "RNN": [
        "3, 4 | x(5, 2, 3)",
        "3, 4, 2, 'relu', bidirectional=True, batch_first=True | x(2, 5, 3)",
    ],
    "RNNCell": ["3, 4, nonlinearity='relu' | x(2, 3)", "3, 4, bias=False | x(3), x(4)"],
    "RReLU": ["| x(4, 5)", "0.1, 0.9, True | x(4) * 1"],
    "ReLU": ["| x(2, 3)", "inplace=True | x(2, 3) * 1"],
    "ReLU6": ["| x(2, 3) * 5", "True | x(4) * 5"],
    "ReflectionPad1d": ["2 | x(2, 3, 4)", "(1, 0) | x(3, 4)"],
    "ReflectionPad2d": ["(1, 2, 0, 1) | x(1, 2, 3, 4)", "1 | x(2, 3, 4)"],
    "ReflectionPad3d": ["1 | x(1, 2, 2, 3, 2)", "(1, 0, 0, 2, 1, 1) | x(2, 2, 3, 2)"],
    "ReplicationPad1d": ["2 | x(2, 3, 4)", "(1, 3) | x(3, 4)"],
    "ReplicationPad2d": ["2 | x(1, 2, 3, 4)", "(0, 1, 2, 1) | x(2, 3, 4)"],
    "ReplicationPad3d": ["1 | x(1, 1, 2, 3, 2)", "(1, 0, 0, 2, 1, 1) | x(2, 2, 3, 2)"],
    "SELU": ["| x(2, 3)", "True | x(4) * 1"],
    "Sequential": ["nn.Linear(3, 4), nn.Tanh(), nn.BatchNorm1d(4) | x(5, 3)", "| x(2)"],
    "SiLU": ["| x(2, 3)", "True | x(4) * 1"],
    "Sigmoid": ["| x(2, 3)", "| x()"],
    "SmoothL1Loss": ["beta=0.5 | x(4), x(4)", "reduction='sum' | x(4, 2), x(4, 2)"],
    "SoftMarginLoss": ["| x(4), i(2, 4) * 2 - 1", "reduction='none' | x(4, 2), i(2, 4, 2) * 2 - 1"],
    "Softmax": ["1 | x(2, 3)", "-2 | x(2, 3, 4)"],
    "Softmax2d": ["| x(2, 3, 2, 2)", "| x(3, 2, 2)"],
    "Softmin": ["1 | x(2, 3)", "0 | x(2, 3)"],
    "Softplus": ["2.0 | x(2, 3)", "1, 0.5 | x(4)"],
    "Softshrink": ["0.3 | x(2, 3)", "| x(4)"],
    "Softsign": ["| x(2, 3)", "| x()"],
    "Tanh": ["| x(2, 3)", "| x()"],
    "Tanhshrink": ["| x(2, 3)", "| x()"],
    "Threshold": ["0.1, 2 | x(2, 3)", "-0.5, 1, True | x(4) * 1"],
    "Transformer": [
        "8, 2, 1, 2, 16 | x(5, 2, 8), x(3, 2, 8)",
        "8, 2, 1, 1, 16, norm_first=True, bias=False, batch_first=True, activation='gelu' | "
        "x(2, 4, 8), x(2, 3, 8)",
    ],
    "TransformerDecoder": [
        "nn.TransformerDecoderLayer(8, 4, 16), 2 | x(3, 2, 8), x(5, 2, 8)",
        "nn.TransformerDecoderLayer(8, 4, 16, 0.0), 1, nn.LayerNorm(8) | x(3, 8), x(5, 8)",
    ],
    "TransformerDecoderLayer": [
        "8, 2, 16 | x(5, 2, 8), x(4, 2, 8)",
        "8, 2, 16, 0.3, nn.GELU() | x(5, 8), x(4, 8)",
    ],
    "TransformerEncoder": [
        "nn.TransformerEncoderLayer(8, 2, 16), 2 | x(5, 2, 8)",
        "nn.TransformerEncoderLayer(8, 2, 16, 0.0, norm_first=True), 1, nn.LayerNorm(8) | x(5, 8)",
    ],
    "TransformerEncoderLayer": [
        "8, 2, 16 | x(5, 2, 8)",
        "8, 2, 16, 0.0, bias=False, batch_first=True | x(2, 5, 8)",
    ],
    "TripletMarginLoss": [
        "swap=True, p=1.5 | x(4, 3), x(4, 3), x(4, 3)",
        "0.5, reduction='sum' | x(3), x(3), x(3)",
    ],
    "TripletMarginWithDistanceLoss": [
        "| x(4, 3), x(4, 3), x(4, 3)",
        "distance_function=nn.CosineSimilarity(), margin=0.3 | x(4, 3), x(4, 3), x(4, 3)",
    ],
    "Unflatten": ["1, (2, 3) | x(2, 6)", "-1, (3, -1) | x(6)"],
    "Unfold": ["(2, 3), dilation=1, padding=1 | x(1, 2, 4, 5)", "2, stride=2 | x(2, 4, 4)"],
    "Upsample": [
        "scale_factor=2 | x(1, 2, 3, 4)",
        "size=5, mode='linear', align_corners=True | x(1, 2, 3)",
        "scale_factor=(2.0, 1.5), mode='bilinear' | x(1, 2, 4, 4)",
        "size=(5, 7), mode='bicubic' | x(1, 2, 4, 4)",
        "None, 1.7, 'trilinear', False, True | x(1, 1, 3, 2, 4)",
    ],
    "UpsamplingBilinear2d": ["scale_factor=2 | x(1, 2, 3, 4)", "(4, 2) | x(1, 1, 3, 3)"],
    "UpsamplingNearest2d": ["size=(4, 6) | x(1, 2, 3, 4)", "None, 1.5 | x(1, 1, 3, 3)"],
    "ZeroPad1d": ["1 | x(2, 3, 4)", "(2, -1) | x(3, 4)"],
    "ZeroPad2d": ["(1, 0, 2, -1) | x(1, 2, 3, 4)", "1 | x(2, 3, 4)"],
    "ZeroPad3d": ["1 | x(1, 1, 2, 2, 2)", "(1, 0, 0, 2, 1, 1) | x(2, 2, 3, 2)"],
}

#: gradients that are not those of the outputs in PyTorch (finite differences tell), and why
WRONG_GRADIENTS = {"CrossMapLRN2d": "sums over the channels before, not over those around"}

CASES = [(name, line) for name, lines in CONFIGURATIONS.items() for line in lines]
#: taken together from a number of arguments in PyTorch, written out here
OTHER_SIGNATURES = {"LSTM", "GRU", "RNN", "NLLLoss2d"}


def layers() -> list[str]:
    """Return the names of all classes of layers in PyTorch's `nn`."""
    return [
        name
        for name, value in vars(torch.nn).items()
        if inspect.isclass(value) and issubclass(value, torch.nn.Module) and name not in WITHOUT
    ]


def test_every_class_of_pytorch_is_there_and_has_configurations() -> None:
    missing = [name for name in layers() if not hasattr(pellucid.nn, name)]
    untested = [name for name in layers() if len(CONFIGURATIONS.get(name, ())) < 2]
    assert (missing, untested) == ([], [])


@pytest.mark.parametrize("name", sorted(set(CONFIGURATIONS) - OTHER_SIGNATURES))
def test_constructor_takes_the_same_arguments(name: str) -> None:
    ours, theirs = (_arguments(getattr(module.nn, name)) for module in (pellucid, torch))
    if theirs == ["args", "kwargs"]:  # a layer that takes none, and says so when it is given some
        assert ours in ([], theirs)
    else:
        assert ours == theirs


def _arguments(cls: Any) -> list[str]:
    return list(inspect.signature(cls).parameters)


class Run:
    """One library's run of a configuration: what it computed at each step."""

    def __init__(self, module: Any, name: str, line: str) -> None:
        arguments, called = line.split("|", 1)
        self.module = module
        self.random = np.random.default_rng([ord(letter) for letter in name + line])
        self.leaves: list[Any] = []
        self.seen: list[tuple[str, Any]] = []
        names: dict[str, Any] = {"torch": module, "nn": module.nn}
        module.manual_seed(0)
        self.net = eval(f"nn.{name}({arguments})", names)
        names |= {"net": self.net, "x": self.normal, "i": self.whole, "u": self.positive}
        for step in range(STEPS):
            self.leaves.clear()
            self.step(step, lambda: eval(f"net({called})", names))
        self.seen += [(f"state {key}", each) for key, each in self.net.state_dict().items()]

    def _leaf(self, values: np.ndarray) -> Any:
        leaf = self.module.tensor(values.astype(np.float32), requires_grad=True)
        self.leaves.append(leaf)
        return leaf

    def normal(self, *shape: int) -> Any:
        return self._leaf(np.asarray(self.random.standard_normal(shape)))

    def positive(self, *shape: int) -> Any:
        return self._leaf(self.random.uniform(0.1, 0.9, shape))

    def whole(self, high: int, *shape: int) -> Any:
        return self.module.tensor(self.random.integers(high, size=shape))

    def step(self, number: int, call: Callable[[], Any]) -> None:
        outputs = [each for each in _tensors(call()) if each.dtype.is_floating_point]
        loss = sum((each * each).sum() + each.sum() for each in outputs)
        self.net.zero_grad()
        loss.backward()
        self.seen += [(f"output {number}", each.detach()) for each in outputs]
        self.seen += [(f"input gradient {number}", each.grad) for each in self.leaves]
        with self.module.no_grad():
            for key, parameter in self.net.named_parameters():
                self.seen.append((f"gradient of {key} {number}", parameter.grad))
                if parameter.grad is not None:
                    parameter -= 0.01 * parameter.grad


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [each for part in value for each in _tensors(part)]
    return [] if value is None else [value]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "line"), CASES)
def test_layer_trains_alike(name: str, line: str) -> None:
    ours, theirs = Run(pellucid, name, line), Run(torch, name, line)
    assert repr(ours.net) == repr(theirs.net)
    assert [what for what, _ in ours.seen] == [what for what, _ in theirs.seen]
    for (what, mine), (_, other) in zip(ours.seen, theirs.seen, strict=True):
        if name in WRONG_GRADIENTS and what != "output 0":
            continue
        assert (mine is None) == (other is None), what
        if other is not None:
            assert str(mine.dtype) == str(other.dtype), what
            np.testing.assert_allclose(
                mine.numpy(), other.numpy(), rtol=2e-4, atol=5e-5, err_msg=what
            )
