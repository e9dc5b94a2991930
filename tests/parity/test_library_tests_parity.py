"""Faults that PyTorch's own tests found here, next to PyTorch: each program returns what it saw."""

from __future__ import annotations

import gc
import io
import tempfile
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import pellucid

torch = pytest.importorskip("torch")

PROGRAMS: list[Callable[[Any], Any]] = []


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS.append(function)
    return function


def error_of(call: Callable[[], Any]) -> Any:
    """Return what a call gives, or that it raises RuntimeError or TypeError."""
    try:
        return call()
    except TypeError:
        return TypeError
    except RuntimeError:
        return RuntimeError


@program
def vmapped_gradients_of_changes_of_shape_in_place(lib: Any) -> Any:
    x = lib.arange(4.0).view(2, 2) + 1
    functions = [
        lambda x: (x * 2).unsqueeze_(0).sum(),
        lambda x: (x * x).unsqueeze(0).squeeze_(0).sum(),
        lambda x: (x * x).unsqueeze_(1).transpose_(0, 1).sum(),
        lambda x: (x * 3).view(1, -1).swapaxes_(0, 1).sum(),
        lambda x: (x * 3).as_strided_((2, 1), (1, 1)).sum(),
        lambda x: (x * 3).view(1, 2).transpose(0, 1).squeeze_().sin_().sum(),
    ]
    return [lib.func.vmap(lib.func.grad(f))(x).tolist() for f in functions]


@program
def second_derivatives_through_full_backward_hooks(lib: Any) -> Any:
    class Cube(lib.nn.Module):
        def forward(self, x: Any) -> Any:
            return x**3

    module, seen = Cube(), []
    module.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0].item(), go[0].item())))
    x = lib.tensor(2.0, requires_grad=True)
    (g,) = lib.autograd.grad(module(x).sum(), x, create_graph=True)
    (h,) = lib.autograd.grad(g.sum(), x)
    return g.item(), h.item(), seen


@program
def samples_of_small_concentrations(lib: Any) -> Any:
    lib.manual_seed(0)
    small = lib.tensor(1e-3)
    samples = lib.distributions.Beta(small, small).sample((300,))
    gamma = lib.distributions.Gamma(2.0, 1.0).log_prob(0)
    return samples.isfinite().all().item(), (samples > 0).all().item(), gamma.item()


@program
def lbfgs_without_gradients(lib: Any) -> Any:
    parameters = [lib.ones(2, requires_grad=True)]
    optimizer = lib.optim.LBFGS(parameters, tolerance_grad=-float("inf"))
    return optimizer.step(lambda: lib.tensor([10.0])).tolist(), parameters[0].tolist()


@program
def hooks_after_loading_say_which_keys_are_missing(lib: Any) -> Any:
    module = lib.nn.Linear(2, 2)
    state = module.state_dict()
    handle = module.register_load_state_dict_post_hook(lambda m, keys: keys[0].append("more"))
    found = [error_of(lambda: module.load_state_dict(state))]
    handle.remove()
    module.register_load_state_dict_post_hook(lambda m, keys: keys[0].clear())
    del state["bias"]
    return [*found, str(module.load_state_dict(state))]


@program
def derivatives_of_functionals_under_no_grad(lib: Any) -> Any:
    functional = lib.autograd.functional
    with lib.no_grad():
        x = lib.ones(2)
        first = functional.jacobian(lambda x: x**3, x, create_graph=True)
        second = functional.hessian(lambda x: (x**3).sum(), x, create_graph=True)
    return first.requires_grad, second.requires_grad


@program
def data_of_another_kind(lib: Any) -> Any:
    leaf, x = lib.ones(2, requires_grad=True), lib.ones(2)

    def assign() -> None:
        leaf.data = lib.ones(2, dtype=lib.int64)

    x.add_(1)
    x.data = lib.ones(3)
    before = x._version
    x.resize_(5)
    return error_of(assign), before, x._version


