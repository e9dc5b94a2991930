"""What leaves a backward pass may be written to: no element stands for several."""

import pytest

import pellucid as torch

SHAPE = (2, 3)


def leaf():
    return torch.ones(SHAPE, requires_grad=True)


SUMMED = {
    "sum": lambda x: x.sum(),
    "mean": lambda x: x.mean(),
    "mean of a view": lambda x: x.view(3, 2).mean(),
    "mean of a turned one": lambda x: x.t().mean(),
    "mean of rows": lambda x: x.mean(1).sum(),
    "mean of given dims": lambda x: x.mean((0, 1)),
    "mean, kept": lambda x: x.mean(0, keepdim=True).sum(),
    "nansum": lambda x: x.nansum(),
    "expand": lambda x: x[:1, :1].expand(4, 5).sum(),
}


@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("program", SUMMED.values(), ids=SUMMED)
def test_a_gradient_is_an_array_of_its_own_in_every_pass(program, create_graph):
    for _ in range(3):
        x = leaf()
        (g,) = torch.autograd.grad(program(x), x, create_graph=create_graph)
        g = g.detach()
        before = g.tolist()
        assert 0 not in g.stride()
        g[0, 0] = 5.0
        before[0][0] = 5.0
        assert g.tolist() == before


@pytest.mark.parametrize("program", SUMMED.values(), ids=SUMMED)
def test_a_gradient_can_be_scaled_in_place(program):
    for _ in range(3):
        x = leaf()
        (g,) = torch.autograd.grad(program(x), x)
        twice = (g * 2).tolist()
        assert g.mul_(2).tolist() == twice


def test_a_hook_of_a_tensor_may_write_to_the_gradient():
    for _ in range(3):
        x = leaf()
        y = x * 1

        def hook(g):
            g[0, 0] = 5.0

        y.register_hook(hook)
        y.sum().backward()
        assert x.grad.tolist() == [[5, 1, 1], [1, 1, 1]]


def test_hooks_of_nodes_may_write_to_gradients():
    x = leaf()
    y = x * 1
    strides = []
    y.grad_fn.register_prehook(lambda grads: strides.append(grads[0].stride()))
    y.grad_fn.register_hook(lambda returned, arrived: strides.append(arrived[0].stride()))
    y.sum().backward()
    assert strides == [(3, 1), (3, 1)]


@pytest.mark.filterwarnings("ignore:Using backward")
@pytest.mark.parametrize("create_graph", [False, True])
def test_a_retained_gradient_can_be_written_to(create_graph):
    x = leaf()
    y = x * 1
    y.retain_grad()
    y.sum().backward(create_graph=create_graph)
    y.grad.detach()[0, 0] = 5.0
    assert y.grad.tolist() == [[5, 1, 1], [1, 1, 1]]
