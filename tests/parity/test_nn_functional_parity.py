"""Functions of `nn.functional`: values, dtypes, gradients, second gradients and error classes."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import pellucid

torch = pytest.importorskip("torch")

#: second gradients that are not those of the first in PyTorch (finite differences tell), and why
WRONG_SECOND_GRADIENTS = {
    "embedding(i(5, 2, 3), x(5, 3), -1, scale_grad_by_freq=True)": "forgets the frequencies",
}

#: calls of ``F``; ``x`` draws numbers that get gradients, ``u`` such between 0 and 1, ``i`` whole
#: numbers below its first argument, ``b`` truth values, ``c`` complex numbers
CALLS: list[str] = [
    *(f"adaptive_avg_pool{n}d(x{(2, 3, 5, 4, 3)[: n + 2]}, 2)" for n in (1, 2, 3)),
    *(f"adaptive_max_pool{n}d(x{(2, 3, 5, 4, 3)[: n + 2]}, 2)" for n in (1, 2, 3)),
    *(f"adaptive_max_pool{n}d_with_indices(x{(2, 3, 5, 4, 3)[: n + 2]}, 2)" for n in (1, 2, 3)),
    *(f"max_pool{n}d(x{(2, 3, 5, 4, 3)[: n + 2]}, 2, 1)" for n in (1, 2, 3)),
    *(f"max_pool{n}d_with_indices(x{(2, 3, 5, 4, 3)[: n + 2]}, 2, 1)" for n in (1, 2, 3)),
    *(f"avg_pool{n}d(x{(2, 3, 5, 4, 3)[: n + 2]}, 2, 1)" for n in (1, 2, 3)),
    *(f"lp_pool{n}d(u{(2, 3, 5, 4, 3)[: n + 2]}, 3, 2, 1, True)" for n in (1, 2, 3)),
    *(f"lp_pool{n}d(u{(3, 5, 4, 3)[: n + 1]}, 2.5, 2)" for n in (1, 2, 3)),
    "affine_grid(x(2, 2, 3), (2, 1, 3, 4), True)",
    "affine_grid(x(2, 2, 3), (2, 1, 1, 4), False)",
    "affine_grid(x(1, 3, 4), (1, 2, 2, 3, 1))",
    "alpha_dropout(x(4, 5), 0.3, True)",
    "feature_alpha_dropout(x(4, 5, 2), 0.3, True)",
    "feature_alpha_dropout(x(4, 5), 0.0, True)",
    "dropout(x(4, 5), 0.3)",
    "dropout(x(4, 5), 1.0)",
    "dropout1d(x(4, 5, 2), 0.3)",
    "dropout2d(x(4, 5, 2, 2), 0.3)",
    "dropout3d(x(4, 5, 2, 2, 1), 0.3)",
    "batch_norm(x(4, 3), None, None, x(3), x(3), True)",
    "batch_norm(x(4, 3, 2), torch.zeros(3), torch.ones(3), None, None, False)",
    "bilinear(x(4, 2), x(4, 3), x(5, 2, 3), x(5))",
    "binary_cross_entropy(u(4, 3), u(4, 3).detach(), u(3).detach())",
    "binary_cross_entropy(u(4, 3), i(2, 4, 3) * 1.0, reduction='none')",
    "binary_cross_entropy_with_logits(x(4, 3), u(4, 3), u(3).detach(), pos_weight=u(3).detach())",
    "hardsigmoid(x(3, 4) * 4)",
    "hardswish(x(3, 4) * 4)",
    "sigmoid(x(3, 4))",
    "tanh(x(3, 4))",
    "celu(x(3, 4), 0.5)",
    "celu_(x(3, 4) * 1, 0.5)",
    "channel_shuffle(x(2, 6, 3), 3)",
    "native_channel_shuffle(x(2, 6, 3), 3).detach()",
    "conv1d(x(2, 4, 6), x(4, 2, 3), x(4), 2, 1, 1, 2)",
    "conv2d(x(1, 2, 5, 4), x(3, 2, 2, 2), None, 1, 'same')",
    "conv3d(x(2, 3, 3, 3), x(2, 2, 2, 1, 2), padding='valid')",
    "conv_tbc(x(5, 2, 3), x(2, 3, 4), x(4), 1)",
    "conv_tbc(x(5, 2, 3), x(3, 3, 4), x(4))",
    "conv_transpose1d(x(2, 3, 4), x(3, 2, 3), x(2), 2, 1, 1)",
    "conv_transpose2d(x(1, 4, 3, 3), x(4, 1, 2, 2), None, 2, groups=2)",
    "conv_transpose3d(x(1, 2, 2, 2, 2), x(2, 1, 2, 1, 2), dilation=2)",
    "cosine_embedding_loss(x(4, 3), x(4, 3), i(2, 4) * 2 - 1, 0.2, reduction='none')",
    "cosine_similarity(x(4, 3), x(1, 3))",
    "cross_entropy(x(4, 3), i(3, 4), u(3).detach(), ignore_index=1, label_smoothing=0.2)",
    "cross_entropy(x(3, 4, 2), u(3, 4, 2), reduction='sum')",
    "ctc_loss(x(6, 2, 4).log_softmax(2), i(3, 2, 3) + 1, (6, 5), (3, 2), reduction='none')",
    "ctc_loss(x(6, 2, 4).log_softmax(2), i(3, 5) + 1, torch.tensor([6, 5]), torch.tensor([3, 2]))",
    "ctc_loss(x(6, 4).log_softmax(1), i(3, 2), torch.tensor(6), torch.tensor(2), 3, 'sum')",
    "ctc_loss(x(2, 1, 4).log_softmax(2), i(3, 1, 3) + 1, (2,), (3,), zero_infinity=True)",
    "ctc_loss(x(3, 2, 4).log_softmax(2), i(3, 2, 2) + 1, (3, 3), (0, 1), reduction='sum')",
    "elu(x(3, 4), 0.5)",
    "elu_(x(3, 4) * 1, 0.5)",
    "embedding(i(5, 2, 3), x(5, 3), 1)",
    "embedding(i(5, 2, 3), x(5, 3), -1, scale_grad_by_freq=True)",
    "embedding(i(5, 4), x(5, 3).detach(), max_norm=0.5, norm_type=1.0)",
    "embedding_bag(i(5, 6), x(5, 3), torch.tensor([0, 2, 2, 5]))",
    "embedding_bag(i(5, 6), x(5, 3), torch.tensor([0, 2, 2, 6]), mode='max', "
    "include_last_offset=True)",
    "embedding_bag(i(5, 2, 3), x(5, 3), mode='sum', per_sample_weights=x(2, 3))",
    "embedding_bag(i(5, 2, 3), x(5, 3), mode='mean', padding_idx=2)",
    "embedding_bag(i(5, 2, 3), x(5, 3), mode='max', padding_idx=-1)",
    "embedding_bag(i(5, 6), x(5, 3), i(1, 2), mode='sum', per_sample_weights=x(6), padding_idx=0)",
    "embedding_bag(i(5, 2, 3).int(), x(5, 3), max_norm=0.3)",
    "fold(x(2, 12, 9), (4, 5), (2, 3), 1, (0, 0), 1)",
    "fold(x(4, 9), 4, 2)",
    "unfold(x(2, 3, 4, 5), (2, 3), 1, (1, 0), (2, 1))",
    "fractional_max_pool2d(x(2, 3, 7, 6), 2, (3, 4))",
    "fractional_max_pool2d(x(3, 7, 6), (2, 3), output_ratio=(0.5, 0.4), return_indices=True)",
    "fractional_max_pool2d_with_indices(x(1, 2, 5, 5), 2, 3, _random_samples=u(1, 2, 2).detach())",
    "fractional_max_pool3d(x(1, 2, 5, 6, 4), (2, 1, 2), 2)",
    "fractional_max_pool3d_with_indices(x(2, 5, 6, 4), 2, output_ratio=0.6)",
    "gaussian_nll_loss(x(4, 3), x(4, 3), u(4, 1), True, 1e-3, 'none')",
    "gelu(x(3, 4), approximate='tanh')",
    "glu(x(3, 4), 1)",
    *(
        f"grid_sample(x{(2, 3, 4, 5, 3)[: n + 2]}, x{(*(2, 3, 4, 2)[: n + 1], n)} * 0.7, '{mode}', "
        f"'{padding}', {aligned})"
        for n, mode, padding, aligned in product(
            (2, 3),
            ("bilinear", "nearest", "bicubic"),
            ("zeros", "border", "reflection"),
            (True, False),
        )
        if (n, mode) != (3, "bicubic")
    ),
    "grid_sample(x(1, 2, 3, 4), x(1, 2, 2, 2))",
    "grid_sample(x(1, 2, 1, 1), x(1, 2, 2, 2), padding_mode='reflection', align_corners=True)",
    "group_norm(x(2, 4, 3), 2, x(4), x(4))",
    "gumbel_softmax(x(4, 3), 0.5, True)",
    "gumbel_softmax(x(4, 3), 2.0, False, dim=0)",
    "hardshrink(x(3, 4), 0.3)",
    "hardtanh(x(3, 4), -0.4, 0.6)",
    "hardtanh_(x(3, 4) * 1, -0.4, 0.6)",
    "hinge_embedding_loss(x(4), i(2, 4) * 2 - 1, 0.3)",
    "huber_loss(x(4), x(4), 'none', 0.5, x(4).detach().abs())",
    "instance_norm(x(2, 3, 4), torch.zeros(3), torch.ones(3), x(3), x(3), True, 0.3)",
    *(
        f"interpolate(x(2, 1, 5), {how}, mode='{mode}')"
        for how, mode in product(
            ("7", "3", "scale_factor=1.7", "scale_factor=0.4"),
            ("nearest", "nearest-exact", "linear", "area"),
        )
    ),
    *(
        f"interpolate(x(1, 2, 5, 4), {how}, mode='{mode}', align_corners={aligned}, "
        f"antialias={smooth})"
        for how, mode, aligned, smooth in product(
            ("(7, 3)", "2", "scale_factor=(1.7, 0.6)", "None, 1.3, recompute_scale_factor=True"),
            ("bilinear", "bicubic"),
            (True, False),
            (True, False),
        )
    ),
    *(
        f"interpolate(x(1, 1, 3, 4, 2), {how}, mode='{mode}')"
        for how, mode in product(
            ("(4, 2, 3)", "scale_factor=1.6"), ("nearest", "nearest-exact", "trilinear", "area")
        )
    ),
    "interpolate(x(1, 2, 7, 5), (3, 4), mode='lanczos', antialias=True)",
    "interpolate(x(1, 2, 7, 5), scale_factor=1.5, mode='lanczos', antialias=True)",
    "interpolate(i(256, 1, 2, 5, 5).to(torch.uint8), 3, mode='bilinear')",
    "interpolate(i(256, 1, 2, 5, 5).to(torch.uint8), 8, mode='bilinear', antialias=True)",
    "interpolate(i(256, 1, 2, 5, 5).to(torch.uint8), 3, mode='bicubic', antialias=True)",
    "interpolate(i(256, 1, 2, 5, 5).to(torch.uint8), 3)",
    "kl_div(x(4, 3), x(4, 3), reduction='batchmean', log_target=True)",
    "l1_loss(x(4), x(4), reduction='none')",
    "layer_norm(x(2, 3, 4), (3, 4), x(3, 4), x(3, 4))",
    "leaky_relu(x(3, 4), 0.3)",
    "leaky_relu_(x(3, 4) * 1, 0.3)",
    "linear(x(2, 3, 4), x(5, 4), x(5))",
    "linear(x(4), x(4))",
    "linear_cross_entropy(x(4, 3), x(5, 3), i(5, 4))",
    "linear_cross_entropy(x(3), x(5, 3), i(5), linear_bias=x(5))",
    "linear_cross_entropy(x(4, 3), x(5, 2, 3), i(5, 4, 2), weight=u(5).detach(), reduction='none')",
    "linear_cross_entropy(x(4, 3), x(5, 3), u(4, 5), label_smoothing=0.1, reduction='sum')",
    "linear_cross_entropy(x(4, 3), x(5, 3), i(5, 4), ignore_index=1)",
    "local_response_norm(x(2, 5, 3), 3, 0.1, 0.6, 2.0)",
    "log_softmax(x(3, 4), 0, dtype=torch.float64)",
    "logsigmoid(x(3, 4))",
    "margin_ranking_loss(x(4), x(4), i(2, 4) * 2 - 1, 0.1)",
    "max_unpool1d(x(1, 2, 3), torch.tensor([[[0, 3, 4], [1, 2, 5]]]), 2)",
    "max_unpool2d(*F.max_pool2d(x(1, 2, 5, 5), 2, return_indices=True), 2, output_size=(5, 5))",
    "max_unpool3d(*F.max_pool3d(x(2, 2, 4, 2), (1, 2, 2), return_indices=True), (1, 2, 2))",
    "mish(x(3, 4))",
    "mse_loss(x(4, 3), x(4, 3), reduction='sum')",
    "multi_margin_loss(x(4, 3), i(3, 4), 2, 0.7, u(3).detach(), reduction='none')",
    "multilabel_margin_loss(x(2, 3), torch.tensor([[2, 0, -1], [1, -1, 0]]))",
    "multilabel_soft_margin_loss(x(4, 3), u(4, 3), u(3), reduction='none')",
    "nll_loss(x(4, 3), i(3, 4), u(3).detach(), ignore_index=2)",
    "nll_loss(x(4, 3, 2, 2), i(3, 4, 2, 2), reduction='none')",
    "normalize(x(4, 3), 1.5, 0)",
    "one_hot(i(4, 2, 3), 5)",
    "pad(x(2, 3, 4), (1, 2, -1, 0), 'constant', 2.0)",
    "pad(x(1, 2, 3, 4), (1, 2, 0, 1), 'reflect')",
    "pad(x(2, 3, 4), (1, 2, 2, 0), 'replicate')",
    "pad(x(1, 2, 3, 4), (1, 2, 0, 1), 'circular')",
    "pairwise_distance(x(4, 3), x(4, 3), 1.5, keepdim=True)",
    "pairwise_distance(x(4, 3), x(3))",
    "pdist(x(5, 3))",
    "pdist(x(4, 3), 1.5)",
    "pixel_shuffle(x(2, 8, 2, 3), 2)",
    "pixel_unshuffle(x(2, 2, 4, 6), 2)",
    "poisson_nll_loss(u(4) + 1, i(5, 4) * 1.0, False, True)",
    "prelu(x(2, 3, 4), x(3))",
    "relu(x(3, 4))",
    "relu6(x(3, 4) * 5)",
    "relu_(x(3, 4) * 1)",
    "rms_norm(x(2, 3, 4), (4,), x(4), 0.1)",
    "rrelu(x(3, 4), 0.1, 0.5, True)",
    "rrelu_(x(3, 4) * 1, 0.1, 0.5)",
    "scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 4), x(2, 5, 6))",
    "scaled_dot_product_attention(x(2, 2, 3, 4), x(2, 2, 5, 4), x(2, 2, 5, 4), "
    "b(3, 5) | (i(5, 5) == 0))",
    "scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 4), x(2, 5, 4), x(2, 3, 5))",
    "scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 4), x(2, 5, 4), None, 0.0, True, scale=0.3)",
    "scaled_dot_product_attention(x(1, 4, 3, 2), x(1, 2, 5, 2), x(1, 2, 5, 2), enable_gqa=True)",
    "scaled_dot_product_attention(x(1, 4, 3, 2), x(1, 2, 3, 2), x(1, 2, 3, 2), is_causal=True, "
    "enable_gqa=True)",
    "scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 4), x(2, 5, 4), dropout_p=0.4)",
    "selu(x(3, 4))",
    "selu_(x(3, 4) * 1)",
    "silu(x(3, 4))",
    "smooth_l1_loss(x(4), x(4), reduction='none', beta=0.4)",
    "soft_margin_loss(x(4), i(2, 4) * 2 - 1)",
    "softmax(x(3, 4), -1)",
    "softmin(x(3, 4), 0)",
    "softplus(x(3, 4), 2.0, 0.5)",
    "softshrink(x(3, 4), 0.2)",
    "softsign(x(3, 4))",
    "tanhshrink(x(3, 4))",
    "threshold(x(3, 4), 0.1, 3.0)",
    "threshold_(x(3, 4) * 1, 0.1, 3.0)",
    "triplet_margin_loss(x(4, 3), x(4, 3), x(4, 3), 0.5, 1.5, swap=True, reduction='none')",
    "triplet_margin_with_distance_loss(x(4, 3), x(4, 3), x(4, 3), swap=True)",
    "upsample(x(1, 2, 3), scale_factor=2)",
    "upsample_nearest(x(1, 2, 3, 2), (4, 5))",
    "upsample_bilinear(x(1, 2, 3, 2), scale_factor=2)",
    "multi_head_attention_forward(x(5, 2, 8), x(4, 2, 8), x(4, 2, 8), 8, 2, x(24, 8), x(24), None, "
    "None, False, 0.0, x(8, 8), x(8))",
    "multi_head_attention_forward(x(5, 2, 8), x(4, 2, 8), x(4, 2, 8), 8, 2, x(24, 8), x(24), "
    "x(1, 1, 8), x(1, 1, 8), True, 0.3, x(8, 8), x(8), True, b(2, 4), True, x(5, 4))",
    "multi_head_attention_forward(x(5, 8), x(4, 8), x(4, 8), 8, 4, x(24, 8), None, None, None, "
    "False, 0.0, x(8, 8), None, average_attn_weights=False, attn_mask=x(4, 5, 4))",
    "multi_head_attention_forward(x(5, 2, 8), x(4, 2, 3), x(4, 2, 6), 8, 2, None, x(24), None, "
    "None, "
    "False, 0.0, x(8, 8), x(8), use_separate_proj_weight=True, q_proj_weight=x(8, 8), "
    "k_proj_weight=x(8, 3), v_proj_weight=x(8, 6), need_weights=False)",
    "multi_head_attention_forward(x(5, 2, 8), x(3, 2, 8), x(3, 2, 8), 8, 2, x(24, 8), x(24), None, "
    "None, False, 0.0, x(8, 8), x(8), static_k=x(4, 4, 4), static_v=x(4, 4, 4))",
]

BAD_CALLS: list[str] = [
    "grid_sample(x(1, 2, 3, 4), x(1, 2, 2, 3))",
    "grid_sample(x(1, 2, 3, 4), x(2, 2, 2, 2))",
    "grid_sample(x(2, 3, 4), x(2, 2, 2))",
    "grid_sample(x(1, 2, 0, 4), x(1, 2, 2, 2))",
    "grid_sample(x(1, 2, 3, 4), x(1, 2, 2, 2), 'cubic')",
    "grid_sample(x(1, 2, 3, 4), x(1, 2, 2, 2), padding_mode='wrap')",
    "grid_sample(x(1, 1, 2, 3, 4), x(1, 1, 2, 2, 3), 'bicubic')",
    "grid_sample(x(1, 2, 3, 4), x(1, 2, 2, 2).double())",
    "grid_sample(i(3, 1, 2, 3, 4), i(2, 1, 2, 2, 2))",
    "affine_grid(x(2, 2, 3), (2, 1, 3))",
    "affine_grid(x(2, 2, 3), (2, 1, 3, 4, 5))",
    "affine_grid(x(2, 2, 3), (2, 1, 0, 4))",
    "affine_grid(i(3, 2, 2, 3), (2, 1, 3, 4))",
    "affine_grid(x(2, 2, 3), (3, 1, 3, 4))",
    "interpolate(x(1, 2, 3))",
    "interpolate(x(1, 2, 3), 4, 2)",
    "interpolate(x(1, 2, 3), (4, 4))",
    "interpolate(x(1, 2, 3), scale_factor=(2, 2))",
    "interpolate(x(1, 2, 3), 4, mode='bilinear')",
    "interpolate(x(1, 2, 3), 4, mode='cubic')",
    "interpolate(x(1, 2, 3), 4, align_corners=True)",
    "interpolate(x(1, 2, 3), 0)",
    "interpolate(x(1, 2, 3), 4.5)",
    "interpolate(x(1, 2, 3), 4, recompute_scale_factor=True)",
    "interpolate(x(1, 2, 3), 4, mode='linear', antialias=True)",
    "interpolate(x(1, 2, 3, 3), 4, mode='lanczos')",
    "interpolate(x(1, 2, 3, 3), 4, mode='lanczos', align_corners=True, antialias=True)",
    "interpolate(x(2, 3), 4)",
    "interpolate(i(5, 1, 2, 3), 4)",
    "interpolate(x(1, 0, 3), 4)",
    "fractional_max_pool2d(x(1, 2, 5, 5), 2)",
    "fractional_max_pool2d(x(1, 2, 5, 5), 2, 5)",
    "fractional_max_pool2d(x(1, 2, 5, 5), (2, 2, 2), 3)",
    "fractional_max_pool2d(x(5, 5), 2, 3)",
    "fractional_max_pool2d(x(1, 0, 5, 5), 2, 3)",
    "fractional_max_pool2d(i(3, 1, 2, 5, 5), 2, 3)",
    "fractional_max_pool2d(x(1, 2, 5, 5), 2, 3, _random_samples=u(1, 2, 3))",
    "fractional_max_pool2d(x(1, 2, 5, 5), 2, 3, _random_samples=u(1, 2, 2).double())",
    "fractional_max_pool3d(x(2, 5, 5), 2, 3)",
    "max_unpool1d(x(1, 2), torch.tensor([[1, 9]]), 2)",
    "max_unpool1d(x(1, 2), torch.tensor([[1, 2]]), 2, output_size=(7,))",
    "max_unpool1d(x(1, 2), torch.tensor([[1, 2]]), 2, output_size=(4, 4))",
    "max_unpool2d(x(1, 1, 2, 2), i(3, 1, 1, 2, 3), 2)",
    "conv_tbc(x(5, 2), x(2, 3, 4), x(4))",
    "conv_tbc(x(5, 2, 3), x(2, 4, 4), x(4))",
    "conv_tbc(x(5, 2, 3), x(2, 3, 4), x(3))",
    "channel_shuffle(x(2, 5, 3), 2)",
    "channel_shuffle(x(2, 5), 2)",
    "pixel_shuffle(x(2, 5, 3, 3), 2)",
    "pixel_unshuffle(x(2, 5, 3, 3), 2)",
    "linear_cross_entropy(x(4, 3), x(5, 2), i(5, 4))",
    "linear_cross_entropy(x(4, 3), x(5), i(5, 4))",
    "linear_cross_entropy(x(2, 4, 3), x(5, 3), i(5, 4))",
    "linear_cross_entropy(x(3), x(5, 2, 3), i(5, 2))",
    "linear_cross_entropy(x(4, 3), x(5, 3), u(4, 5), ignore_index=1)",
    "linear_cross_entropy(x(4, 3), x(5, 3), i(5, 4), linear_bias=x(4))",
    "embedding_bag(i(5, 6), x(5, 3))",
    "embedding_bag(i(5, 2, 3), x(5, 3), torch.tensor([0]))",
    "embedding_bag(i(5, 2, 3), x(5, 3), mode='median')",
    "embedding_bag(i(5, 2, 3), x(5, 3), mode='mean', per_sample_weights=x(2, 3))",
    "embedding_bag(i(5, 2, 3), x(5, 3), mode='sum', per_sample_weights=x(2, 2))",
    "embedding_bag(i(5, 6), x(5, 3), torch.tensor([1, 2]))",
    "embedding_bag(i(5, 6), x(5, 3), torch.tensor([[0, 2]]))",
    "embedding_bag(i(5, 2, 3) + 5, x(5, 3))",
    "embedding_bag(x(2, 3), x(5, 3))",
    "scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 4), x(2, 5, 4), b(3, 5), is_causal=True)",
    "scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 3), x(2, 5, 4))",
    "scaled_dot_product_attention(x(2, 3, 4), x(2, 5, 4), x(2, 5, 4), i(2, 3, 5))",
    "scaled_dot_product_attention(x(4), x(4), x(4))",
    "ctc_loss(x(6, 2, 4), i(3, 2, 3) + 1, (6, 5), (3,))",
    "ctc_loss(x(6, 2, 4), i(3, 2, 3) + 1, (7, 5), (3, 2))",
    "ctc_loss(x(6, 2, 4), i(3, 2, 3) + 1, (6, 5), (3, 2), blank=4)",
    "dropout(x(3), 1.5)",
    "feature_alpha_dropout(x(3, 3), -0.1, True)",
    "one_hot(i(4, 2, 3), 2)",
    "glu(x(3, 3))",
    "pdist(x(3))",
    "cross_entropy(x(4, 3), i(3, 5))",
    "cross_entropy(x(4, 3), i(3, 4) + 3)",
]


class Drawn:
    """Evaluate a call with numbers that are the same for both libraries."""

    def __init__(self, module: Any, call: str) -> None:
        self.module = module
        self.random = np.random.default_rng([ord(letter) for letter in call])
        self.leaves: list[Any] = []
        self.names = {
            "F": module.nn.functional, "torch": module, "x": self.normal, "u": self.positive,
            "i": self.whole, "b": self.truths,
        }  # fmt: skip
        self.call = call
        module.manual_seed(0)

    def result(self) -> list[Any]:
        value = eval(f"F.{self.call}", self.names)
        return [
            each for each in (value if isinstance(value, tuple) else (value,)) if each is not None
        ]

    def _leaf(self, values: Any) -> Any:
        leaf = self.module.tensor(np.asarray(values, np.float32), requires_grad=True)
        self.leaves.append(leaf)
        return leaf

    def normal(self, *shape: int) -> Any:
        return self._leaf(self.random.standard_normal(shape))

    def positive(self, *shape: int) -> Any:
        return self._leaf(self.random.uniform(0.1, 0.9, shape))

    def whole(self, high: int, *shape: int) -> Any:
        return self.module.tensor(self.random.integers(high, size=shape))

    def truths(self, *shape: int) -> Any:
        return self.module.tensor(self.random.random(shape) < 0.5)


def weighted(outputs: list[Any]) -> Any:
    """Return a number that depends on the outputs, and not in the same way on each."""
    losses = [(each * each * each).sum() + each.sum() for each in outputs if each.requires_grad]
    return sum(losses[1:], losses[0]) if losses else None


def close(mine: Any, other: Any, what: str, tolerance: float) -> None:
    assert (mine is None) == (other is None), what
    if other is None:
        return
    assert str(mine.dtype) == str(other.dtype), what
    mine, other = mine.detach().numpy(), other.detach().numpy()
    scale = max(1.0, float(np.abs(other[np.isfinite(other)]).max(initial=0)))
    np.testing.assert_allclose(mine, other, tolerance, tolerance * scale, err_msg=what)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", CALLS)
def test_function_gives_the_same_values_gradients_and_second_gradients(call: str) -> None:
    ours, theirs = Drawn(pellucid, call), Drawn(torch, call)
    found = ours.result(), theirs.result()
    for number, (mine, other) in enumerate(zip(*found, strict=True)):
        assert tuple(mine.shape) == tuple(other.shape)
        assert mine.requires_grad == other.requires_grad
        close(mine, other, f"output {number}", 2e-5)
    losses = [weighted(outputs) for outputs in found]
    if losses[1] is None:
        return
    first = [
        each.module.autograd.grad(loss, each.leaves, create_graph=True, allow_unused=True)
        for each, loss in zip((ours, theirs), losses, strict=True)
    ]
    for number, (mine, other) in enumerate(zip(*first, strict=True)):
        close(mine, other, f"gradient {number}", 2e-4)
    totals = [weighted([g for g in gradients if g is not None]) for gradients in first]
    if totals[1] is None or call in WRONG_SECOND_GRADIENTS:
        return
    try:
        expected = torch.autograd.grad(totals[1], theirs.leaves, allow_unused=True)
    except RuntimeError as error:  # PyTorch has no second derivative of some of its fused kernels
        if "is not implemented" not in str(error):
            raise
        return
    second = pellucid.autograd.grad(totals[0], ours.leaves, allow_unused=True)
    for number, (mine, other) in enumerate(zip(second, expected, strict=True)):
        if mine is None or other is None:  # one of them knows that it is zero
            known = other if mine is None else mine
            assert known is None or not bool((known.detach() != 0).any())
        else:
            close(mine, other, f"second gradient {number}", 2e-3)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", BAD_CALLS)
def test_bad_call_raises_the_same_class(call: str) -> None:
    expected, found = error_of(torch, call), error_of(pellucid, call)
    assert expected is not None
    assert isinstance(found, type(expected))


def error_of(module: Any, call: str) -> Exception | None:
    try:
        Drawn(module, call).result()
    except Exception as error:  # noqa: BLE001 - any class, to be compared
        return error
    return None


def test_every_function_of_pytorch_is_called() -> None:
    functions = {
        name
        for name, value in vars(torch.nn.functional).items()
        if callable(value) and hasattr(pellucid.nn.functional, name) and name.islower()
        and not name.startswith("_")
    }  # fmt: skip
    called = {call.partition("(")[0] for call in CALLS}
    assert sorted(functions - called) == []
