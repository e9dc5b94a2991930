"""The names that `import pellucid` offers."""

from __future__ import annotations
import __future__

import tomllib
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pellucid
from build_support import release_metadata
from pellucid.core.definition.public import LISTS, METHODS, PublicName
from pellucid.core.definition.public import public_names as declared

REPOSITORY = Path(__file__).resolve().parents[2]


def public_names() -> set[str]:
    """Return the names of the package that are neither private nor modules."""
    return {
        name
        for name, value in vars(pellucid).items()
        if not name.startswith("_") and not isinstance(value, ModuleType | __future__._Feature)
    }


def test_all_names_everything_public() -> None:
    assert public_names() - set(pellucid.__all__) == set()


def test_everything_named_in_all_exists() -> None:
    assert [name for name in pellucid.__all__ if not hasattr(pellucid, name)] == []


def test_all_is_sorted_and_names_nothing_twice() -> None:
    assert list(pellucid.__all__) == sorted(set(pellucid.__all__))


def test_the_version_of_the_project_is_that_of_the_package() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in project["project"]
    assert release_metadata.dynamic_metadata({}, {})["version"] == pellucid.__version__


def test_the_package_says_that_it_is_typed() -> None:
    assert (Path(pellucid.__file__).parent / "py.typed").is_file()


def test_a_function_is_called_as_it_is_public() -> None:
    """An alias of an op is the op itself, which has one name; `linalg.inv` is `linalg_inv`."""
    every = [
        (place, name, entry)
        for place in pellucid.__all__ and declared.keys() - {LISTS}
        for name, entry in declared[place].items()
        if not hasattr(entry.declaration.function, "op")
        and place != "pellucid.define"  # where the examples of docstrings define ops
    ]
    wrong = [
        f"{place}.{name}" for place, name, entry in every if not _is_called_so(place, name, entry)
    ]
    assert wrong == []


def test_every_method_that_is_declared_is_one_of_tensor() -> None:
    """A file of `ops.nn` that declares one has to be imported by `tensors.methods`."""
    missing = [name for name in declared[METHODS] if not hasattr(pellucid.Tensor, name)]
    assert missing == []


def _is_called_so(place: str, name: str, entry: PublicName) -> bool:
    public = attrgetter(f"{place}.{name}".strip("."))(pellucid)
    called = getattr(public, "__name__", name)  # a property has none
    return called in (name, f"{place}_{name}") or declared[place].get(called) == entry
