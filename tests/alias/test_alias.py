"""What `import torch` gives under the alias, and what names that are missing do."""

from __future__ import annotations

import copy
import importlib
import itertools
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import pellucid
from pellucid.alias import Alias, MissingName, MissingNameError
from tests.samples.grouped import together

if "torch" in sys.modules:
    pytest.skip("PyTorch itself is imported in this process", allow_module_level=True)

# PyTorch's files of layers, by which pickles name the classes
LAYERS = {
    "activation": "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU "
    "LogSigmoid LogSoftmax Mish MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid "
    "Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold",
    "adaptive": "AdaptiveLogSoftmaxWithLoss",
    "batchnorm": "BatchNorm1d BatchNorm2d BatchNorm3d LazyBatchNorm1d LazyBatchNorm2d "
    "LazyBatchNorm3d SyncBatchNorm",
    "channelshuffle": "ChannelShuffle",
    "container": "Container ModuleDict ModuleList ParameterDict ParameterList Sequential",
    "conv": "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d LazyConv1d "
    "LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d",
    "distance": "CosineSimilarity PairwiseDistance",
    "dropout": "AlphaDropout Dropout Dropout1d Dropout2d Dropout3d FeatureAlphaDropout",
    "flatten": "Flatten Unflatten",
    "fold": "Fold Unfold",
    "instancenorm": "InstanceNorm1d InstanceNorm2d InstanceNorm3d LazyInstanceNorm1d "
    "LazyInstanceNorm2d LazyInstanceNorm3d",
    "linear": "Bilinear Identity LazyLinear Linear",
    "loss": "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss "
    "GaussianNLLLoss HingeEmbeddingLoss HuberLoss KLDivLoss L1Loss MSELoss MarginRankingLoss "
    "MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss NLLLoss2d "
    "PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss",
    "module": "Module",
    "normalization": "CrossMapLRN2d GroupNorm LayerNorm LocalResponseNorm RMSNorm",
    "padding": "CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d "
    "ConstantPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d "
    "ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d",
    "pixelshuffle": "PixelShuffle PixelUnshuffle",
    "pooling": "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d "
    "AdaptiveMaxPool2d AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d FractionalMaxPool2d "
    "FractionalMaxPool3d LPPool1d LPPool2d LPPool3d MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d "
    "MaxUnpool2d MaxUnpool3d",
    "rnn": "GRU GRUCell LSTM LSTMCell RNN RNNBase RNNCell RNNCellBase",
    "sparse": "Embedding EmbeddingBag",
    "transformer": "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
    "TransformerEncoderLayer",
    "upsampling": "Upsample UpsamplingBilinear2d UpsamplingNearest2d",
}

# The paths that published programs import.
PATHS = [
    "torch", "torch.nn", "torch.nn.functional", "torch.nn.init", "torch.nn.parallel",
    "torch.nn.utils", "torch.nn.utils.rnn", "torch.nn.utils.spectral_norm",
    "torch.nn.utils.weight_norm", "torch.nn.modules.activation",
    "torch.nn.modules.batchnorm", "torch.nn.modules.container", "torch.nn.modules.conv",
    "torch.nn.modules.dropout", "torch.nn.modules.linear", "torch.nn.modules.loss",
    "torch.nn.modules.normalization", "torch.nn.modules.pixelshuffle",
    "torch.nn.modules.pooling", "torch.nn.modules.rnn", "torch.nn.modules.sparse",
    "torch.nn.modules.transformer", "torch.nn.parameter", "torch.optim", "torch.optim.adam",
    "torch.optim.lr_scheduler", "torch.utils.data", "torch.utils.data.dataloader",
    "torch.utils.data.sampler", "torch.utils.data.distributed", "torch.utils.checkpoint",
    "torch.autograd", "torch.autograd.function", "torch.autograd.forward_ad",
    "torch.autograd.functional", "torch.autograd.graph", "torch.autograd.gradcheck",
    "torch.autograd.grad_mode", "torch.func", "torch.cuda", "torch.accelerator",
    "torch.backends.cudnn", "torch.backends.cuda", "torch.backends.mps", "torch.distributed",
    "torch.multiprocessing", "torch.distributions", "torch.serialization", "torch.hub",
    "torch.onnx", "torch.profiler", "torch.testing", "torchvision", "torchvision.transforms",
    "torchvision.transforms.functional", "torchvision.datasets", "torchvision.models",
    "torchvision.utils", "torchvision.ops", "torch.amp", "torch.cuda.amp",
    "torch.utils.tensorboard",
]  # fmt: skip


