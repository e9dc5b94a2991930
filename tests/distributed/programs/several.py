"""Programs one after the other in the same processes, which take longer to start than to run."""

from __future__ import annotations

import itertools
import runpy
import sys
from pathlib import Path

arguments = iter(sys.argv[1:])
for name in arguments:
    sys.argv = [f"{name}.py", *itertools.takewhile(lambda argument: argument != "+", arguments)]
    runpy.run_path(str(Path(__file__).with_name(f"{name}.py")), run_name="__main__")
