"""What surrounds a step of training: elements, activations, random numbers, batches, files."""

from __future__ import annotations

import copy
import functools
import io
from collections.abc import Callable
from types import ModuleType
from typing import Any

from benchmarks.harness import Case, Duel, Program

TARGET = 1.2
#: few, since there are many cases
ROUNDS = 5
REPEATS = 100
MANY = 4_000_000

#: done `REPEATS` times in a loop; a name is one that `operands` makes
SMALL = {
    "read an element, x[i]": "x[i]",
    "read an element of a matrix, m[i, j]": "m[i, 3]",
    "read a row, m[i]": "m[i]",
    "read a slice, x[1:i]": "x[1:i]",
    "read an element as a number, x[i].item()": "x[i].item()",
    "write an element, x[i] = 1.5": "x.__setitem__(i, 1.5)",
    "write a row, m[i] = row": "m.__setitem__(i, x)",
    "change in place, x += y": "x.__iadd__(y)",
    "fill, x.zero_()": "x.zero_()",
    "tensor([1.0, 2.0, 3.0])": "torch.tensor([1.0, 2.0, 3.0])",
    "tensor(3.0)": "torch.tensor(3.0)",
    "zeros(3)": "torch.zeros(3)",
    "cat of two vectors": "torch.cat([x, y])",
    "stack of two vectors": "torch.stack([x, y])",
    "split in four": "x.split(25)",
    "chunk in two": "x.chunk(2)",
    "x.sum()": "x.sum()",
    "x.mean()": "x.mean()",
    "x.view(10, 10)": "x.view(10, 10)",
    "x.tolist()": "x.tolist()",
}

#: done once
LARGE = {
    "relu": "torch.relu(large)",
    "gelu": "torch.nn.functional.gelu(large)",
    "silu": "torch.nn.functional.silu(large)",
    "sigmoid": "torch.sigmoid(large)",
    "tanh": "torch.tanh(large)",
    "exp": "torch.exp(large)",
    "sin": "torch.sin(large)",
    "erf": "torch.erf(large)",
    "pow 2.5": "positive ** 2.5",
    "softmax of 4,000 rows": "torch.softmax(rows, 1)",
    "layer norm of 4,000 rows": "torch.nn.functional.layer_norm(rows, (1000,))",
    "group norm in 8 groups": "torch.nn.functional.group_norm(images, 8)",
    "dropout": "torch.nn.functional.dropout(large, 0.3)",
    "sum": "large.sum()",
    "sum of 1,000 columns": "rows.sum(0)",
    "mean of 4,000 rows": "rows.mean(1)",
    "largest of 4,000 rows": "rows.max(1)",
    "variance of 4,000 rows": "rows.var(1)",
    "cumsum": "torch.cumsum(large, 0)",
    "cumsum of 1,000 columns": "torch.cumsum(rows, 0)",
    "cumprod": "torch.cumprod(positive, 0)",
    "sort of 4,000 rows": "torch.sort(rows)",
    "topk, 10 of 1,000, 4,000 times": "torch.topk(rows, 10)",
    "gather": "torch.gather(rows, 1, places)",
    "scatter_add": "torch.zeros_like(rows).scatter_add(1, places, rows)",
    "index_add of 4,000 rows": "torch.zeros_like(rows).index_add(0, order, rows)",
    "choose rows, rows[order]": "rows[order]",
    "embedding": "torch.nn.functional.embedding(order, rows)",
    "to bfloat16": "large.to(torch.bfloat16)",
    "to float16 and back": "large.to(torch.float16).to(torch.float32)",
}

#: of 10⁶ numbers, or as they say
RANDOM = {
    "randn": "torch.randn(1_000_000)",
    "rand": "torch.rand(1_000_000)",
    "randint": "torch.randint(0, 100, (1_000_000,))",
    "randperm": "torch.randperm(1_000_000)",
    "bernoulli": "torch.bernoulli(probabilities)",
    "multinomial, 10 of 100, 1,000 times": "torch.multinomial(weights, 10)",
    "Normal(0, 1).sample() and log_prob": "normal.log_prob(normal.sample((1000,)))",
    "Categorical.sample() and log_prob": "categorical.log_prob(categorical.sample((1000,)))",
    "Bernoulli.sample() and log_prob": "bernoulli.log_prob(bernoulli.sample((1000,)))",
    "Gamma.sample() and log_prob": "gamma.log_prob(gamma.sample((1000,)))",
}