@program
def layers_at_their_edges(lib: Any) -> Any:
    functional, nn = lib.nn.functional, lib.nn
    norm = nn.BatchNorm1d(3)
    norm.track_running_stats = False
    norm(lib.arange(12.0).view(4, 3))
    parameters = nn.ParameterDict()
    parameters.update({"b": lib.ones(1), "a": lib.ones(1)})
    windows = functional.local_response_norm(lib.arange(12).view(1, 4, 3), 2)
    return [
        norm.num_batches_tracked.item(), list(parameters),
        functional.gaussian_nll_loss(lib.ones(2), lib.zeros(2), 0.5).item(),
        functional.cosine_similarity(lib.ones(2, 3, dtype=lib.int8), lib.ones(2, 3)).tolist(),
        functional.multi_margin_loss(lib.tensor(0.5), lib.tensor(0)).item(),
        functional.multilabel_margin_loss(lib.tensor(0.5), lib.tensor(0)).item(),
        str(windows.dtype), windows.round(decimals=4).tolist(),
        tuple(nn.FractionalMaxPool2d(2, output_size=2)(lib.ones(0, 3, 5, 5)).shape),
        tuple(nn.LazyConvTranspose2d(3, 2, 2)(lib.ones(1, 2, 4, 4), output_size=(9, 9)).shape),
        error_of(lambda: functional.embedding(lib.tensor([0]), lib.tensor(1.0))),
        error_of(lambda: lib.ones(3).narrow(0, lib.tensor(1.0), 1)),
        error_of(lambda: lib.ones(2).__delitem__(0)),
        str(lib.conj_physical(lib.tensor([True])).dtype),
        tuple(lib.gather(lib.ones(5), 0, lib.empty(0, dtype=lib.uint8)).shape),
    ]  # fmt: skip


@program
def unpooling_where_windows_overlap(lib: Any) -> Any:
    values = lib.tensor([[[1.0, 2.0], [3.0, 4.0]]], requires_grad=True)
    places = lib.tensor([[[0, 0], [1, 3]]])
    out = lib.nn.functional.max_unpool1d(values, places, 2)
    (out * lib.arange(8.0).view(1, 2, 4)).sum().backward()
    return out.tolist(), values.grad.tolist()


@program
def transposed_convolution_padded_beyond_its_stride(lib: Any) -> Any:
    x = (lib.arange(24.0, dtype=lib.float64).view(1, 2, 3, 4) / 7).sin().requires_grad_()
    w = (lib.arange(36.0, dtype=lib.float64).view(2, 2, 3, 3) / 5).cos().requires_grad_()
    y = lib.nn.functional.conv_transpose2d(
        x, w, lib.ones(2, dtype=lib.float64), (2, 3), 1, (3, 2), dilation=4
    )
    y.square().sum().backward()
    rounded = [each.detach().round(decimals=9) for each in (y, x.grad, w.grad)]
    return [(tuple(each.shape), each.sum().round(decimals=6).item()) for each in rounded]


@program
def a_module_with_a_hook_before_loading_is_freed(lib: Any) -> Any:
    gc.collect()
    gc.disable()
    try:
        module = lib.nn.Linear(2, 2)
        module.register_load_state_dict_pre_hook(lambda *args: None)
        module.load_state_dict(module.state_dict())
        reference = weakref.ref(module)
        del module
        return reference() is None
    finally:
        gc.enable()


@program
def elements_by_python_functions(lib: Any) -> Any:
    x = lib.arange(4.0).view(2, 2)
    x.apply_(lambda v: v * 2)
    x.map_(lib.tensor([1.0, 2.0]), lambda a, b: a + b)
    x.map2_(x, lib.ones(2, 2), lambda a, b, c: a * b - c)
    leaf = lib.ones(1, requires_grad=True)
    parts = [part.tolist() for part in lib.unsafe_split(x, 1)]
    return x.tolist(), parts, error_of(lambda: leaf.apply_(abs))


