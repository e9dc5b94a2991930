"""The programs of docs/use/with-pytorch.md print what the page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import pellucid
from tests.samples.duration import takes_long

pytest.importorskip("torch")

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = re.compile(
    r"^```\{code-block\} python\n:caption: (?P<name>\w+\.py)\n\n(?P<program>.*?)^```$\n+"
    r"^```text\n(?P<printed>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
PAGE = (ROOT / "docs" / "use" / "with-pytorch.md").read_text("utf-8")
PROGRAMS = {found["name"]: found for found in PROGRAM.finditer(PAGE)}
SLOW = "slow.py"
#: those that import what others have written, and from where
CHECKOUTS = os.environ.get("PELLUCID_PROGRAMS", "")
REAL = {
    "held.py": "makemore", "unused.py": "", "sequence.py": "examples/time_sequence_prediction",
}  # fmt: skip
needs_checkouts = pytest.mark.skipif(
    not CHECKOUTS, reason="PELLUCID_PROGRAMS names no folder with the programs of the page"
)


def run(folder: Path, name: str) -> list[str]:
    """Run a program of the page in a file of its name, and return what it prints."""
    paths = str(Path(pellucid.__file__).parents[1]), str(Path(CHECKOUTS, REAL.get(name, "")))
    (folder / name).write_text(PROGRAMS[name]["program"])
    done = subprocess.run(
        [sys.executable, name], cwd=folder, capture_output=True, text=True, check=False,
        timeout=120, env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "110"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.rstrip("\n").splitlines()


@takes_long
@pytest.mark.parametrize("name", sorted({*PROGRAMS} - {SLOW, *REAL}))
def test_a_program_prints_what_the_page_says(name: str, tmp_path: Path) -> None:
    printed = PROGRAMS[name]["printed"].rstrip("\n").splitlines()
    assert [each.rstrip() for each in run(tmp_path, name)] == [each.rstrip() for each in printed]


def lines(table: list[str]) -> set[str]:
    """Return the lines of the program that a table has rows of."""
    return {row.split()[0] for row in table if row.startswith(f"{SLOW}:")}


@takes_long
def test_a_recording_has_the_lines_that_the_page_says(tmp_path: Path) -> None:
    told, said = run(tmp_path, SLOW), PROGRAMS[SLOW]["printed"].splitlines()
    assert lines(told) == lines(said)
    assert len(lines(told)) == 4
    assert any(each.startswith("peak: ") and each.endswith(f"of {SLOW}:13") for each in told)


@needs_checkouts
@pytest.mark.parametrize("name", ["held.py", "unused.py"])
def test_what_is_said_of_a_program_of_others_is_told(name: str, tmp_path: Path) -> None:
    if name == "unused.py":
        pytest.importorskip("transformers")
    printed = PROGRAMS[name]["printed"].rstrip("\n").splitlines()
    assert [each.rstrip() for each in run(tmp_path, name)] == printed


@needs_checkouts
def test_lines_calls_and_memory_of_a_program_of_others_are_recorded(tmp_path: Path) -> None:
    def cells(rows: list[str]) -> set[tuple[str, ...]]:
        """Return line, calls and memory of the two cells."""
        found = [row.split() for row in rows if row.startswith(("train.py:26", "train.py:27"))]
        return {(row[0], *row[-3:]) for row in found}

    said = PROGRAMS["sequence.py"]["printed"].splitlines()
    assert cells(run(tmp_path, "sequence.py")) == cells(said)
    assert len(cells(said)) == 2


#: what fine-tunes a BERT of random weights on files of the folder, run in a process of its own
GLUE = "transformers/examples/pytorch/text-classification/run_glue.py"
FILES = """
import csv, random
import transformers
words = "the a film is was good bad great awful fun dull very not and but plot cast slow".split()
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
open("vocab.txt", "w").write("\\n".join(special + words))
random.seed(0)
for name, count in (("train.csv", 48), ("validation.csv", 16)):
    with open(name, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["sentence1", "label"])
        for _ in range(count):
            said = random.choices(words, k=random.randint(4, 12))
            rows.writerow([" ".join(said), int("good" in said)])
transformers.set_seed(0)
config = transformers.BertConfig(
    vocab_size=len(special + words), hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
    intermediate_size=64, max_position_embeddings=64,
)
transformers.BertForSequenceClassification(config).save_pretrained("model")
transformers.BertTokenizerFast("vocab.txt").save_pretrained("model")
"""
#: what `evaluate` looks for in the folder before it asks a network
METRIC = """
import datasets
import evaluate

class Accuracy(evaluate.Metric):
    def _info(self):
        number = datasets.Value("int32")
        features = datasets.Features({"predictions": number, "references": number})
        return evaluate.MetricInfo(
            description="", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions, references):
        equal = [one == other for one, other in zip(predictions, references)]
        return {"accuracy": sum(map(int, equal)) / len(equal)}
"""
GIVEN = (
    "--model_name_or_path model --train_file train.csv --validation_file validation.csv "
    "--do_train --do_eval --max_seq_length 32 --per_device_train_batch_size 8 "
    "--num_train_epochs 2 --logging_steps 1 --save_strategy no --report_to none --seed 3"
)


@takes_long
@needs_checkouts
def test_a_fine_tuning_of_transformers_has_the_same_numbers_under_watch(tmp_path: Path) -> None:
    for package in ("transformers", "datasets", "evaluate"):
        pytest.importorskip(package)
    (tmp_path / "accuracy").mkdir()
    (tmp_path / "accuracy" / "accuracy.py").write_text(METRIC)
    env = {
        **os.environ, "PYTHONPATH": str(Path(pellucid.__file__).parents[1]), "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(tmp_path / "cache"), "HF_EVALUATE_OFFLINE": "1",
    }  # fmt: skip

    def ran(*command: str) -> str:
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path, capture_output=True, text=True, check=False,
            timeout=600, env=env,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done.stderr

    ran("-c", FILES)
    program, given = str(Path(CHECKOUTS, GLUE)), GIVEN.split()
    ran(program, *given, "--output_dir", "alone")
    told = ran(
        "-m", "pellucid", "watch", "--with", "torch", program, *given, "--output_dir", "watched"
    )
    assert "pellucid watched 12 steps" in told
    losses = [
        json.loads((tmp_path / each / "trainer_state.json").read_text())["log_history"][:12]
        for each in ("alone", "watched")
    ]
    assert all("grad_norm" in row for row in losses[0])
    assert losses[0] == losses[1]
    weights = [
        (tmp_path / each / "model.safetensors").read_bytes() for each in ("alone", "watched")
    ]
    assert weights[0] == weights[1]


def test_there_are_four_and_three_of_others() -> None:
    assert len(PROGRAMS) == 4 + len(REAL)
