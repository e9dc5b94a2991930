"""Put pellucid in PyTorch's place, and take it out again."""

from __future__ import annotations

import contextlib
import importlib
import sys
from pathlib import Path

from pellucid.alias.finder import AliasFinder
from pellucid.alias.missing import Answers, Record
from pellucid.alias.names import ELSEWHERE, NAMED_AS_FUNCTIONS, ROOTS, VERSION_OF_TORCH
from pellucid.core.definition.public import public

#: Programs reach these by attribute, without an import of their own.
_EAGER = ("autograd", "fft", "linalg", "nn", "optim", "serialization", "special", "utils.data")

# A process that is spawned rather than forked starts empty, but with this process's sys.path:
# there it finds files named torch.py and torchvision.py that install the alias.
_STAND_INS = str(Path(__file__).with_name("stand_in"))

_installed: Alias | None = None


class Alias:
    """The installed alias: the names missing so far, and how to uninstall it.

    As a context manager it uninstalls the alias at the end.
    """

    def __init__(self) -> None:
        self._answers = Answers()
        self.missing: Record = self._answers.record
        self._finder = AliasFinder(self._answers)
        self._version = ""

    def __enter__(self) -> Alias:
        return self

    def __exit__(self, *exception: object) -> None:
        uninstall_as_torch()

    def report(self) -> str:
        """Return the missing names that the program asked for, and where."""
        if not self.missing:
            return ""
        lines = [f"  {name}  (first asked for at {where})" for name, where in self.missing.items()]
        return "\n".join(["pellucid does not provide names that this program uses:", *lines])

    def _install(self) -> None:
        for name in _EAGER:
            importlib.import_module(f"pellucid.{name}")
        pellucid = sys.modules["pellucid"]
        self._version = vars(pellucid)["__version__"]
        vars(pellucid)["__version__"] = VERSION_OF_TORCH
        # Programs that reach modules by written-out names compare them with this one.
        vars(pellucid)["__name__"] = "torch"
        vars(pellucid)["torch"] = pellucid  # some programs name it so
        sys.modules["torch"] = pellucid
        for name in NAMED_AS_FUNCTIONS:
            sys.modules[name] = importlib.import_module(ELSEWHERE[name])
        self._answers.include_new_modules()
        sys.meta_path.insert(0, self._finder)
        sys.path.insert(1, _STAND_INS)

    def _uninstall(self) -> None:
        with contextlib.suppress(ValueError):
            sys.path.remove(_STAND_INS)
        sys.meta_path.remove(self._finder)
        for name in [name for name in sys.modules if name.partition(".")[0] in ROOTS]:
            del sys.modules[name]
        self._answers.withdraw()
        for empty in self._finder.made:
            parent, _, child = empty.__name__.rpartition(".")
            home = sys.modules.get(parent.replace("torch", "pellucid", 1))
            if home is not None and vars(home).get(child) is empty:
                delattr(home, child)
        pellucid = vars(sys.modules["pellucid"])
        pellucid.update(__version__=self._version, __name__="pellucid")
        del pellucid["torch"]


@public("install_as_torch", checked=False)
def install_as_torch() -> Alias:
    """Make ``import torch`` and ``import torchvision`` mean pellucid, in this process.

    ``torch`` is then the very module ``pellucid``, and ``torch.nn`` is ``pellucid.nn``. A name
    that pellucid lacks is an ImportError where an import is guarded by ``except ImportError``, and
    otherwise raises ``pellucid.alias.MissingNameError`` when it is used. ``torch.__version__`` is
    that of the PyTorch that pellucid follows. Raises RuntimeError if PyTorch itself has been
    imported already.

    >>> import pellucid
    >>> with pellucid.install_as_torch():
    ...     import torch.nn.functional as F
    ...
    ...     F is pellucid.nn.functional
    True
    """
    global _installed
    if _installed is None:
        _refuse_two_of_them()
        alias = Alias()
        alias._install()
        _installed = alias
    return _installed


@public("uninstall_as_torch", checked=False)
def uninstall_as_torch() -> None:
    """Give the name ``torch`` back: imports find an installed PyTorch again, or nothing.

    >>> import pellucid
    >>> alias = pellucid.install_as_torch()
    >>> pellucid.uninstall_as_torch()
    """
    global _installed
    if _installed is not None:
        _installed._uninstall()
        _installed = None


def _refuse_two_of_them() -> None:
    torch = sys.modules.get("torch")
    if torch is not None:
        origin = getattr(torch, "__file__", None) or "memory"
        raise RuntimeError(
            f"PyTorch itself is already imported here (from {origin}), and objects of the two "
            "cannot be mixed. Install the alias before anything imports torch, or start the "
            "program with `python -m pellucid run`."
        )
