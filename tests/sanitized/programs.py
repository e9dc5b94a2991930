"""Short programs that call everything public: ops, layers and optimizers, rightly and wrongly."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

import pellucid as torch
import pellucid.ops.nn.all_operations
from pellucid.core.definition.op import Op, registry
from tests.samples.names import calls, damaged
from tests.samples.operands import operands, tensors_of
from tests.samples.ops import Sample, arguments_in_order, samples
from tests.samples.reader import texts
from tests.samples.running import flattened, run, used

#: what sets something for all, starts processes, waits, or keeps what it is given
_LEFT_OUT = (
    "set_default", "set_num", "fork", "manual_seed", "set_rng_state", "seed(", "set_printoptions",
    "set_flush", "set_warn", "share_memory", "use_deterministic", "register_module", "save(",
    "set_deterministic", "set_float32", "DataLoader", "lambda x: seen.append(x.grad",
)  # fmt: skip

_LAYERS = """
nn.Linear(3, 2)(f)
nn.Bilinear(3, 3, 2)(f, f)
nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))(f)
nn.Conv1d(4, 6, 3)(seq.float())
nn.Conv2d(4, 6, 3, padding=1)(img.float())
nn.Conv3d(2, 3, 2)(vol.float())
nn.ConvTranspose1d(4, 3, 3)(seq.float())
nn.ConvTranspose2d(4, 3, 3)(img.float())
nn.ConvTranspose3d(2, 3, 2)(vol.float())
nn.BatchNorm1d(4)(seq.float())
nn.BatchNorm2d(4)(img.float())
nn.BatchNorm3d(2)(vol.float())
nn.InstanceNorm2d(4)(img.float())
nn.GroupNorm(2, 4)(img.float())
nn.LayerNorm(3)(f)
nn.RMSNorm(3)(f)
nn.LocalResponseNorm(2)(img)
nn.MaxPool1d(2)(seq)
nn.MaxPool2d(2, return_indices=True)(img)
nn.MaxPool3d(2)(vol)
nn.AvgPool2d(2)(img)
nn.AdaptiveAvgPool2d(2)(img)
nn.AdaptiveMaxPool2d(2)(img)
nn.FractionalMaxPool2d(2, 3)(img)
nn.LPPool2d(2, 2)(img.abs())
nn.Embedding(10, 3)(i)
nn.Embedding(10, 3, padding_idx=0, sparse=True)(i)
nn.EmbeddingBag(10, 3)(i)
nn.Dropout(0.5)(f)
nn.AlphaDropout(0.5)(f)
nn.Upsample(scale_factor=2, mode='bilinear')(img)
nn.PixelShuffle(2)(img)
nn.Fold((6, 6), 2)(F.unfold(img, 2))
nn.Softmax(1)(f)
nn.GLU(0)(f)
nn.PReLU()(f)
nn.RReLU()(f)
nn.MultiheadAttention(4, 2)(*[torch.randn(3, 2, 4)] * 3)
nn.TransformerEncoderLayer(4, 2, 8)(torch.randn(3, 2, 4))
nn.TransformerDecoderLayer(4, 2, 8)(torch.randn(3, 2, 4), torch.randn(3, 2, 4))
nn.RNN(3, 4)(torch.randn(2, 1, 3))
nn.GRU(3, 4, num_layers=2, bidirectional=True)(torch.randn(2, 1, 3))
nn.LSTM(3, 4)(torch.randn(2, 1, 3))
nn.LSTMCell(3, 4)(f)
nn.GRUCell(3, 4)(f)
nn.RNNCell(3, 4)(f)
nn.CrossEntropyLoss()(f, l)
nn.NLLLoss()(f.log_softmax(1), l)
nn.CTCLoss()(torch.randn(5, 2, 3).log_softmax(2), i1[:2].view(2, 1), l + 3, l * 0 + 1)
nn.KLDivLoss()(a, b)
nn.BCELoss()(prob, prob.detach())
nn.BCEWithLogitsLoss()(a, b)
nn.MSELoss()(a, b)
nn.SmoothL1Loss()(a, b)
nn.HuberLoss()(a, b)
nn.GaussianNLLLoss()(a, b, p)
nn.TripletMarginLoss()(a, b, p)
nn.CosineEmbeddingLoss()(a, b, torch.ones(2))
nn.MultiLabelMarginLoss()(a, i)
nn.AdaptiveLogSoftmaxWithLoss(3, 9, [4])(f, l)
nn.utils.clip_grad_norm_([(w := nn.Parameter(f.detach())), *[(w * 2).sum().backward()][:0]], 1.0)
nn.utils.parameters_to_vector(nn.Linear(3, 2).parameters())
nn.functional.scaled_dot_product_attention(t, t, t, is_causal=True)
"""

_OPTIMIZERS = (
    "SGD(w, 0.1)", "SGD(w, 0.1, 0.9, 0.1, 1e-3, nesterov=False)", "SGD(w, 0.1, 0.9, nesterov=True)",
    "Adam(w)", "Adam(w, amsgrad=True, weight_decay=0.1)", "AdamW(w)", "RMSprop(w, momentum=0.5)",
    "RMSprop(w, centered=True)", "Adagrad(w)", "Adadelta(w)", "Adamax(w)", "NAdam(w)", "RAdam(w)",
    "Rprop(w)", "ASGD(w)", "Adafactor(w)",
)  # fmt: skip

_ENGINE = """
(leaf * b).sum().backward(); out = leaf.grad
x = leaf * 2; x.register_hook(lambda g: g * 2); x.sum().backward(); out = leaf.grad
x = leaf * 2; x.retain_grad(); x.sum().backward(); out = x.grad
x = leaf.exp() * b; out = torch.autograd.grad(x.sum(), [leaf, b], create_graph=True)
x = leaf * b; out = torch.autograd.grad([x, x * 2], [leaf], [torch.ones_like(x), b])
x = (leaf * b).sum(); x.backward(retain_graph=True); x.backward(); out = leaf.grad
x = leaf * b; x.backward(torch.ones_like(x), inputs=[leaf]); out = leaf.grad
x = leaf * 1; x.grad_fn.register_hook(lambda *g: None); x.sum().backward(); out = leaf.grad
x = leaf * 1; x.grad_fn.register_prehook(lambda g: None); x.sum().backward(); out = leaf.grad
h = leaf.register_post_accumulate_grad_hook(lambda p: None); (leaf * 2).sum().backward(); h.remove()
x = torch.stack([leaf, b]).mean(); x.backward(); out = leaf.grad
x = leaf; x = x.sin() * x; x = x[0] + x[1]; x.sum().backward(); out = leaf.grad
out = torch.autograd.functional.jacobian(torch.sin, v)
out = torch.autograd.functional.hvp(lambda x: (x ** 3).sum(), v, v.detach())
out = torch.func.grad(lambda x: (x * x).sum())(v)
out = torch.func.vmap(torch.sin)(a)
out = torch.utils.checkpoint.checkpoint(torch.sin, leaf, use_reentrant=False)
out = torch.inspect.graph(leaf.exp() * b)
out = str(torch.inspect.graph((leaf @ b.t()).sum()))
x = (leaf * 2).detach_().requires_grad_(); x.sum().backward(); out = x.grad
x = leaf * 1; x[0] = 5.; x.mul_(b); x.sum().backward(); out = leaf.grad
x = leaf * 1; y = x.view(6); y.mul_(2); x.sum().backward(); out = leaf.grad
out = torch.tensor([[1.5] * 40] * 3)
out = torch.cat([leaf] * 40), torch.stack([b] * 40)
"""


def programs() -> list[str]:
    """Return all programs: those that run to their end, and those that raise an error."""
    known = [text for folder in ("calls", "expressions") for text in texts(folder)]
    for made in calls().values():
        known += [made[0].text, *damaged(made[0])]
    known += [*_LAYERS.strip().splitlines(), *_ENGINE.strip().splitlines(), *_of_optimizers()]
    return [text for text in dict.fromkeys(known) if not any(each in text for each in _LEFT_OUT)]


def _of_optimizers() -> Iterator[str]:
    for made in _OPTIMIZERS:
        yield (
            "w = [torch.ones(3, requires_grad=True), torch.ones(2, 3, requires_grad=True)]; "
            f"o = optim.{made}; l = (w[0] * w[1]).sum(); l.backward(); o.step(); o.step(); "
            "o.zero_grad(); o.load_state_dict(o.state_dict()); out = w"
        )
    yield (
        "w = torch.ones(3, requires_grad=True); o = optim.LBFGS([w], max_iter=2); "
        "o.step(lambda: (o.zero_grad(), (l := (w * w).sum()).backward(), l)[2]); out = w"
    )


class Program:
    """A program with tensors of its own, some of them leaves."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tensors = tensors_of(torch, used(text, operands()), requires_grad=True)

    def called(self) -> Any:
        """Run the program forward."""
        return run(torch, self.text, dict(self.tensors))

    def step(self) -> Any:
        """Run the program and go backward through what it gives; return that and the gradients."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = self._forward_and_backward()
        gradients = [each.grad for each in self.tensors.values() if each.grad is not None]
        self.clear()
        return results + gradients

    def _forward_and_backward(self) -> list[Any]:
        results = [each for each in flattened(self.called()) if isinstance(each, torch.Tensor)]
        derived = [each for each in results if each.requires_grad and not each.is_sparse]
        if derived:
            ones = [torch.ones_like(each.detach()) for each in derived]
            torch.autograd.backward(derived, ones)
        return results

    def repeat(self, count: int) -> None:
        """Run so many steps, whether they end in an error or not, and keep nothing of them."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(count):
                with contextlib.suppress(Exception):
                    self._forward_and_backward()
                self.clear()

    def clear(self) -> None:
        """Drop what a step has left in the tensors."""
        for each in self.tensors.values():
            each.grad = None

    def outcome(self) -> Any:
        """Run a step; return the bits of what it gives, or the error that it raises."""
        try:
            return [_bits(each) for each in self.step()]
        except Exception as error:  # noqa: BLE001 - whatever it is
            return type(error)
        finally:
            self.clear()