def cases() -> list[Case]:
    """Return small things in loops, large things once, and what goes on around a network."""
    tables = ((SMALL, REPEATS), (LARGE, 1), (RANDOM, 1))
    made: list[Case] = [
        Duel(name, functools.partial(evaluating, expression, repeats), TARGET, repeats, ROUNDS)
        for table, repeats in tables
        for name, expression in table.items()
    ]
    programs: dict[str, Callable[[ModuleType], Program]] = {
        "DataLoader, 2,048 vectors in batches of 32": vectors,
        "DataLoader, 256 images in batches of 32": images,
        "state_dict, and loading it": states,
        "deep copy of a network": copies,
        "save and load a network": files,
        "clip gradients, and set them to zero": clipping,
    }
    made += [Duel(name, program, TARGET, rounds=ROUNDS) for name, program in programs.items()]
    return made


def operands(torch: ModuleType) -> dict[str, Any]:
    """Return the tensors that expressions name, of the same values in both libraries."""
    torch.manual_seed(0)
    large = torch.randn(MANY)
    distributions = torch.distributions
    return {
        "torch": torch,
        "x": torch.randn(100),
        "y": torch.ones(100),
        "m": torch.randn(100, 100),
        "large": large,
        "positive": large.abs() * 0.001 + 1,
        "rows": large.view(-1, 1000),
        "images": large[: MANY // 57_600 * 57_600].view(-1, 64, 30, 30),
        "places": torch.randint(0, 1000, (MANY // 1000, 1000)),
        "order": torch.randint(0, MANY // 1000, (MANY // 1000,)),
        "probabilities": torch.rand(1_000_000),
        "weights": torch.rand(1000, 100),
        "normal": distributions.Normal(torch.zeros(100), torch.ones(100)),
        "categorical": distributions.Categorical(logits=torch.randn(10, 10)),
        "bernoulli": distributions.Bernoulli(logits=torch.randn(100)),
        "gamma": distributions.Gamma(torch.full((10,), 2.0), torch.ones(10)),
    }


def evaluating(expression: str, repeats: int, torch: ModuleType) -> Program:
    """Return a program that evaluates an expression for each ``i`` below ``repeats``."""
    source = f"def program():\n    for i in range({repeats}):\n        {expression}\n"
    names = operands(torch)
    exec(source, names)
    return names["program"]


def vectors(torch: ModuleType) -> Program:
    """Go through a data set of vectors and labels in random order."""
    features, labels = torch.randn(2048, 20), torch.randint(0, 10, (2048,))
    data = torch.utils.data
    loader = data.DataLoader(data.TensorDataset(features, labels), batch_size=32, shuffle=True)
    return lambda: sum(len(batch) for batch, _ in loader)


def images(torch: ModuleType) -> Program:
    """Go through a data set of colour images that are scaled one by one."""
    pixels = torch.randint(0, 256, (256, 3, 64, 64)).to(torch.uint8)

    class Images(torch.utils.data.Dataset):
        def __len__(self) -> int:
            return len(pixels)

        def __getitem__(self, i: int) -> Any:
            return pixels[i].to(torch.float32) / 255, i % 10

    loader = torch.utils.data.DataLoader(Images(), batch_size=32)
    return lambda: sum(len(batch) for batch, _ in loader)


def network(torch: ModuleType) -> Any:
    """Return a network of ten layers."""
    nn = torch.nn
    return nn.Sequential(*(nn.Linear(200, 200) for _ in range(10)))


def states(torch: ModuleType) -> Program:
    """Copy the parameters of one network to another."""
    one, other = network(torch), network(torch)
    return lambda: other.load_state_dict(one.state_dict())


def copies(torch: ModuleType) -> Program:
    """Copy a network."""
    model = network(torch)
    return lambda: copy.deepcopy(model)


def files(torch: ModuleType) -> Program:
    """Write the parameters of a network to memory and read them again."""
    model = network(torch)

    def program() -> None:
        file = io.BytesIO()
        torch.save(model.state_dict(), file)
        file.seek(0)
        torch.load(file)

    return program


def clipping(torch: ModuleType) -> Program:
    """Scale gradients down to a norm, and clear them."""
    model = network(torch)
    gradients = [torch.ones(each.shape) for each in model.parameters()]

    def program() -> None:
        for each, gradient in zip(model.parameters(), gradients, strict=True):
            each.grad = gradient
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        model.zero_grad()

    return program
