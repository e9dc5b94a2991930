"""Random programs, written as text; the same for the same seed, whatever the library does."""

from __future__ import annotations

import ast
import functools
import random
import re
from collections.abc import Callable
from typing import NamedTuple

from tests.robustness.both_ways import choices
from tests.robustness.both_ways.agreement import units_of
from tests.robustness.both_ways.choices import Expression, Shape
from tests.robustness.both_ways.odd_calls import odd_call
from tests.robustness.both_ways.own_ops import OWN_OPS
from tests.samples.operands import operands
from tests.samples.reader import read, texts

SHAPES: tuple[Shape, ...] = (
    (2, 3),
    (2, 3),
    (3,),
    (3, 3),
    (2, 3, 4),
    (),
    (1, 3),
    (0, 3),
    (2, 1),
    (4, 3),
)
DTYPES = ("float32",) * 12 + ("float64",) * 6 + ("float16", "bfloat16", "complex64", "int64")
LAYOUTS = ("rows",) * 6 + ("turned", "gaps", "shifted", "spread")
KINDS = ("normal",) * 6 + ("eighths", "eighths", "special")
#: the share of programs that may name functions of the table of what is rounded
ROUNDED = 0.4
#: names of samples' operands and what stands for them, where the program has such a tensor
_SAMPLE_SHAPES = {
    name: array.shape for name, array in operands().items() if array.dtype.kind == "f"
}


class Variable(NamedTuple):
    """A tensor of a program, as far as its text tells."""

    name: str
    shape: Shape
    dtype: str
    is_leaf: bool = False
    has_grad: bool = False


