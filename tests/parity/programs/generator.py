"""Random programs about graphs, written as text; the same for the same seed."""

from __future__ import annotations

import re

from tests.parity.programs import forms
from tests.robustness.both_ways import choices
from tests.robustness.both_ways.generator import Program, Variable

SHAPES = ((2, 3), (2, 3), (2, 3), (3,), (3, 3), (2, 3, 4), (), (1, 3), (4, 3))
DTYPES = ("float64",) * 12 + ("float32",) * 3
MODES = (
    "torch.no_grad()", "torch.no_grad()", "torch.inference_mode()", "torch.enable_grad()",
    "torch.set_grad_enabled(False)", "torch.autograd.detect_anomaly()",
    "torch.autograd.graph.save_on_cpu()", "fwAD.dual_level()",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t)",
)  # fmt: skip
#: expressions whose numbers are random, and those that differ by a row about values
_LEFT_OUT = re.compile(
    r"dropout|normal_|uniform_|bernoulli|svd|kthvalue|median|half\(|bfloat16|_foreach|sinc|linear_cross"
)


def _chosen(expressions: list[choices.Expression]) -> list[choices.Expression]:
    return [each for each in expressions if not _LEFT_OUT.search(each.text)]


UNARY, REDUCTIONS = _chosen(choices.UNARY), _chosen(choices.REDUCTIONS)
VIEWS, PRODUCTS = _chosen(choices.VIEWS), _chosen(choices.PRODUCTS)
LAYERS = [
    each for each in choices.LAYERS
    if not re.search(r"Dropout|Bilinear|Embedding|GRU", each.text)
]  # fmt: skip
CHANGES = (*forms.CHANGES, *(each for each in choices.CHANGES if not _LEFT_OUT.search(each)))
#: but for what makes PyTorch choose kernels that count no versions, or need another device
OPTIMIZERS = tuple(
    each for each in choices.OPTIMIZERS if not re.search("Muon|Adafactor|fused|capturable", each)
)