@pytest.fixture
def alias() -> Iterator[Alias]:
    with pellucid.install_as_torch() as installed:
        yield installed


def run_lines(source: str, path: Path) -> dict[str, object]:
    """Run a program that stands in a file, as imports look at its lines."""
    path.write_text(source)
    names: dict[str, object] = {"__name__": "program"}
    exec(compile(source, str(path), "exec"), names)
    return names


@together()
@pytest.mark.parametrize("path", PATHS)
def test_a_path_of_pytorchs_can_be_imported(alias: Alias, path: str) -> None:
    module = importlib.import_module(path)
    assert isinstance(module, ModuleType)
    assert sys.modules[path] is module
    assert alias.missing == {}


def test_torch_is_pellucid(alias: Alias) -> None:
    import torch
    import torch.nn.functional as F
    from torch.utils.data import DataLoader

    assert torch is pellucid
    assert torch.nn is pellucid.nn
    assert F is pellucid.nn.functional
    assert DataLoader is pellucid.utils.data.DataLoader
    assert isinstance(pellucid.ones(1), torch.Tensor)
    assert torch.__version__ == torch.version.__version__ == "2.13.0+pellucid"


def test_a_function_stays_what_it_is_where_a_module_has_its_name(alias: Alias) -> None:

    assert callable(pellucid.autograd.gradcheck)
    with pytest.raises(ModuleNotFoundError, match=r"torch\.tensor"):
        importlib.import_module("torch.tensor")
    assert pellucid.tensor([1]).tolist() == [1]


@pytest.mark.filterwarnings("ignore:.*weight_norm:FutureWarning")
@pytest.mark.parametrize("name", ["spectral_norm", "weight_norm"])
def test_a_layer_with_a_normalized_weight_can_be_pickled(alias: Alias, name: str) -> None:
    layer = getattr(pellucid.nn.utils, name)(pellucid.nn.Linear(2, 3)).eval()
    x = pellucid.ones(1, 2)
    assert pickle.loads(pickle.dumps(layer))(x).tolist() == layer(x).tolist()
    assert callable(getattr(pellucid.nn.utils, name))


def test_pickles_that_name_files_of_pytorchs_load(alias: Alias) -> None:
    for file, names in LAYERS.items():
        for name in names.split():
            found = pickle.loads(f"ctorch.nn.modules.{file}\n{name}\n.".encode())
            assert found.__name__ == name or name in ("Container", "NLLLoss2d", "CrossMapLRN2d")