class Program:
    """A program that is being written."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.random.choice(DTYPES)
        self.rounded = self.random.random() < ROUNDED
        self.setup: list[str] = []
        self.body: list[str] = []
        self.lines = self.setup
        self.variables: list[Variable] = []
        self.layers: list[tuple[str, Expression]] = []
        self.optimizers: list[str] = []
        self.globals: list[str] = []
        self.own: list[str] = []
        self.handles: list[str] = []
        self.count = 0

    # ---- what statements are written with ----

    def name(self, letter: str) -> str:
        self.count += 1
        return f"{letter}{self.count}"

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def write(self, *lines: str) -> None:
        """Write lines, if what they name may be named in this program."""
        text = "\n".join(lines)
        if self.rounded or not units_of(text):
            self.lines.extend(lines)

    def tensor(self, fits: Callable[[Variable], bool] = lambda variable: True) -> Variable:
        """Return a tensor of the program, more often one of the last; a new leaf if none fits."""
        found = [each for each in self.variables if fits(each)]
        if not found:
            return self.new_leaf(fits)
        return self.random.choice(found[-6:] if self.chance(0.6) else found)

    def new_leaf(self, fits: Callable[[Variable], bool] = lambda variable: True) -> Variable:
        """Write a leaf, of a shape and dtype that fit, into the beginning of the program."""
        for _ in range(30):
            dtype = self.dtype if self.chance(0.85) else self.random.choice(DTYPES)
            shape = self.random.choice(SHAPES)
            grad = dtype != "int64" and self.chance(0.8)
            made = Variable(f"x{self.count + 1}", shape, dtype, True, grad)
            if fits(made):
                break
        else:
            made = Variable(f"x{self.count + 1}", (2, 3), self.dtype, True, self.dtype != "int64")
        self.count += 1
        kind = "whole" if made.dtype == "int64" else self.random.choice(KINDS)
        layout = self.random.choice(LAYOUTS)
        self.setup.append(
            f'{made.name} = leaf({made.shape}, torch.{made.dtype}, {self.random.randrange(99)},'
            f' "{layout}", "{kind}"{", grad=True" if made.has_grad else ""})'
        )  # fmt: skip
        self.variables.append(made)
        return made

    def assigned(
        self, text: str, shape: Shape, of: Variable, other: Variable | None = None
    ) -> None:
        """Write an assignment of a new name, or of one that there is, and remember its shape."""
        name = self.name("y")
        if self.variables and self.chance(0.1):
            again = [each for each in self.variables if not each.is_leaf]
            name = self.random.choice(again).name if again else name
        before = len(self.lines)
        self.write(f"{name} = {text}")
        if len(self.lines) > before:
            self.variables = [each for each in self.variables if each.name != name]
            has_grad = of.has_grad or (other is not None and other.has_grad)
            self.variables.append(Variable(name, shape, of.dtype, False, has_grad))

    def applied(self, kinds: list[Expression]) -> None:
        """Write one of some expressions, for a tensor that it fits."""
        each = self.random.choice(kinds)
        of = self.tensor(lambda variable: each.shape(variable.shape) is not None)
        shape = each.shape(of.shape)
        if shape is not None:
            self.assigned(_put(each.text, X=of.name), shape, of)

    def differentiable(self) -> str:
        """Return an expression of something to go backward from."""
        of = self.tensor(lambda each: each.has_grad)
        return self.random.choice((
            f"total({of.name})", f"total({of.name})", f"average({of.name})", f"{of.name}.sum()",
            f"total({of.name} * {of.name})", f"total({of.name}.abs())", f"{of.name}.mean()",
            f"average({of.name}.square())", f"average({of.name}.t())", f"total({of.name}.float())",
            f"average({of.name}.reshape(-1))", f"{of.name}.mean(0).sum()",
            f"{of.name}.view(-1).mean()",
        ))  # fmt: skip

    def leaves(self) -> list[str]:
        found = [each.name for each in self.variables if each.is_leaf and each.has_grad]
        return found or [self.new_leaf(lambda each: each.has_grad).name]

    # ---- statements ----

    def unary(self) -> None:
        self.applied(choices.UNARY)

    def reduction(self) -> None:
        self.applied(choices.REDUCTIONS)

    def view(self) -> None:
        self.applied(choices.VIEWS)

    def product(self) -> None:
        self.applied(choices.PRODUCTS)

    def binary(self) -> None:
        first = self.tensor()
        second = self.tensor(
            lambda each: (
                each.shape == first.shape
                or each.shape in ((), first.shape[-1:], (1, *first.shape[1:]))
            )
        )
        text = _put(self.random.choice(choices.BINARY), X=first.name, Y=second.name)
        self.assigned(text, first.shape, first, second)

    def change(self) -> None:
        first = self.tensor(lambda each: not each.is_leaf or not each.has_grad or self.chance(0.2))
        second = self.tensor(lambda each: each.shape in ((), first.shape, first.shape[-1:]))
        text = _put(self.random.choice(choices.CHANGES), X=first.name, Y=second.name)
        if self.chance(0.25):
            self.write("with torch.no_grad():", f"    {text}")
        else:
            self.write(text)

    def sample(self) -> None:
        """Write one of the samples of calls, on tensors of the program where they fit."""
        self.write(f"show({self.with_operands(self.random.choice(_samples()))})")

    def with_operands(self, text: str) -> str:
        return ast.unparse(_Names(self).visit(ast.parse(text)))

    def odd_call(self) -> None:
        self.write(f"odd(lambda: {odd_call(self.random)})")

    def backward(self) -> None:
        options = self.random.choice((
            "", "", "", "retain_graph=True", "create_graph=True",
            f"inputs=[{self.random.choice(self.leaves())}]",
        ))  # fmt: skip
        of = self.tensor(lambda each: each.has_grad and not each.is_leaf)
        if self.chance(0.15):
            given = self.random.choice(("torch.ones_like", "torch.zeros_like", "torch.rand_like"))
            self.write(f"{of.name}.backward({given}({of.name}){', ' + options if options else ''})")
        else:
            self.write(f"{self.differentiable()}.backward({options})")

    def grad(self) -> None:
        leaves = self.leaves()
        wanted = self.random.sample(leaves, min(len(leaves), self.random.randint(1, 2)))
        options = self.random.choice((
            "", ", allow_unused=True", ", retain_graph=True, allow_unused=True",
            ", create_graph=True, allow_unused=True", ", materialize_grads=True",
            ", create_graph=True",
        ))  # fmt: skip
        name = self.name("g")
        inputs = ", ".join(wanted)
        self.write(
            f"{name}, *_ = torch.autograd.grad({self.differentiable()}, [{inputs}]{options})"
        )
        leaf = next(each for each in self.variables if each.name == wanted[0])
        self.variables.append(Variable(name, leaf.shape, leaf.dtype))
        if self.chance(0.4):
            self.write(self.random.choice((
                f"{name}[0, 0] = 5", f"{name}.mul_(2)", f"{name}.view(-1)[0] = 5",
                f"{name}.add_({name})",
                f"{wanted[0]}.grad = {name}",
            )))  # fmt: skip

    def gradients(self) -> None:
        leaf = self.random.choice(self.leaves())
        self.write(self.random.choice((
            f"{leaf}.grad = None", f"{leaf}.grad = None", f"{leaf}.grad.zero_()",
            f"{leaf}.grad.mul_(2)",
            f"{leaf}.grad = torch.ones_like({leaf})", f"{leaf}.grad[0] = 5",
            f"{leaf}.requires_grad_(False)",
            f"{leaf}.requires_grad_()", f"show({leaf}.grad)", f"g = {leaf}.grad",
            f"{leaf}.grad.detach_()",
            f"{leaf}.grad.clamp_(-1, 1)", f"nn.utils.clip_grad_norm_([{leaf}], 1.0)",
            f"nn.utils.clip_grad_value_([{leaf}], 0.5)",
            f"{leaf} = {leaf}.detach().requires_grad_()",
        )))  # fmt: skip

    def hook(self) -> None:
        of = self.tensor(lambda each: each.has_grad)
        handle = self.name("h")
        action = self.random.choice((
            "lambda g: show('hook', g)", "lambda g: g * 2", "lambda g: g.clone()", "lambda g: None",
            "lambda g: g * G[0]", "raising", "lambda g: g.mul_(2)", "lambda g: g[:1]",
            "lambda g: 3",
            "lambda g: g.expand(g.shape)", "lambda g: g.double()", "lambda g: show(g._version)",
        ))  # fmt: skip
        kinds = [f"{of.name}.register_hook({action})"] * 3
        if of.is_leaf:
            kinds += [
                f"{of.name}.register_post_accumulate_grad_hook(lambda p: show('after', p.grad))",
                f"{of.name}.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
                f"{of.name}.register_post_accumulate_grad_hook(raising)",
            ]
        else:
            kinds += [
                f"{of.name}.grad_fn.register_hook(lambda into, out: show('node', into, out))",
                f"{of.name}.grad_fn.register_hook(twice)",
                f"{of.name}.grad_fn.register_prehook(lambda out: show('before', out))",
                f"{of.name}.grad_fn.register_prehook(halved)",
                f"{of.name}.retain_grad()",
                f"{of.name}.grad_fn.register_hook(raising)",
                "torch.autograd.graph.register_multi_grad_hook("
                f"[{of.name}], lambda g: show('several', g))",
            ]
        if not self.globals_named("G"):
            self.setup.insert(0, "G = [1.0]")
            self.globals.append("G[0]")
        self.write(f"{handle} = {self.random.choice(kinds)}")
        self.handles.append(handle)

    def globals_named(self, name: str) -> bool:
        return any(each.startswith(name) for each in self.globals)

    def without_hook(self) -> None:
        if self.handles:
            self.write(f"{self.random.choice(self.handles)}.remove()")

    def layer(self) -> None:
        """Write a layer, with hooks now and then."""
        kind = self.random.choice(choices.LAYERS)
        name = self.name("m")
        made = kind.text + (
            f".to(torch.{self.dtype})" if self.dtype in ("float64", "bfloat16") else ""
        )
        before, self.lines = self.lines, self.setup
        self.write(f"{name} = {made}")
        if self.chance(0.4):
            self.write(f"{self.name('h')} = " + self.random.choice((
                f"{name}.register_forward_hook(lambda m, a, out: show('forward', out))",
                f"{name}.register_forward_hook(lambda m, a, out: out * 2)",
                f"{name}.register_forward_pre_hook(lambda m, a: show('enters', a))",
                f"{name}.register_full_backward_hook(lambda m, into, out: show('module', out))",
                f"{name}.register_full_backward_pre_hook(lambda m, out: show('module', out))",
                f"{name}.register_full_backward_hook(lambda m, into, out: twice(into, out))",
                f"{name}.register_forward_hook(raising)",
            )))  # fmt: skip
        self.lines = before
        self.layers.append((name, kind))

    def called_layer(self) -> None:
        if not self.layers:
            self.layer()
        name, kind = self.random.choice(self.layers)
        of = self.tensor(
            lambda each: kind.shape(each.shape) is not None and each.dtype == self.dtype
        )
        match kind.text[:10]:
            case "nn.Embeddi":
                self.assigned(f"{name}(torch.tensor([0, 4, 0]))", (3, 3), of)
            case "nn.Bilinea":
                of = self.tensor(lambda each: each.shape == (2, 3))
                self.assigned(f"{name}({of.name}, {of.name})", (2, 2), of)
            case "nn.GRU(3, ":
                of = self.tensor(lambda each: each.shape == (3, 3))
                self.assigned(f"{name}({of.name}[None])[0]", (1, 3, 2), of)
            case _:
                self.assigned(f"{name}({of.name})", kind.shape(of.shape) or of.shape, of)

    def layer_state(self) -> None:
        if not self.layers:
            return
        name, _ = self.random.choice(self.layers)
        self.write(self.random.choice((
            f"{name}.eval()", f"{name}.train()", f"{name}.zero_grad()",
            f"{name}.requires_grad_(False)",
            f"{name}.requires_grad_(True)", f"{name}.load_state_dict({name}.state_dict())",
            f"{name}.double()", f"{name}.float()",
            f"{name}.weight = nn.Parameter({name}.weight * 2)",
            f"{name}.weight.data.mul_(0.5)", f"show([p.grad for p in {name}.parameters()])",
        )))  # fmt: skip

    def optimizer(self) -> None:
        """Write an optimizer of leaves or of a layer."""
        made, name = self.made_optimizer(choices.OPTIMIZERS), self.name("opt")
        before, self.lines = self.lines, self.setup
        count = len(self.setup)
        self.write(f"{name} = torch.optim.{made}")
        self.lines = before
        if len(self.setup) > count:
            self.optimizers.append(name)

    def made_optimizer(self, among: tuple[str, ...]) -> str:
        """Return one of these optimizers, with parameters in its place for them."""
        if self.layers and self.chance(0.6):
            params = f"{self.random.choice(self.layers)[0]}.parameters()"
        else:
            params = f"[{', '.join(self.leaves()[:3])}]"
        return re.sub(r"\bP\b", params, self.random.choice(among))

    def optimizer_step(self) -> None:
        if not self.optimizers:
            self.optimizer()
        if not self.optimizers:
            return
        name = self.random.choice(self.optimizers)
        self.write(self.random.choice((
            f"{name}.step()", f"{name}.step()", f"{name}.step()", f"{name}.zero_grad()",
            f"{name}.zero_grad(set_to_none=False)", f'{name}.param_groups[0]["lr"] *= 0.5',
            f'{name}.param_groups[0]["lr"] = 0.25',
            f'{name}.param_groups[0]["weight_decay"] = 0.25',
            f'{name}.param_groups[0]["momentum"] = 0.5',
            f"{name}.load_state_dict({name}.state_dict())",
            f"{name}.state.clear()", f'{name}.param_groups[0]["maximize"] = True',
            f"torch.optim.lr_scheduler.StepLR({name}, 1, 0.5).step()", f"{name}.step(lambda: 1.0)",
            f"show({name}.state_dict())",
        )))  # fmt: skip

    def own_op(self) -> None:
        """Write an op of the program's own, whose formulas read what changes."""
        made = self.random.choice(OWN_OPS)
        name = self.name("own")
        before, self.lines = self.lines, self.setup
        self.write(made.text.replace("OP", name))
        self.lines = before
        self.own.append(name)
        self.globals += [each.replace("OP", name) for each in made.changing]

    def called_own_op(self) -> None:
        if not self.own:
            self.own_op()
        of = self.tensor(lambda each: each.has_grad)
        self.assigned(f"{self.random.choice(self.own)}({of.name})", of.shape, of)

    def global_change(self) -> None:
        if not self.globals:
            self.own_op()
        if self.globals:
            name = self.random.choice(self.globals)
            if "(" in name:
                self.write(name)
            else:
                values = ("step + 2.0", f"{name} * 2", "0.5", "3.0", "-1.0")
                self.write(f"{name} = {self.random.choice(values)}")

    def block(self) -> None:
        """Write some statements inside a mode."""
        inner = Program.__new__(Program)
        inner.__dict__ = self.__dict__ | {"lines": []}
        for _ in range(self.random.randint(1, 3)):
            self.random.choice((
                inner.unary, inner.binary, inner.called_layer, inner.view, inner.product,
                inner.reduction, inner.change, inner.called_own_op, inner.backward, inner.grad,
                inner.optimizer_step,
            ))()  # fmt: skip
        if self.chance(0.1):
            inner.lines.append("raising()")
        self.count, self.variables = inner.count, inner.variables
        if inner.lines:
            self.write(
                f"with {self.random.choice(_MODES)}:",
                *(f"    {line}" for text in inner.lines for line in text.splitlines()),
            )

    def checkpointed(self) -> None:
        of = self.tensor(lambda each: each.has_grad)
        text = _put(self.random.choice(choices.UNARY[:40]).text, X="v")
        reentrant = self.random.choice(("True", "False"))
        self.assigned(
            f"checkpoint(lambda v: ({text}) * 2, {of.name}, use_reentrant={reentrant})",
            of.shape,
            of,
        )

    def transform(self) -> None:
        of = self.tensor()
        text = _put(self.random.choice(choices.UNARY[:60]).text, X="v")
        self.write("show(" + self.random.choice((
            f"torch.func.vmap(lambda v: {text})({of.name})",
            f"torch.func.grad(lambda v: total({text}))({of.name})",
            f"torch.func.jvp(lambda v: {text}, ({of.name},), (torch.ones_like({of.name}),))",
            f"torch.func.vjp(lambda v: {text}, {of.name})[1](torch.ones_like({of.name}))",
            f"torch.autograd.functional.hessian(lambda v: total({text}), {of.name}.detach())",
            f"torch.func.jacrev(lambda v: {text})({of.name})",
        )) + ")")  # fmt: skip

    def reference(self) -> None:
        of = self.tensor(lambda each: not each.is_leaf)
        kept = self.name("r")
        match self.random.randrange(4):
            case 0:
                self.write(f"{kept} = weakref.ref({of.name})")
                self.write(f"del {of.name}", "show('gone', " + f"{kept}() is None)")
            case 1:
                self.write(f"{kept} = weakref.ref({of.name}.grad_fn)", f"show({kept}() is None)")
            case 2:
                self.write(f"del {of.name}")
            case _:
                self.write(f"show(graph({of.name}))")
        if (
            of in self.variables
            and self.lines
            and self.lines[-1].startswith(("del", "show('gone'"))
        ):
            self.variables.remove(of)

    def failure(self) -> None:
        """Write what raises, now and then what does not."""
        of = self.tensor()
        self.write(self.random.choice((
            f"{of.name} @ torch.ones(7, 7)", f"{of.name} + torch.ones(5)", f"{of.name}.view(7)",
            f"{of.name}.sum().backward(torch.ones(3))", f"torch.cat([{of.name}, torch.ones(7, 7)])",
            f"{of.name}.sum(5)", f"{of.name}[9]", f"{of.name}.mul('x')", f"F.softmax({of.name})",
            f"{of.name}.backward()", f"{of.name}.add_(torch.ones(5, 5))",
            f"{of.name}.reshape(5, -1)",
            f"torch.autograd.grad({of.name}.sum(), torch.ones(1))", f"{of.name}.item()",
            f"{of.name}.expand(9, 9, 9)", f"{of.name}.to('nowhere')", f"bool({of.name})",
            f"F.conv1d({of.name}, {of.name})", f"F.linear({of.name}, torch.ones(2, 9))",
            "raising()",
            f"{of.name}[0] = torch.ones(9)", f"torch.stack([{of.name}, torch.ones(9)])",
            f"{of.name}.clamp()", f"torch.where({of.name}, 1, 2)", f"{of.name}.scatter(0, 5, 5)",
            f"nn.Linear(7, 7)({of.name})", f"{of.name} ** 'x'", f"{of.name}.sum(dtype=3)",
            f"show({self.with_operands(self.random.choice(_errors()))})",
        )))  # fmt: skip

    def threads(self) -> None:
        of = self.tensor()
        leaf = self.random.choice(self.leaves())
        text = _put(self.random.choice(choices.UNARY[:60]).text, X=of.name)
        self.write("show(in_threads(lambda k: " + self.random.choice((
            f"({text}) * k",
            f"torch.autograd.grad(total(({text}) * k), {leaf}, "
            "retain_graph=True, allow_unused=True)",
            f"torch.autograd.grad((({leaf} * {leaf}) * k)[0], {leaf})",
            f"({leaf}.detach().clone().requires_grad_() * k)",
            "(torch.is_grad_enabled(), torch.is_inference_mode_enabled())",
        )) + "))")  # fmt: skip

    def text(self) -> str:
        """Return the program, with several steps of the body."""
        steps = self.random.choice((1, 2, 3, 3, 4))
        body = "\n".join(self.body).replace("\n", "\n    ")
        return "\n".join(self.setup) + f"\nfor step in range({steps}):\n    {body}\n"


