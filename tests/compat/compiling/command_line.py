"""The command line by which random programs run plain and compiled."""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable


def run_seeds(
    arguments: list[str],
    about: str | None,
    text_of: Callable[[int], str],
    first_difference: Callable[[int], str],
) -> int:
    """Run the programs that the arguments ask for, or print one; return the exit status.

    Args:
        arguments: Those of the command line.
        about: What its help says.
        text_of: Returns the program of a seed, to be shown.
        first_difference: Returns where the program of a seed parts from itself compiled; an empty
            text if it does not.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--show", type=int)
    asked = parser.parse_args(arguments)
    if asked.show is not None:
        print(text_of(asked.show))
        return 0
    found = ran = 0
    end = time.monotonic() + asked.seconds
    for seed in range(asked.seed, asked.seed + asked.count):
        if time.monotonic() > end:
            break
        ran += 1
        told = first_difference(seed)
        if told:
            found += 1
            print(told, flush=True)
    print(f"{ran} programs plain and compiled, {found} findings")
    return bool(found)
