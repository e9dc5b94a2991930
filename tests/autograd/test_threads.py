"""Backward passes of several threads that end at one tensor: no gradient is lost."""

from __future__ import annotations

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pellucid as torch

THREADS = 4


def together(work):
    """Run `work` in several threads that start at the same time."""
    barrier = threading.Barrier(THREADS)

    def run():
        barrier.wait(10)
        work()

    with ThreadPoolExecutor(THREADS) as pool:
        for running in [pool.submit(run) for _ in range(THREADS)]:
            running.result(30)


def test_a_large_leaf_loses_no_gradient():
    w = torch.zeros(500_000, requires_grad=True)

    def work():
        for _ in range(5):
            (w * 1).sum().backward()

    together(work)
    assert w.grad.min() == w.grad.max() == THREADS * 5


def test_the_first_gradient_may_come_from_every_thread():
    for _ in range(100):
        w = torch.zeros(3000, requires_grad=True)
        together(lambda w=w: (w * 1).sum().backward())
        assert w.grad.min() == THREADS


def test_a_recorded_backward_loses_no_gradient():
    w = torch.zeros(200_000, requires_grad=True)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Using backward.* with create_graph=True")
        together(lambda: (w * 1).sum().backward(create_graph=True))
    assert w.grad.min() == THREADS


def test_hooks_see_a_sum_that_no_other_thread_is_adding_to():
    w = torch.zeros(200_000, requires_grad=True)
    sums = torch.zeros(200_000)

    def take(leaf):
        sums.add_(leaf.grad)
        leaf.grad = None

    w.register_post_accumulate_grad_hook(take)

    def work():
        for _ in range(5):
            (w * 1).sum().backward()

    together(work)
    assert sums.min() == sums.max() == THREADS * 5


def test_a_hook_may_call_backward_of_the_same_leaf():
    w = torch.zeros(3, requires_grad=True)
    calls = []

    def again(leaf):
        if len(calls) < 3:
            calls.append(leaf)
            with torch.enable_grad():
                loss = (w * 1).sum()
            loss.backward()

    w.register_post_accumulate_grad_hook(again)
    (w * 1).sum().backward()
    assert w.grad.tolist() == [4.0] * 3


def test_a_retained_gradient_loses_nothing():
    x = torch.zeros(200_000, requires_grad=True)
    y = x * 2
    y.retain_grad()
    z = y.sum()
    together(lambda: [z.backward(retain_graph=True) for _ in range(5)])
    assert y.grad.min() == THREADS * 5
    assert x.grad.min() == THREADS * 10
