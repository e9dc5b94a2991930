"""Expressions that both libraries evaluate: those of ``expressions/*.txt``, one to a line, and all
combinations of a function and its arguments listed here. `side_by_side.inputs` explains the names.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("expressions")

_UNARY = """
    abs neg positive square sgn sign exp exp2 expm1 sin cos tan atan sinh cosh tanh asinh sigmoid
    floor ceil round trunc frac relu deg2rad rad2deg erf erfc sinc isnan isinf isfinite isposinf
    isneginf isreal signbit logical_not nan_to_num reciprocal real angle logit
"""
_UNARY_COMPLEX = """
    abs neg square sgn exp sin cos tan tanh sinh cosh log log2 log10 sqrt rsqrt reciprocal asin acos
    atan asinh acosh atanh sigmoid real imag conj angle isnan isfinite isinf isreal
"""
_ACTIVATIONS = """
    relu relu6 leaky_relu elu selu celu gelu silu mish softplus sigmoid logsigmoid hardtanh
    hardsigmoid hardswish softsign tanhshrink hardshrink softshrink tanh
"""
_BINARY = """
    add sub mul div true_divide maximum minimum fmax fmin atan2 hypot copysign logaddexp eq ne lt le
    gt ge isclose logical_and logical_or logical_xor
"""
_REDUCTIONS = """
    sum mean prod amax amin nansum nanmean var std all any argmax argmin count_nonzero logsumexp
    norm
"""
_PAIRS = """
    a,b a,v col,v a,s s,s e,v o,a f,s i,n32 i,f k,n32 ties,ties a,special u8,n32 m,i
"""
_OPERATOR_PAIRS = """
    p,p p,2 2,p p,2.5 a,v i,2 3,j i,2.5 f,2.5 f,2 h,2 h,1.5 u8,3 k,2.5 s,f n32,j u8,n32 m,2 m,1.5
    a,True i,True p,1j f,1j z,2 z,y z,p p,k n32,7 special,2. whole,2 whole,0.5 a,-2
"""
_BIT_PAIRS = "i,j m,m i,3 u8,n32 m,i m,True 1,i"


def calls(prefix: str, names: str, arguments: str, more: tuple[str, ...] = ("",)) -> list[str]:
    """Return the calls of every function with each of the arguments, and what follows them."""
    return [
        f"{prefix}.{name}({first.replace(',', ', ')}{rest})"
        for name in names.split()
        for first in arguments.split()
        for rest in more
    ]


def methods(names: str, tensors: str, arguments: str = "") -> list[str]:
    """Return the calls of every method of each of the tensors."""
    return [f"{each}.{name}({arguments})" for name in names.split() for each in tensors.split()]


def operations(operators: str, pairs: str) -> list[str]:
    """Return every operator between both of each pair."""
    return [
        pair.replace(",", f" {operator} ")
        for operator in operators.split()
        for pair in pairs.split()
    ]


def combinations() -> list[str]:
    """Return the expressions that are combinations."""
    dims = (", dim=0", ", dim=-1", ", dim=1, keepdim=True", "")
    return [
        *calls("torch", _UNARY, "a e s o f special whole"),
        *calls("torch", f"{_UNARY} sqrt log", "n32 m k u8 h"),
        *calls("torch", "log log2 log10 log1p sqrt rsqrt lgamma digamma", "p e"),
        *calls("torch", "asin acos atanh erfinv", "u"),
        *calls("torch", "acosh", "above1"),
        *calls("torch", _UNARY_COMPLEX, "z zs"),
        *calls("F", _ACTIVATIONS, "a s e o"),
        *calls("torch", _BINARY, _PAIRS),
        *calls("torch", "add sub mul div eq ne isclose", "z,y"),
        *operations("+ - * / // % ** == != < <= > >=", _OPERATOR_PAIRS),
        *operations("& | ^ << >>", _BIT_PAIRS),
        *calls("torch", _REDUCTIONS, "a t o", dims),
        *methods(_REDUCTIONS, "s f n32 m u8 h k e"),
        *methods("sum mean prod all any", "f n32 m u8 h e", "1"),
        *calls(
            "torch",
            "sum mean amax amin var std logsumexp nansum count_nonzero norm all any",
            "t",
            (", dim=(0, 2)", ", (0, -1), keepdim=True"),
        ),
        *calls(
            "torch",
            "sum mean prod amax max var all argmax logsumexp norm",
            "e",
            (", dim=0", ", dim=1"),
        ),
        *calls(
            "F",
            "mse_loss l1_loss smooth_l1_loss huber_loss",
            "a,b",
            ("", ", reduction='sum'", ", reduction='none'"),
        ),
        *(
            f"a.scatter_reduce(1, i * 0, b, reduce='{how}', include_self={own})"
            for how in ("sum", "mean", "prod", "amax", "amin")
            for own in (True, False)
        ),
    ]


def expressions() -> list[str]:
    """Return all expressions, each once."""
    lines = [
        line
        for path in sorted(FOLDER.glob("*.txt"))
        for line in path.read_text("utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    return list(dict.fromkeys([*combinations(), *lines]))


#: names that expressions use and pellucid does not offer
NOT_THERE = "torch.saddmm"

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
    "x = img * 1; y = F.max_pool2d(x, 2); x.mul_(2); out = y": (
        "max pooling saves where the maxima were, not its input"
    ),
    "torch.vander(v)": _OURS_GOES_ON,
    "(a * 0).norm()": "ours has the second derivative 0 where PyTorch has NaN",
    "a.sort(1, stable=True)": "PyTorch takes no dimension by place beside stable",
    "a.scatter(1, i[:, :1], b)": _OURS_GOES_ON,
    "torch.scatter_add(a, 0, i[:1] * 0, b)": _OURS_GOES_ON,
    "torch.as_strided_scatter(a, v, (3,), (1,))": "PyTorch's gradient is that of other elements",
    "a.to(5)": 'a number names a CUDA device, which is not here, as "cuda" is not',
}

#: expressions in which we are wrong; a test fails when one of them is put right
MISTAKES = ""
