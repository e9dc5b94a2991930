"""A program that runs already is watched: started in it, by the environment, by callbacks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pellucid
from pellucid.inspect import pytorch

torch: Any = pytest.importorskip("torch")
nn = torch.nn

SOURCE = str(Path(pellucid.__file__).parents[1])
FAULTY = """
import torch
net = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
for _ in range(10):
    net(torch.ones(4, 2)).square().mean().backward()
    optimizer.step()
print("trained")
"""


def test_passes_before_the_first_step_of_an_optimizer_are_no_steps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    net = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.001)
    pytorch.start()
    for _ in range(3):
        optimizer.zero_grad()
        net(torch.ones(4, 2)).square().mean().backward()
        optimizer.step()
    pytorch.stop()
    assert "pellucid watched 3 steps" in capsys.readouterr().err


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments], capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, "PYTHONPATH": SOURCE, **environment},
    )  # fmt: skip


def test_findings_come_up_between_start_and_stop(capsys: pytest.CaptureFixture[str]) -> None:
    findings = pytorch.start()
    assert pytorch.start() is findings
    exec(compile(FAULTY, "train.py", "exec"), {})
    assert pytorch.stop() is findings
    assert [each.kind for each in findings] == ["gradients never set to zero"]
    told = capsys.readouterr().err
    assert "pellucid, step" in told
    assert "pellucid watched 10 steps" in told
    assert len(pytorch.stop()) == 0
    assert torch.overrides._get_current_function_mode() is None


@pytest.mark.parametrize("ranks", [{}, {"RANK": "1"}])
def test_the_environment_starts_it_where_the_package_is_imported(
    tmp_path: Path, ranks: dict[str, str]
) -> None:
    (tmp_path / "train.py").write_text(f"import pellucid.inspect.pytorch\n{FAULTY}")
    watched = run(str(tmp_path / "train.py"), PELLUCID_WATCH="torch", **ranks)
    assert watched.stdout == "trained\n"
    assert watched.returncode == 0
    assert "gradients never set to zero" in watched.stderr
    assert ("pellucid, rank 1" in watched.stderr) is bool(ranks)
    assert run(str(tmp_path / "train.py")).stderr == ""


def test_the_fixture_fails_a_test_that_trains_badly(tmp_path: Path) -> None:
    body = "".join(f"    {line}\n" for line in FAULTY.splitlines())
    (tmp_path / "test_training.py").write_text(
        f"def test_faulty(torch_findings):\n{body}\n"
        "def test_sound(torch_findings):\n    assert len(torch_findings) == 0\n"
    )
    plugin = "pellucid.inspect.pytorch.pytest_plugin"
    done = run("-m", "pytest", "-q", "-p", plugin, "-p", "no:cacheprovider", str(tmp_path))
    assert "1 error" in done.stdout, done.stdout
    assert "2 passed" in done.stdout
    assert "gradients never set to zero" in done.stdout


@pytest.mark.filterwarnings("ignore")
def test_the_callback_of_lightning(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning.pytorch")
    watch = pytest.importorskip("pellucid.inspect.pytorch.lightning").Watch()

    class Model(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(2, 1), nn.Linear(2, 1)

        def training_step(self, batch: Any, index: int) -> Any:
            return self.used(batch[0]).square().mean()

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.01)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(64, 2)), 4)
    trainer = lightning.Trainer(
        max_epochs=1, callbacks=[watch], logger=False, enable_checkpointing=False,
        enable_progress_bar=False, accelerator="cpu", default_root_dir=str(tmp_path),
    )  # fmt: skip
    trainer.fit(Model(), data)
    assert [each.kind for each in watch.findings] == ["a parameter without a gradient"]
    assert "unused.weight" in watch.findings[0].what


@pytest.mark.filterwarnings("ignore")
def test_the_callback_of_transformers(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    watch = pytest.importorskip("pellucid.inspect.pytorch.transformers").Watch()

    class Model(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.used, self.unused = nn.Linear(2, 1), nn.Linear(2, 1)

        def forward(self, x: Any = None) -> Any:
            return {"loss": self.used(x).square().mean()}

    arguments = transformers.TrainingArguments(
        output_dir=str(tmp_path), per_device_train_batch_size=4, num_train_epochs=1, use_cpu=True,
        report_to=[], save_strategy="no", disable_tqdm=True,
    )  # fmt: skip
    data = [{"x": torch.ones(2)} for _ in range(64)]
    trainer = transformers.Trainer(Model(), arguments, train_dataset=data, callbacks=[watch])
    trainer.train()
    assert "a parameter without a gradient" in [each.kind for each in watch.findings]


@pytest.mark.filterwarnings("ignore")
def test_the_tracker_of_accelerate() -> None:
    accelerate = pytest.importorskip("accelerate")
    watch = pytest.importorskip("pellucid.inspect.pytorch.accelerate").Watch()
    accelerator = accelerate.Accelerator(cpu=True, log_with=watch)
    accelerator.init_trackers("anything")
    net, unused = nn.Linear(2, 1), nn.Linear(2, 1)
    optimizer = torch.optim.SGD([*net.parameters(), *unused.parameters()], lr=0.01)
    net, optimizer = accelerator.prepare(net, optimizer)
    for _ in range(16):
        optimizer.zero_grad()
        accelerator.backward(net(torch.ones(4, 2)).square().mean())
        optimizer.step()
    accelerator.end_training()
    assert [each.kind for each in watch.findings] == ["a parameter without a gradient"]
    assert str(watch.findings[0].where).startswith("test_started.py:")
    assert torch.overrides._get_current_function_mode() is None


def weights(model: Any) -> list[bytes]:
    return [each.detach().numpy().tobytes() for each in model.state_dict().values()]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["GPT2", "Bert"])
def test_a_model_of_transformers_learns_the_same_bits_when_watched(
    tmp_path: Path, kind: str
) -> None:
    transformers = pytest.importorskip("transformers")
    pytest.importorskip("accelerate")
    module = pytest.importorskip("pellucid.inspect.pytorch.transformers")
    if kind == "GPT2":
        config = transformers.GPT2Config(
            vocab_size=20, n_positions=16, n_embd=16, n_layer=2, n_head=2, bos_token_id=0,
            eos_token_id=0,
        )  # fmt: skip
        build = transformers.GPT2LMHeadModel
    else:
        config = transformers.BertConfig(
            vocab_size=20, hidden_size=16, num_hidden_layers=2, num_attention_heads=2,
            intermediate_size=32, max_position_embeddings=16,
        )  # fmt: skip
        build = transformers.BertForSequenceClassification
    rows = [torch.arange(8) * step % 20 for step in range(16)]
    labels = rows if kind == "GPT2" else [torch.tensor(step % 2) for step in range(16)]
    data = [{"input_ids": row, "labels": y} for row, y in zip(rows, labels, strict=True)]

    def train(callbacks: list[Any]) -> list[bytes]:
        transformers.set_seed(0)
        model = build(config)
        arguments = transformers.TrainingArguments(
            output_dir=str(tmp_path), per_device_train_batch_size=4, num_train_epochs=2,
            use_cpu=True, report_to=[], save_strategy="no", disable_tqdm=True,
        )  # fmt: skip
        transformers.Trainer(model, arguments, train_dataset=data, callbacks=callbacks).train()
        return weights(model)

    watch = module.Watch()
    assert train([watch]) == train([])
    assert len(watch.findings) == 0


@pytest.mark.filterwarnings("ignore")
def test_a_network_learns_the_same_bits_under_lightning_when_watched(tmp_path: Path) -> None:
    lightning = pytest.importorskip("lightning.pytorch")
    module = pytest.importorskip("pellucid.inspect.pytorch.lightning")

    class Model(lightning.LightningModule):
        def __init__(self) -> None:
            super().__init__()
            self.net = nn.Sequential(
                nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.1), nn.Flatten(),
                nn.Linear(4 * 16, 3),
            )  # fmt: skip

        def training_step(self, batch: Any, index: int) -> Any:
            return nn.functional.cross_entropy(self.net(batch[0]), batch[1])

        def validation_step(self, batch: Any, index: int) -> None:
            self.log("loss", nn.functional.cross_entropy(self.net(batch[0]), batch[1]))

        def configure_optimizers(self) -> Any:
            return torch.optim.AdamW(self.parameters(), 0.01)

    def fit(callbacks: list[Any]) -> list[bytes]:
        lightning.seed_everything(0, verbose=False)
        data = torch.utils.data.TensorDataset(torch.randn(32, 1, 6, 6), torch.arange(32) % 3)
        model = Model()
        trainer = lightning.Trainer(
            max_epochs=2, callbacks=callbacks, logger=False, enable_checkpointing=False,
            enable_progress_bar=False, accelerator="cpu", default_root_dir=str(tmp_path),
        )  # fmt: skip
        trainer.fit(
            model, torch.utils.data.DataLoader(data, 8, shuffle=True),
            torch.utils.data.DataLoader(data, 8),
        )  # fmt: skip
        return weights(model)

    watch = module.Watch()
    assert fit([watch]) == fit([])
    assert len(watch.findings) == 0


@pytest.mark.filterwarnings("ignore")
def test_a_network_learns_the_same_bits_under_accelerate_when_watched() -> None:
    accelerate = pytest.importorskip("accelerate")
    module = pytest.importorskip("pellucid.inspect.pytorch.accelerate")

    def train(**logged: Any) -> list[bytes]:
        torch.manual_seed(0)
        accelerator = accelerate.Accelerator(cpu=True, gradient_accumulation_steps=2, **logged)
        accelerator.init_trackers("anything")
        net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Dropout(0.1), nn.Linear(8, 3))
        optimizer = torch.optim.SGD(net.parameters(), 0.05, momentum=0.9)
        data = torch.utils.data.TensorDataset(torch.randn(32, 4), torch.arange(32) % 3)
        loader = torch.utils.data.DataLoader(data, 4)
        net, optimizer, loader = accelerator.prepare(net, optimizer, loader)
        for _ in range(2):
            for x, y in loader:
                with accelerator.accumulate(net):
                    accelerator.backward(nn.functional.cross_entropy(net(x), y))
                    accelerator.clip_grad_norm_(net.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad()
        accelerator.end_training()
        return weights(net)

    watch = module.Watch()
    assert train(log_with=watch) == train()
    assert len(watch.findings) == 0