def _bits(value: Any) -> tuple[Any, ...]:
    value = value.detach().to_dense() if value.is_sparse else value.detach().resolve_conj()
    elements = value.reshape(-1).contiguous().view(torch.uint8)  # NumPy has no dtypes for some
    return value.shape, value.dtype, elements.numpy().tobytes()


class CallOfOp(Program):
    """A call of an op on its first sample, or the same with a text for its first operand."""

    def __init__(self, op: Op, sample: Sample, right: bool) -> None:
        operands = [_leaf(each) for each in sample.operands]
        self.tensors = {
            str(place): each for place, each in enumerate(flattened(operands)) if _is_leaf(each)
        }
        if not right:
            operands[0] = "x"
        self.text = f"{op.name}{sample}{'' if right else ' of a text'}"
        self._function = op.function
        self._arguments = arguments_in_order(op, operands, sample.params)

    def called(self) -> Any:
        """Call the op."""
        args, params = self._arguments
        return self._function(*args, **params)


class CompiledStep(Program):
    """A step that `torch.compile` runs at once after a few calls, with its backward or without."""

    def __init__(self, goes_backward: bool) -> None:
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
        self.tensors = {"x": torch.randn(5, 3), "w": torch.randn(3, 3, requires_grad=True)}
        self.tensors |= dict(net.named_parameters())

        def step(x: Any, w: Any) -> Any:
            loss = (net(x @ w) * 2 - 0.5).square().mean()
            if not goes_backward:
                return torch.cat([loss.view(1), w.view(-1)])
            loss.backward()
            return loss.detach()

        self.text = f"a compiled step{' and its backward' if goes_backward else ''}"
        self._step = torch.compile(step)
        for _ in range(8):
            self.step()

    def called(self) -> Any:
        """Call the step."""
        return self._step(self.tensors["x"], self.tensors["w"])

    def runs_at_once(self) -> bool:
        """Return whether the compiled module runs a part of the step at once."""
        return "at once in the compiled module, " in str(torch.inspect.compiled(self._step))


def calls_of_ops() -> list[CallOfOp]:
    """Return a right and a wrong call of every op."""
    firsts = [(op, samples(op)[:1]) for _, op in sorted(registry.items())]
    return [
        CallOfOp(op, sample, right)
        for op, found in firsts for sample in found for right in (True, False)
    ]  # fmt: skip


def _leaf(value: Any) -> Any:
    if isinstance(value, list):
        return [_leaf(each) for each in value]
    if not isinstance(value, np.ndarray):
        return value
    return torch.from_numpy(np.array(value)).requires_grad_(value.dtype.kind in "fc")


def _is_leaf(value: Any) -> bool:
    return isinstance(value, torch.Tensor)
