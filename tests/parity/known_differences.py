"""Expressions of ``tests/samples/expressions`` of which we give something else than PyTorch."""

from __future__ import annotations

_INDEX_COPIED = "an index of integers or truth values is copied when recorded, not guarded"
_OURS_GOES_ON = "ours has a gradient where PyTorch has none or fails"

#: expressions in which we differ from PyTorch knowingly, and why
ON_PURPOSE = {
    "torch.sinc(special)": "ours has the second derivative at 0, PyTorch NaN",
    "torch.sinc(whole)": "ours has the second derivative at 0, PyTorch NaN",
    "torch.sinc(h)": "second gradients in half precision, rounded at other places",
    "torch.autograd.backward([a.sum()], [None, None])": "PyTorch does not count the gradients",
    "F.binary_cross_entropy(prob, u * u, weight=p)": _OURS_GOES_ON,
    "F.binary_cross_entropy(torch.zeros_like(prob) + prob * 0, u * u)": (
        "ours differentiates by the target what is computed, with the logarithm cut off at -100"
    ),
    "F.binary_cross_entropy_with_logits(a, prob, pos_weight=p[0])": _OURS_GOES_ON,
    "F.binary_cross_entropy_with_logits(a, prob, weight=p, reduction='sum')": _OURS_GOES_ON,
    "x = a * 1; idx = i1.clone(); y = x[:, idx]; idx.zero_(); out = y": _INDEX_COPIED,
    "x = a * 1; mask = m.clone(); y = x[mask]; mask.zero_(); out = y": _INDEX_COPIED,
    "torch.vander(v)": _OURS_GOES_ON,
    "(a * 0).norm()": "ours has the second derivative 0 where PyTorch has NaN",
    "a.sort(1, stable=True)": "PyTorch takes no dimension by place beside stable",
    "a.scatter(1, i[:, :1], b)": _OURS_GOES_ON,
    "torch.scatter_add(a, 0, i[:1] * 0, b)": _OURS_GOES_ON,
    "torch.as_strided_scatter(a, v, (3,), (1,))": "PyTorch's gradient is that of other elements",
    "a.to(5)": 'a number names a CUDA device, which is not here, as "cuda" is not',
}