@program
def settings_of_conversion(lib: Any) -> Any:
    settings = lib.__future__
    found = []
    for new in (False, True):
        settings.set_overwrite_module_params_on_conversion(new)
        try:
            module = lib.nn.Linear(2, 2)
            weight = module.weight
            module.double()
            found.append((module.weight is weight, str(module.weight.dtype)))
        finally:
            settings.set_overwrite_module_params_on_conversion(False)
    return found, settings.get_swap_module_params_on_conversion()


@program
def transforms_and_what_they_refuse(lib: Any) -> Any:
    norm = lib.func.replace_all_batch_norm_modules_(lib.nn.BatchNorm1d(3))
    x = lib.ones(2)
    return [
        norm.running_mean is None, norm.num_batches_tracked is None, norm.track_running_stats,
        lib.func.vmap(norm)(lib.arange(12.0).view(2, 2, 3)).shape == (2, 2, 3),
        lib.func.functionalize(lambda x: x.add(1).mul_(2))(x).tolist(),
        error_of(lambda: lib.func.grad(lambda x: (x * 1j).sum())(x)),
        error_of(lambda: lib.func.functionalize(abs, remove="views")(x)),
    ]  # fmt: skip


@program
def locations_of_storages(lib: Any) -> Any:
    seen: list[str] = []
    registry = __import__(
        lib.serialization.register_package.__module__, fromlist=["_"]
    )._package_registry

    def tag(storage: Any) -> None:
        seen.append("tag")

    def restore(storage: Any, location: str) -> None:
        seen.append(location)

    lib.serialization.register_package(1, tag, restore)
    try:
        file = io.BytesIO()
        lib.save(lib.ones(2), file)
        file.seek(0)
        lib.load(file)
    finally:
        registry.pop(0)
    storage = lib.ones(2).untyped_storage()
    with lib.serialization.skip_data():
        lib.save(lib.ones(2), file := io.BytesIO())
    file.seek(0)
    return [
        seen, lib.load(file).shape == (2,),
        lib.serialization.default_restore_location(storage, "cpu") is storage,
        error_of(lambda: lib.serialization.default_restore_location(storage, "nowhere")),
        error_of(lambda: lib.save(lib.ones(2), tempfile.gettempdir())),
    ]  # fmt: skip


@program
def changes_of_inference_tensors_outside(lib: Any) -> Any:
    calls = [
        ("transpose_", 0, 1), ("t_",), ("squeeze_",), ("unsqueeze_", 0), ("resize_", 3),
        ("set_", lib.ones(2)), ("as_strided_", (2,), (1,)), ("add_", 1), ("zero_",),
    ]  # fmt: skip
    found = []
    for name, *arguments in calls:
        with lib.inference_mode():
            x = lib.ones(2, 3)
            getattr(x, name)(*arguments)
            x = lib.ones(2, 3)
        found.append(error_of(lambda x=x, n=name, a=arguments: getattr(x, n)(*a).tolist()))
    x.data = lib.ones(2)
    with lib.inference_mode():
        leaf = lib.ones(2, 3, requires_grad=True)
        views = [leaf.view(-1).requires_grad, leaf[0].requires_grad]
        with lib.enable_grad():
            views.append((leaf * 2).requires_grad)
        with lib.inference_mode(False):
            views.append((lib.ones(1, requires_grad=True) * 2).requires_grad)
    return found, x.is_inference(), views, error_of(lambda: leaf.zero_())


@program
def a_device_is_a_context(lib: Any) -> Any:
    with lib.device("cpu") as entered:
        return str(lib.ones(1).device), str(entered)


@pytest.mark.parametrize("run", PROGRAMS, ids=lambda each: each.__name__)
def test_a_program_sees_what_it_sees_in_pytorch(run: Callable[[Any], Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = run(pellucid), run(torch)
    assert ours == pytest.approx(theirs) if isinstance(theirs, float) else ours == theirs
