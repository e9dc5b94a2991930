"""The result of every function has the strides of PyTorch's, whatever the layout of its operands.

Strides along dimensions of size 1, and those of empty tensors, say nothing and are not compared.
"""

from __future__ import annotations

import warnings
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pellucid
from tests.parity.accepted import ACCEPTED
from tests.parity.layouts import LAYOUTS, ORDERS, laid_out, strides_of
from tests.samples.names import calls, wanted
from tests.samples.operands import operands
from tests.samples.running import flattened, run, used

torch = pytest.importorskip("torch")


def strides(library: ModuleType, text: str, layout: str, only_first: bool) -> Any:
    """Return the strides of what a text gives; None if it raises."""
    tensors = {
        name: laid_out(library, array, "contiguous" if only_first and place else layout)
        for place, (name, array) in enumerate(used(text, operands()).items())
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = run(library, text, tensors)
        except Exception:  # noqa: BLE001 - what raises is compared elsewhere
            return None
    return [strides_of(part) for part in flattened(result)]


def faults(text: str) -> list[str]:
    """Return for which layouts the strides differ."""
    found = []
    for layout in LAYOUTS:
        for only_first in (False, True):
            if only_first and (layout == "contiguous" or len(used(text, operands())) < 2):
                continue
            ours, theirs = (strides(lib, text, layout, only_first) for lib in (pellucid, torch))
            if ours != theirs and None not in (ours, theirs):
                which = f"{layout}, then contiguous" if only_first else layout
                found.append(f"{which}: ours {ours}, theirs {theirs}")
    return found


#: names whose results are laid out in another way, as ``docs/differences.md`` says
LISTED = next(each for each in ACCEPTED if each.row == "strides of results").names.split()
NAMES = [".".join(key) for key in wanted()]


def faults_of_name(name: str) -> dict[str, list[str]]:
    """Return of which calls of a name, and in which layouts, the strides differ."""
    place, _, last = name.rpartition(".")
    texts = dict.fromkeys(call.text for call in calls()[place, last])
    return {text: found for text in texts if (found := faults(text))}


@pytest.mark.parametrize("name", [each for each in NAMES if each.split(".")[-1] not in LISTED])
def test_results_have_the_strides_of_pytorch(name: str) -> None:
    assert faults_of_name(name) == {}


#: of names whose own calls show nothing of it, calls that do
TELLING = {
    "eig": "torch.linalg.eig(psd)[1]",
    "eigh": "torch.linalg.eigh(psd)[1]",
    "ldl_factor": "torch.linalg.ldl_factor(psd)[0]",
    "ldl_factor_ex": "torch.linalg.ldl_factor_ex(psd)[0]",
    "ldl_solve": "torch.linalg.ldl_solve(*torch.linalg.ldl_factor(psd), psd)",
    "lstsq": "torch.linalg.lstsq(psd, psd)[0]",
    "svd_lowrank": "torch.svd_lowrank(psd)[2]",
    "pca_lowrank": "torch.pca_lowrank(psd)[2]",
    "hfft": "torch.fft.hfft(z, dim=0)",
    "ifft": "torch.fft.ifft(z, dim=0)",
    "ihfft": "torch.fft.ihfft(a, dim=0)",
    "irfft": "torch.fft.irfft(z, dim=0)",
}


@pytest.mark.parametrize("last", LISTED)
def test_what_is_accepted_does_differ(last: str) -> None:
    if last in TELLING:
        assert faults(TELLING[last])
    else:
        assert any(faults_of_name(name) for name in NAMES if name.split(".")[-1] == last)


IMAGES = [
    "F.conv2d(x, w)", "F.conv_transpose2d(x, w)", "F.max_pool2d(x, 2)", "F.avg_pool2d(x, 2)",
    "F.adaptive_avg_pool2d(x, 3)", "F.adaptive_max_pool2d(x, 3)", "F.lp_pool2d(x, 2, 2)",
    "F.fractional_max_pool2d(x, 2, 3)", "F.interpolate(x, scale_factor=2)",
    "F.interpolate(x, 3, mode='bilinear')", "F.interpolate(x, 3, mode='bicubic')",
    "F.interpolate(x, 3, mode='area')", "F.interpolate(x, 3, mode='nearest-exact')",
    "F.group_norm(x, 2)", "F.instance_norm(x)", "F.batch_norm(x, None, None, training=True)",
    "F.local_response_norm(x, 3)", "F.pixel_shuffle(x, 2)", "F.pixel_unshuffle(x, 2)",
    "F.channel_shuffle(x, 2)", "F.pad(x, (1, 1, 1, 1))", "F.pad(x, (1, 1, 1, 1), mode='reflect')",
    "F.pad(x, (1, 1, 1, 1), mode='replicate')", "F.pad(x, (1, 1, 1, 1), mode='circular')",
    "F.max_unpool2d(*F.max_pool2d(x, 2, return_indices=True), 2)", "F.dropout(x)",
    "F.dropout2d(x)", "F.layer_norm(x, (6,))", "F.softmax(x, 1)", "torch.cat([x, x], 1)",
    "torch.cat([x, x.contiguous()], 1)", "x.flip(1)", "x.roll(1, 1)", "x.cumsum(1)",
    "x.sort(1)[0]", "x + x.contiguous()", "x.contiguous() + x", "x.lerp(x.contiguous(), 0.5)",
    "torch.where(x > 0, x, 0)", "x.mean((2, 3), keepdim=True)", "x.repeat(1, 2, 1, 1)",
    "torch.zeros_like(x)", "x.clone()", "x.double()", "x * x[:, :1]",
]  # fmt: skip


def image_strides(library: ModuleType, text: str, layout: str, dtype: Any) -> Any:
    """Return the strides of the result, and of the gradient in a leaf of that layout."""
    values = np.random.default_rng(0).standard_normal((2, 4, 6, 6)).astype(dtype)
    filters = np.random.default_rng(1).standard_normal((4, 4, 3, 3)).astype(dtype)
    x = laid_out(library, values, layout).requires_grad_()
    names = {"torch": library, "F": library.nn.functional, "x": x}
    names["w"] = library.from_numpy(filters)
    result = eval(text, names)
    if result.requires_grad:
        result.sum().backward()
    return strides_of(result), x.grad is not None and strides_of(x.grad)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", list(ORDERS))
@pytest.mark.parametrize("text", IMAGES)
def test_images_stay_in_their_layout(text: str, layout: str, dtype: str) -> None:
    ours, theirs = (image_strides(lib, text, layout, dtype) for lib in (pellucid, torch))
    assert ours == theirs


def test_memory_formats_are_obeyed() -> None:
    def found(library: ModuleType) -> list[tuple[int, ...]]:
        last, like = library.channels_last, library.ones(2, 3, 4, 5)
        made = library.empty(2, 3, 4, 5, memory_format=last)
        resized = library.ones(1).resize_(2, 3, 4, 5, memory_format=last)
        as_other = library.ones(1).resize_as_(made, memory_format=library.preserve_format)
        likes = [
            make(like, memory_format=last)
            for make in (library.empty_like, library.zeros_like, library.ones_like)
        ]
        drawn = library.randn_like(made, memory_format=library.contiguous_format)
        volumes = library.empty(2, 3, 4, 5, 6, memory_format=library.channels_last_3d)
        moved = like.to(library.float64, memory_format=last)
        all_made = [made, resized, as_other, *likes, drawn, volumes, moved]
        return [tuple(each.stride()) for each in all_made]

    assert found(pellucid) == found(torch)


@pytest.mark.parametrize("shape", [(2, 3), (2, 3, 4, 5, 6)])
def test_formats_of_another_rank_are_refused(shape: tuple[int, ...]) -> None:
    for library in (pellucid, torch):
        with pytest.raises(RuntimeError, match="rank 4"):
            library.empty(*shape, memory_format=library.channels_last)