class TestMissingNames:
    def test_importing_one_is_no_error_but_using_it_is(self, alias: Alias, tmp_path: Path) -> None:
        names = run_lines(
            "from torch import no_such_function\n"
            "from torch.nn import (Linear,\n    NoSuchLayer)\n"
            "from torch.nn.functional import no_such_loss as loss\n",
            tmp_path / "program.py",
        )
        assert names["Linear"] is pellucid.nn.Linear
        with pytest.raises(NotImplementedError, match=r"torch\.no_such_function is not provided"):
            names["no_such_function"](1)  # type: ignore[operator]

        class Derived(names["NoSuchLayer"]):  # type: ignore[misc]
            pass

        with pytest.raises(MissingNameError, match=r"torch\.nn\.NoSuchLayer .*program\.py:2"):
            Derived()

        with pytest.raises(AttributeError, match=r"no_such_loss\.attribute"):
            names["loss"].attribute  # type: ignore[attr-defined]
        assert not isinstance(3, names["NoSuchLayer"])  # type: ignore[arg-type]
        assert list(alias.missing) == [
            "torch.no_such_function", "torch.nn.NoSuchLayer", "torch.nn.functional.no_such_loss",
        ]  # fmt: skip

    def test_questions_are_answered_truly_and_not_recorded(self, alias: Alias) -> None:
        import torch
        import torch.nn.functional as F

        assert not hasattr(torch, "no_such_function")
        assert not hasattr(torch.nn, "NoSuchLayer")
        assert hasattr(F, "scaled_dot_product_attention")
        assert getattr(F, "no_such_loss", None) is None
        assert importlib.util.find_spec("torch.no_such_module") is None
        assert alias.missing == {}

    def test_a_use_is_recorded_with_its_line(self, alias: Alias, tmp_path: Path) -> None:
        path = tmp_path / "program.py"
        with pytest.raises(NotImplementedError, match=r"torch\.no_such_function is not provided"):
            run_lines("import torch\n\ntorch.no_such_function(1)\n", path)
        assert alias.missing == {"torch.no_such_function": f"{path}:3"}
        assert f"torch.no_such_function  (first asked for at {path}:3)" in alias.report()

    @pytest.mark.parametrize(
        ("statement", "kind"),
        [
            ("from torch import no_such", "ImportError"),
            ("from torch import no_such", "(OSError, ImportError)"),
            ("import torch.no_such", "ModuleNotFoundError"),
            ("import torch.no.such", "Exception"),
            ("from torch.no import such", "ImportError"),
        ],
    )
    def test_an_import_that_expects_to_fail_does(
        self, alias: Alias, tmp_path: Path, statement: str, kind: str
    ) -> None:
        names = run_lines(
            f"try:\n    {statement}\nexcept {kind}:\n    failed = True\n", tmp_path / "program.py"
        )
        assert names["failed"]
        assert alias.missing == {}

    @pytest.mark.parametrize("kind", ["KeyError", "ModuleNotFoundError"])
    def test_a_try_for_other_errors_expects_the_import_to_succeed(
        self, alias: Alias, tmp_path: Path, kind: str
    ) -> None:
        names = run_lines(
            f"try:\n    from torch import no_such\nexcept {kind}:\n    pass\n",
            tmp_path / "program.py",
        )
        assert isinstance(names["no_such"], MissingName)

    def test_a_module_may_be_imported_and_not_used(self, alias: Alias, tmp_path: Path) -> None:
        run_lines(
            "import torch\nimport torch.no.such as module\nfrom torch.no import thing\n",
            tmp_path / "program.py",
        )
        import torch

        assert not hasattr(torch.no, "other")
        with pytest.raises(MissingNameError, match=r"torch\.no\.other"):
            torch.no.other
        assert {"torch.no", "torch.no.such", "torch.no.thing"} <= set(alias.missing)

    def test_annotations_may_name_them(self, alias: Alias, tmp_path: Path) -> None:
        names = run_lines(
            "from typing import Optional\nfrom torch import NoSuch\n"
            "def f(x: Optional[NoSuch], y: NoSuch | None = None): return x\n",
            tmp_path / "program.py",
        )
        assert names["f"](4) == 4  # type: ignore[operator]