_MODES = (
    "torch.no_grad()", "torch.no_grad()", "torch.inference_mode()", "torch.enable_grad()",
    "torch.set_grad_enabled(False)", "torch.autocast('cpu')",
    "torch.autocast('cpu', torch.float16)",
    "torch.autocast('cpu', enabled=False)", "torch.autograd.detect_anomaly(check_nan=False)",
    "torch.autograd.detect_anomaly()", "torch.inference_mode(False)",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: (show('packed', t), t)[1], lambda t: t)",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t * 2)",
    "torch.autograd.graph.saved_tensors_hooks(raising, raising)",
    "torch.autograd.graph.save_on_cpu()", "torch.autograd.graph.disable_saved_tensors_hooks('off')",
    "torch.autograd.graph.allow_mutation_on_saved_tensors()", "contextlib.suppress(Boom)",
    "torch.random.fork_rng()", "torch.autograd.set_multithreading_enabled(False)",
    "torch.autograd.forward_ad.dual_level()",
)  # fmt: skip

#: statements, and how often they are written
_STATEMENTS: dict[str, int] = {
    "unary": 10, "binary": 9, "reduction": 6, "view": 8, "product": 5, "change": 7, "sample": 6,
    "backward": 7, "grad": 6, "gradients": 3, "hook": 4, "without_hook": 1, "called_layer": 4,
    "layer_state": 1, "optimizer_step": 5, "called_own_op": 5, "global_change": 4, "block": 6,
    "checkpointed": 2, "transform": 1, "reference": 2, "failure": 3, "threads": 1, "odd_call": 2,
}  # fmt: skip