class GraphProgram(Program):
    """A program of straight lines, about all that can be done with a graph."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.dtype = self.random.choice(DTYPES)
        self.rounded = True
        self.lines = self.body = self.setup
        self.hooked = 0

    def write(self, *lines: str) -> None:
        """Write lines at the end."""
        self.lines.extend(lines)

    def new_leaf(self, fits: object = None) -> Variable:
        """Write a leaf, most of them with gradients."""
        accepted = fits if callable(fits) else lambda _: True
        made = None
        for _ in range(30):
            made = Variable(
                self.name("x"), self.random.choice(SHAPES), self.dtype, True, self.chance(0.75)
            )
            if accepted(made):
                break
        assert made is not None
        grad = ", grad=True" if made.has_grad else ""
        seed = self.random.randrange(99)
        self.lines.append(f"{made.name} = leaf({made.shape}, torch.{made.dtype}, {seed}{grad})")
        self.variables.append(made)
        return made

    def filled(self, text: str) -> str:
        """Return a form with tensors of the program in its places."""
        first = self.tensor(lambda each: bool(each.shape) or self.chance(0.1))
        second = self.tensor(lambda each: each.shape in (first.shape, first.shape[-1:], ()))
        inner = re.sub(r"\bX\b", "v", self.random.choice(UNARY).text)
        puts = {
            "X": first.name, "Y": second.name, "L": self.random.choice(self.leaves()), "W": inner,
        }  # fmt: skip
        for letter in "NM":
            if re.search(rf"\b{letter}\b", text):
                puts[letter] = self.name("n")
        return re.sub(r"\b[XYLWNM]\b", lambda match: puts.get(match[0], match[0]), text)

    # ---- statements ----

    def unary(self) -> None:
        self.applied(UNARY)

    def reduction(self) -> None:
        self.applied(REDUCTIONS)

    def view(self) -> None:
        if self.chance(0.4):
            self.applied(VIEWS)
            return
        text = self.random.choice(forms.VIEWS)
        of = self.tensor(lambda each: len(each.shape) > 1 or self.chance(0.1))
        name = self.name("y")
        self.write(f"{name} = {re.sub('X', of.name, text)}")
        # its shape is not known: it takes part as one of two dimensions
        self.variables.append(Variable(name, of.shape, of.dtype, False, of.has_grad))

    def product(self) -> None:
        self.applied(PRODUCTS)

    def change(self) -> None:
        text = self.filled(self.random.choice(CHANGES))
        self.write(f"with torch.no_grad():\n    {text}" if self.chance(0.15) else text)

    def question(self) -> None:
        self.write(f"show({self.filled(self.random.choice(forms.QUESTIONS))})")

    def hook(self) -> None:
        handle = self.name("h")
        self.write(f"{handle} = {self.filled(self.random.choice(forms.HOOKS))}")
        self.handles.append(handle)

    def backward(self) -> None:
        self.write(self.filled(self.random.choice(forms.PASSES)))

    def grad(self) -> None:
        name = self.name("g")
        self.write(f"{name} = {self.filled(self.random.choice(forms.GRADS))}")
        if self.chance(0.4):
            self.write(self.random.choice((
                f"{name}[0].sum().backward()", f"{name}[0].mul_(2)", f"{name} = {name}[0]",
                f"torch.autograd.grad({name}[0].sum(), {self.leaves()[0]}, allow_unused=True)",
            )))  # fmt: skip

    def scene(self) -> None:
        self.write(self.filled(self.random.choice(forms.SCENES)))

    def transform(self) -> None:
        name = self.name("t")
        self.write(f"{name} = {self.filled(self.random.choice(forms.TRANSFORMS))}")

    def own_function(self) -> None:
        """Write a custom function and its call."""
        made = self.random.choice(forms.FUNCTIONS)
        name = self.name("Own")
        of = self.tensor()
        body, _, call = made.replace("NAME", name).rpartition("\nX = ")
        self.write(body)
        self.assigned(re.sub(r"\bX\b", of.name, call), of.shape, of)

    def layer(self) -> None:
        """Write a layer with weights that are known, with hooks now and then."""
        kind = self.random.choice(LAYERS)
        name = self.name("m")
        double = ".double()" if self.dtype == "float64" else ""
        self.write(f"{name} = known({kind.text}{double})")
        if self.chance(0.5):
            self.write(f"{self.name('h')} = " + self.random.choice((
                f"{name}.register_forward_hook(lambda m, a, out: hooked('forward', out))",
                f"{name}.register_forward_hook(lambda m, a, out: out * 2)",
                f"{name}.register_forward_pre_hook(lambda m, a: hooked('enters', a))",
                f"{name}.register_full_backward_hook(lambda m, i, o: hooked('module', i, o))",
                f"{name}.register_full_backward_pre_hook(lambda m, o: hooked('module', o))",
                f"{name}.register_full_backward_hook(lambda m, i, o: twice(i, o))",
            )))  # fmt: skip
        self.layers.append((name, kind))

    def layer_state(self) -> None:
        if not self.layers:
            self.layer()
        name = self.random.choice(self.layers)[0]
        self.write(self.random.choice((
            f"{name}.eval()", f"{name}.train()", f"{name}.zero_grad()",
            f"{name}.requires_grad_(False)", f"{name}.load_state_dict({name}.state_dict())",
            f"n{name} = copy.deepcopy({name})", f"{name}.weight = nn.Parameter({name}.weight * 2)",
            f"{name}.weight.data.mul_(0.5)", f"{name}.float()", f"{name}.double()",
            f"nn.utils.parametrizations.weight_norm({name})",
            f"nn.utils.clip_grad_norm_({name}.parameters(), 1.0)",
            f"nn.init.ones_({name}.weight)", f"nn.utils.parametrizations.orthogonal({name})",
        )))  # fmt: skip

    def optimizer(self) -> None:
        name = self.name("opt")
        self.write(f"{name} = torch.optim.{self.made_optimizer(OPTIMIZERS)}")
        self.optimizers.append(name)

    def block(self) -> None:
        """Write some statements inside a mode."""
        outer, self.lines = self.lines, []
        for _ in range(self.random.randint(1, 3)):
            self.random.choice((
                self.unary, self.binary, self.view, self.reduction, self.change, self.backward,
                self.grad, self.scene, self.question,
            ))()  # fmt: skip
        inner, self.lines = self.lines, outer
        text = "\n".join(inner).replace("\n", "\n    ")
        self.write(f"with {self.random.choice(MODES)}:\n    {text}")

    def text(self) -> str:
        """Return the program."""
        return "\n".join(self.lines) + "\n"


#: statements, and how often they are written
_STATEMENTS: dict[str, int] = {
    "unary": 6, "binary": 8, "reduction": 3, "view": 9, "product": 2, "change": 9, "backward": 7,
    "grad": 5, "hook": 6, "without_hook": 1, "question": 9, "scene": 9, "transform": 3,
    "own_function": 3, "called_layer": 2, "layer_state": 1, "optimizer_step": 2, "block": 4,
}  # fmt: skip


def program(seed: int) -> str:
    """Return the program of a seed."""
    made = GraphProgram(seed)
    for _ in range(made.random.randint(2, 4)):
        made.new_leaf()
    kinds, weights = list(_STATEMENTS), list(_STATEMENTS.values())
    for kind in made.random.choices(kinds, weights, k=made.random.randint(8, 34)):
        getattr(made, kind)()
    return made.text()