class TestNamesMentionedByAModuleThatIsImported:
    """While a module is imported, a missing name may stand where it is not needed yet."""

    @pytest.fixture
    def imported(self, alias: Alias, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
        numbers = itertools.count()

        def import_lines(lines: str) -> Any:
            name = f"{tmp_path.name}_package_{next(numbers)}"
            (tmp_path / f"{name}.py").write_text(lines, "utf-8")
            monkeypatch.syspath_prepend(str(tmp_path))
            importlib.invalidate_caches()
            return importlib.import_module(name)

        return import_lines

    def test_it_stands_in_annotations_unions_and_tables(self, imported: Any) -> None:
        module = imported(
            "import torch\nfrom typing import Optional\n"
            "def f(x: torch.no_type, y: torch.nn.NoLayer | None = None) -> torch.no.such.Type:\n"
            "    return x\n"
            "class A:\n    field: Optional[torch.no_type] = None\n    sizes = {torch.no_dtype: 8}\n"
            "TABLE = {torch.ops.no_library: torch.no_dtype, 'made': torch.NoClass(1)[2]}\n"
        )
        assert module.f(3) == 3
        assert all(isinstance(each, MissingName) for each in module.A.sizes)
        with pytest.raises(MissingNameError, match=r"torch\.NoClass.attribute is not .*_0\.py:8"):
            module.TABLE["made"].attribute
        with pytest.raises(MissingNameError, match="NoClass"):
            bool(module.TABLE["made"])

    def test_it_stands_as_a_decorator_and_what_it_decorates_says_so(self, imported: Any) -> None:
        module = imported(
            "import torch\n@torch.no.decorator('x', y=1)\ndef f(x): return x\n"
            "@torch.no_mark\nclass A: pass\n"
        )
        for decorated in (module.f, module.A):
            with pytest.raises(MissingNameError, match="is not provided by pellucid"):
                decorated(1)

    @pytest.mark.parametrize("bases", ["torch.no.Base", "torch.NoBase[int], dict"])
    def test_it_stands_as_a_base_class_that_makes_no_objects(
        self, imported: Any, bases: str
    ) -> None:
        module = imported(f"import torch\nclass A({bases}, option=1):\n    x = 3\n")
        assert module.A.x == 3
        with pytest.raises(MissingNameError, match="Base is not provided"):
            module.A()

    def test_a_name_that_is_needed_while_importing_is_an_error_there(self, imported: Any) -> None:
        with pytest.raises(MissingNameError, match="no_flag"):
            imported("import torch\nif torch.no_flag:\n    x = 1\n")
        module = imported(
            "import torch\ntry:\n    torch.no_flag\nexcept AttributeError:\n    flag = False\n"
            "has = hasattr(torch, 'no_flag'), hasattr(torch.nn, 'NoLayer')\n"
        )
        assert module.flag is False
        assert module.has == (False, False)

    def test_going_through_one_is_an_error_and_not_endless(self, imported: Any) -> None:
        with pytest.raises(MissingNameError, match="no_list"):
            imported("import torch\nfound = 'x' in torch.no_list\n")
        with pytest.raises(MissingNameError, match="no_list"):
            imported("import torch\nfirst, second = torch.no_list\n")

    def test_it_can_be_copied(self, imported: Any) -> None:
        module = imported("import copy, torch\na = torch.no_type\nb = copy.copy(a)\n")
        for placeholder in (
            module.b,
            copy.deepcopy(module.a),
            pickle.loads(pickle.dumps(module.a)),
        ):
            with pytest.raises(MissingNameError, match=r"torch\.no_type"):
                placeholder(1)

    def test_a_function_called_later_gets_no_placeholder(self, imported: Any) -> None:
        module = imported("import torch\ndef f(): return torch.no_function\n")
        with pytest.raises(MissingNameError):
            module.f()

    def test_annotations_of_a_script_may_mention_it(self, alias: Alias, tmp_path: Path) -> None:
        names = run_lines(
            "import torch\ndef f(\n    x: 'int', y: torch.no.such_type = 2\n) -> torch.no_type:\n"
            "    z: torch.no_type = y\n    return z\n",
            tmp_path / "program.py",
        )
        assert names["f"](1) == 2  # type: ignore[operator]


def test_uninstalling_leaves_nothing_behind(tmp_path: Path) -> None:
    pellucid.nn
    version, path, finders = pellucid.__version__, list(sys.path), list(sys.meta_path)
    with pellucid.install_as_torch() as alias:
        run_lines("import torch.no_such\nimport torchvision\n", tmp_path / "program.py")
        assert alias is pellucid.install_as_torch()
    assert [
        name for name in sys.modules if name.partition(".")[0] in ("torch", "torchvision")
    ] == []
    assert (pellucid.__version__, list(sys.path), sys.meta_path) == (version, path, finders)
    assert not hasattr(pellucid, "no_such")
    with pytest.raises(AttributeError, match="module 'pellucid' has no attribute 'no_such_name'"):
        pellucid.no_such_name
    pellucid.uninstall_as_torch()


def test_the_two_cannot_be_mixed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    with pytest.raises(RuntimeError, match=r"already imported.*python -m pellucid run"):
        pellucid.install_as_torch()
    assert sys.modules["torch"] is not pellucid


class TestRunning:
    """``python -m pellucid run`` against Python itself."""

    SCRIPT = (
        "import sys, os\n"
        "print(__name__, sys.argv, __file__, os.path.realpath(sys.path[0]), __spec__)\n"
        "print(sys.modules['__main__'].__dict__ is globals())\n"
    )

    @staticmethod
    def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "error", *arguments]
        source = str(Path(pellucid.__file__).parents[1])
        return subprocess.run(
            command, cwd=cwd, env={"PYTHONPATH": source}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip

    def test_a_script_sees_what_it_sees_under_python(self, tmp_path: Path) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "script.py").write_text(self.SCRIPT)
        arguments = ("folder/script.py", "-m", "--lr", "0.1", "--", "x")
        plain = self.run(*arguments, cwd=tmp_path)
        assert plain.stdout.startswith("__main__")
        ours = self.run("-m", "pellucid", "run", *arguments, cwd=tmp_path)
        assert (ours.stdout, ours.stderr, ours.returncode) == (plain.stdout, "", 0)

    def test_a_module_sees_what_it_sees_under_python(self, tmp_path: Path) -> None:
        (tmp_path / "module.py").write_text(self.SCRIPT.replace(", __spec__", ""))
        plain = self.run("-m", "module", "-m", "x", cwd=tmp_path)
        ours = self.run("-m", "pellucid", "run", "-m", "module", "-m", "x", cwd=tmp_path)
        assert plain.returncode == 0
        assert (ours.stdout, ours.stderr) == (plain.stdout, "")

    def test_an_error_is_shown_as_by_python(self, tmp_path: Path) -> None:
        (tmp_path / "script.py").write_text("def f():\n    return 1 / 0\n\n\nf()\n")
        plain = self.run("script.py", cwd=tmp_path)
        ours = self.run("-m", "pellucid", "run", "script.py", cwd=tmp_path)
        assert ours.returncode == plain.returncode == 1
        assert "in <module>" in plain.stderr
        assert ours.stderr == plain.stderr

    def test_a_script_that_is_not_there_is_said_so(self, tmp_path: Path) -> None:
        plain = self.run("script.py", cwd=tmp_path)
        ours = self.run("-m", "pellucid", "run", "script.py", cwd=tmp_path)
        assert ours.returncode == plain.returncode == 2
        assert ours.stderr.partition(": ")[2] == plain.stderr.partition(": ")[2]

    @pytest.fixture(scope="class")
    @classmethod
    def missing(
        cls, tmp_path_factory: pytest.TempPathFactory
    ) -> tuple[Path, subprocess.CompletedProcess[str]]:
        """Return a script that asks for names that there are not, and how it has ended."""
        script = tmp_path_factory.mktemp("missing") / "script.py"
        script.write_text(
            "from torch import no_such\nprint('done')\n"
            "import torch\nnormal = torch.distributions.Normal\n"
            "from torch.distributions import NoSuch\nprint(NoSuch)\n"
            "raise SystemExit(7)\n"
        )
        return script, cls.run("-m", "pellucid", "run", "script.py", cwd=script.parent)

    def test_the_status_is_that_of_the_script(self, missing: Any) -> None:
        assert missing[1].returncode == 7

    def test_missing_names_are_listed_at_the_end(self, missing: Any) -> None:
        script, finished = missing
        assert finished.stdout.startswith("done\n")
        assert finished.stderr == (
            "pellucid does not provide names that this program uses:\n"
            f"  torch.no_such  (first asked for at {script}:1)\n"
            f"  torch.distributions.NoSuch  (first asked for at {script}:5)\n"
        )

    def test_modules_that_are_loaded_late_answer_too(self, missing: Any) -> None:
        assert missing[1].stdout == (
            "done\n<torch.distributions.NoSuch, which pellucid does not provide>\n"
        )

    def test_processes_that_are_spawned_have_the_alias_too(self, tmp_path: Path) -> None:
        (tmp_path / "script.py").write_text(
            "import torchvision, torch\nfrom torch import multiprocessing as mp\n\n\n"
            "def work(x):\n    print(torch.ones(2).tolist(), torch.nn.__name__, flush=True)\n\n\n"
            "if __name__ == '__main__':\n"
            "    p = mp.get_context('spawn').Process(target=work, args=(1,))\n"
            "    p.start()\n    p.join()\n    raise SystemExit(p.exitcode)\n"
        )
        finished = self.run("-m", "pellucid", "run", "script.py", cwd=tmp_path)
        assert finished.stderr == ""
        assert finished.stdout == "[1.0, 1.0] pellucid.nn\n"