def program(seed: int) -> str:
    """Return the program of a seed."""
    made = Program(seed)
    for _ in range(made.random.randint(2, 4)):
        made.new_leaf()
    if made.chance(0.4):
        made.layer()
    if made.chance(0.35):
        made.own_op()
    if made.chance(0.4):
        made.optimizer()
    made.lines = made.body
    kinds, weights = list(_STATEMENTS), list(_STATEMENTS.values())
    for kind in made.random.choices(kinds, weights, k=made.random.randint(8, 30)):
        getattr(made, kind)()
    if not made.body:
        made.unary()
        made.body.append("pass")
    return made.text()


def _put(text: str, **operands_: str) -> str:
    return re.sub(r"\b[XYZ]\b", lambda match: operands_.get(match[0], match[0]), text)


class _Names(ast.NodeTransformer):
    """Puts tensors of a program, or the samples' own, in the places that a sample names."""

    def __init__(self, program: Program) -> None:
        self.program = program

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in operands():
            return node
        shape = _SAMPLE_SHAPES.get(node.id)
        there = [each.name for each in self.program.variables if each.shape == shape]
        if there and self.program.chance(0.6):
            return ast.Name(self.program.random.choice(there))
        return ast.parse(f"sample('{node.id}', True)", mode="eval").body


@functools.cache
def _samples() -> list[str]:
    """Return the samples of calls that are expressions."""
    return [each for each in texts("expressions") if not re.search(r"[;\n]|\bnp\.", each)]


@functools.cache
def _errors() -> list[str]:
    """Return the samples of calls that raise."""
    return [
        line.text
        for line in read("expressions/errors")
        if not re.search(r"[;\n]|\bnp\.", line.text)
    ]
