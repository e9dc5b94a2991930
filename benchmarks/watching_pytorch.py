"""What it costs to watch PyTorch: steps under `lines`, `checking` and `record` beside steps alone.

Each round measures every way once, one after the other, so that a busy machine slows all alike; a
figure is the median over the rounds of a way's time in relation to that alone in the same round.
It is the time of the thread, not that of the clock; on another device, that of the clock until the
device has done all.

    python -m benchmarks.watching_pytorch [--rounds N] [--milliseconds N] [--device cuda]
"""

from __future__ import annotations

import argparse
import gc
import importlib
import statistics
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from time import perf_counter_ns, thread_time_ns
from typing import Any

torch: Any = importlib.import_module("torch")
nn = torch.nn

Step = Callable[[], None]
#: steps of one recording, whose reading at the end, which is not measured, takes long
_RECORDED = 10


def _training(net: Any, x: Any, loss: Callable[[Any], Any]) -> Step:
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4)

    def step() -> None:
        optimizer.zero_grad()
        loss(net(x)).backward()
        optimizer.step()

    return step


def _classifying(layers: list[Any], x: Any) -> Step:
    target = torch.arange(len(x)) % 10
    return _training(
        nn.Sequential(*layers), x, lambda out: nn.functional.cross_entropy(out, target)
    )


def tiny() -> Step:
    net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))
    return _training(net, torch.randn(16, 8), lambda out: out.square().mean())


def mlp() -> Step:
    layers = [nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)]
    return _classifying(layers, torch.randn(64, 784))


def small_mlp() -> Step:
    layers = [nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)]
    return _classifying(layers, torch.randn(32, 128))


def convolutions() -> Step:
    layers = [
        nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
        nn.Flatten(), nn.Linear(2048, 10),
    ]  # fmt: skip
    return _classifying(layers, torch.randn(20, 3, 32, 32))


def transformer() -> Step:
    layer = nn.TransformerEncoderLayer(128, 4, 256, batch_first=True)
    net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    return _training(net, torch.randn(8, 64, 128), lambda out: out.square().mean())


def chain() -> Step:
    w = torch.ones(3, requires_grad=True)

    def step() -> None:
        w.grad, x = None, w
        for _ in range(300):
            x = x * 1.01 + 0.1
        x.sum().backward()

    return step


#: the second and the fourth are the steps of about 1 ms and 10 ms that limits are set for
PROGRAMS = {
    "tiny MLP": tiny, "MLP 128-256-256-10, 32": small_mlp, "MLP 784-512-512-10, 64": mlp,
    "convolutional network, 20": convolutions, "transformer 2x128, 8x64": transformer,
    "chain of 600 tiny ops": chain,
}  # fmt: skip


def _ways() -> dict[str, Callable[[], AbstractContextManager[Any]]]:
    pytorch: Any = importlib.import_module("pellucid.inspect.pytorch")
    inspect: Any = importlib.import_module("pellucid.inspect")
    return {
        "alone": nullcontext, "lines": pytorch.lines, "checking": pytorch.checking,
        "record": inspect.record,
    }  # fmt: skip


def _time(
    step: Step, steps: int, way: Callable[[], AbstractContextManager[Any]], device: str
) -> float:
    with way():
        # the checks look at the first 24 steps more closely than at the others
        for _ in range(5 if way is nullcontext or steps <= _RECORDED else 30):
            step()
        gc.collect()  # so that none goes over the whole program's objects in a few steps
        began = _now(device)
        for _ in range(steps):
            step()
        return (_now(device) - began) / steps / 1e6


def _now(device: str) -> int:
    if device == "cpu":
        return thread_time_ns()
    torch.get_device_module(device).synchronize()
    return perf_counter_ns()


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description="The cost of watching PyTorch.")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--milliseconds", type=float, default=300, help="of one measurement")
    parser.add_argument("--device", default="cpu", help="where the programs compute")
    chosen = parser.parse_args(arguments)
    torch.set_num_threads(1)
    ways = _ways()
    _print(["program", *(f"{way}{'' if way == 'alone' else ' / alone'}" for way in ways)])
    for name, make in PROGRAMS.items():
        torch.manual_seed(0)
        with torch.device(chosen.device):
            step = make()
        alone_once = _time(step, 10, nullcontext, chosen.device)
        steps = max(10, int(chosen.milliseconds / alone_once))
        found: dict[str, list[float]] = {way: [] for way in ways}
        for _ in range(chosen.rounds):
            for way, block in ways.items():
                most = _RECORDED if way == "record" else steps
                steps_of_way = min(steps, most)
                found[way].append(_time(step, steps_of_way, block, chosen.device))
        alone = found["alone"]
        ratios = [
            statistics.median(a / b for a, b in zip(found[way], alone, strict=True))
            for way in ways
            if way != "alone"
        ]
        _print([name, f"{min(alone):.2f} ms", *(f"{each:.2f}" for each in ratios)])


def _print(row: list[str]) -> None:
    sys.stdout.write("| " + " | ".join(row) + " |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
