"""The networks of the training benchmark, each measured in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

#: by what is measured, the name of the function of `bench_training` that makes the program
NETWORKS = {
    "MLP 784-512-512-10, batch 128": "perceptron",
    "VAE 784-400-20, batch 128": "autoencoder",
    "LSTM(28, 128) over 28 rows, batch 64": "recurrent",
    "GPT, 4 layers of width 128": "transformer",
    "MNIST CNN, batch 64": "digit_network",
    "ResNet-20, batch 32": "residual_network",
    "ResNet-18, 16 images of 64 × 64": "wide_residual_network",
    "U-Net, 8 images of 64 × 64": "segmenting_network",
    "GRU(64, 128), 2 layers, both directions": "tagger",
}

_MAKE = """
import importlib, sys
from benchmarks import bench_training
library, threads = importlib.import_module(sys.argv[1]), int(sys.argv[3])
library.set_num_threads(threads)
program = getattr(bench_training, sys.argv[2])(library)
"""


def measured(script: str, library: ModuleType, program: str, threads: int) -> list[float]:
    """Run a script that finds ``program`` made, and return the numbers that it prints."""
    command = [sys.executable, "-c", _MAKE + script, library.__name__, program, str(threads)]
    folder = Path(__file__).parents[1]
    ran = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return [float(each) for each in ran.stdout.split()]
