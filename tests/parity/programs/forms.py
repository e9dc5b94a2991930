"""Statements and expressions about graphs, hooks, modes and transforms, with places for operands.

``X`` and ``Y`` are tensors of a program, ``L`` one of its leaves, ``W`` an expression with ``v``,
``N`` and ``M`` new names.
"""

from __future__ import annotations

from pathlib import Path

#: expressions that give views, beside those of `choices.VIEWS`
VIEWS = (
    "X.view(-1)", "X[0]", "X[-1]", "X[...]", "X.t()", "X.T", "X.mT", "X.expand_as(X)",
    "X.tensor_split(2)[0]", "X.tensor_split(2, -1)[1]", "X.hsplit(1)[0]", "X.unsafe_chunk(2)[0]",
    "X.unsafe_split(1)[0]", "X.split(1)[1]", "X.split([1, 1])[0]", "X.chunk(2, -1)[1]",
    "X.unbind(-1)[0]", "X.real", "torch.view_as_real(X.to(torch.complex128))", "X.detach()",
    "X.data", "X.alias_copy() if hasattr(X, 'alias_copy') else X", "X.view(X.dtype)",
    "X.squeeze(0)", "X.squeeze(-1)", "X.unflatten(-1, (1, -1))", "X.narrow(0, 0, 1)",
    "torch.broadcast_tensors(X, X)[0]", "torch.broadcast_to(X, X.shape)", "X.reshape(X.shape)",
    "X.flatten()", "X.ravel()", "X[None]", "X[..., None]", "X[:, 1:]", "X[::2]", "X.diagonal()",
    "X.as_strided((2,), (1,))", "X.as_strided((2,), (1,), 1)", "X.as_subclass(torch.Tensor)",
    "torch.atleast_2d(X)", "X.contiguous()", "X.to(X.dtype)", "X.type_as(X)", "X.view_as(X)",
    "X.select(0, 0)", "X.movedim(0, -1)", "X.permute(*range(X.ndim))", "X.mH", "X.adjoint()",
    "X.expand(2, *X.shape)", "X.unfold(0, 1, 1)", "torch.dstack([X])", "X.swapdims(0, -1)",
    "torch.real(X)", "X.positive()", "X.resolve_conj()", "X.cpu()", "X.nan_to_num()",
)  # fmt: skip

#: changes in place, beside those of `choices.CHANGES`
CHANGES = (
    "X.mul_(2)", "X.mul_(Y)", "X.add_(Y)", "X[0] = 0.5", "X[...] = 1.0", "X[-1:] = Y.mean()",
    "X[:, 0] += 1", "X.t().mul_(2)", "X.view(-1).add_(1)", "X[0].zero_()",
    "X.T.copy_(Y.detach().T)", "X.copy_(Y)", "X.copy_(Y.detach())", "X.fill_(Y.mean())",
    "X.fill_(2)", "X.clamp_(min=0.1)", "X.clamp_(-1, 1)", "X.tanh_()",
    "X.masked_fill_(X > 0, 0.5)", "X.masked_fill_(X > 0, Y.mean())",
    "X.index_copy_(0, torch.tensor([0]), X[:1] * 2)",
    "X.index_put_((torch.tensor([0]),), Y.mean())", "X.logical_not_()", "X.requires_grad_()",
    "X.requires_grad_(False)", "X.detach_()", "X.resize_(X.shape)", "X.zero_()", "X.retain_grad()",
    "X.sub_(1).mul_(2)", "X.addcdiv_(X, Y.abs() + 1)", "X.unsqueeze_(0).squeeze_(0)",
    "X.transpose_(0, -1).transpose_(0, -1)", "X.data.add_(1)", "X.data = X.data * 2",
    "X.requires_grad = True", "X.requires_grad = False", "X.split(1)[0].mul_(2)",
    "X.tensor_split(2)[0].mul_(2)", "X.unbind()[0].add_(1)", "X.unsafe_chunk(2)[0].mul_(2)",
    "X.chunk(2)[0].zero_()", "X.expand(2, *X.shape)[0].add_(1)", "X += Y", "X -= Y", "X *= Y",
    "X /= 2", "X **= 2", "torch.exp(X, out=X.detach().clone())",
    "torch.autograd.graph.increment_version(X)", "X.index_fill_(0, torch.tensor([0]), 0.5)",
    "X.lerp_(Y, 0.5)", "X.erf_()", "X.rsub(1)", "X.fmod_(2)", "X.remainder_(2)", "X.atan2_(Y)",
    "F.leaky_relu_(X, 0.1)", "F.elu_(X)", "F.hardtanh_(X)", "F.relu(X, inplace=True)",
    "F.silu(X, inplace=True)", "F.threshold(X, 0.1, 0.5, inplace=True)", "X.set_(X.detach())",
    "X.copy_(1 * X)", "X.swapaxes_(0, -1).swapaxes_(0, -1)", "X.fill_diagonal_(0.5)",
)  # fmt: skip

#: what a tensor or its node says of itself
QUESTIONS = (
    "X.grad_fn", "X.grad_fn.name()", "X.grad_fn.next_functions[0][0]", "X.grad_fn.metadata",
    "X.grad_fn.requires_grad", "X.grad_fn.next_functions[-1][0].name()", "X.is_view()",
    "X._base is None", "X._version", "X._is_view()", "X.grad", "X.output_nr", "X.is_inference()",
    "X.retains_grad", "X.data_ptr() == Y.data_ptr()", "X.grad_fn(torch.ones_like(X))",
    "X.grad_fn._saved_self", "X.grad_fn._saved_result", "X.grad_fn._saved_other",
    "X.grad_fn._raw_saved_self", "X.grad_fn._raw_saved_result",
    "X.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)",
    "torch.autograd.graph.get_gradient_edge(X).output_nr", "X is Y", "X.requires_grad",
    "X.grad_fn is Y.grad_fn", "X.grad_fn.next_functions[0][0] is Y.grad_fn", "X.is_leaf",
    "torch.autograd.graph.get_gradient_edge(X).node.name()", "type(X.grad_fn).__name__",
    "X.untyped_storage().data_ptr() == Y.untyped_storage().data_ptr()", "X.grad._version",
    "copy.deepcopy(X)", "copy.copy(X)", "pickle.loads(pickle.dumps(X))",
    "X.grad_fn._sequence_nr() >= 0", "torch.is_grad_enabled()",
    "torch.is_inference_mode_enabled()", "X.grad.requires_grad", "isinstance(X, nn.Parameter)",
    "nn.Parameter(X)", "X.new_tensor([1.0])", "X.numpy()", "X.tolist()", "torch.tensor(X)",
    "torch.as_tensor(X)", "X.__deepcopy__({})", "torch.autograd.forward_ad.unpack_dual(X)",
    "X.stride()", "X.is_contiguous()", "X.storage_offset()", "torch.equal(X, Y)",
    "X.grad_fn.next_functions", "X._backward_hooks", "X.numel()", "len(X)",
)  # fmt: skip

#: hooks of every kind, where ``hooked`` logs what it is given
HOOKS = (
    "X.register_hook(lambda g: hooked('tensor', g))", "X.register_hook(lambda g: g * 2)",
    "X.register_hook(lambda g: g.mul_(2))", "X.register_hook(lambda g: hooked(g.requires_grad))",
    "X.register_hook(lambda g: None)", "X.register_hook(lambda g: g.clamp_(-0.5, 0.5))",
    "X.grad_fn.register_hook(lambda i, o: hooked('node', i, o))",
    "X.grad_fn.register_prehook(lambda o: hooked('before', o))",
    "X.grad_fn.register_hook(lambda i, o: tuple(None if g is None else g * 2 for g in i))",
    "X.grad_fn.register_prehook(lambda o: tuple(None if g is None else g * 2 for g in o))",
    "X.grad_fn.next_functions[0][0].register_prehook(lambda o: hooked('next', o))",
    "X.grad_fn.next_functions[-1][0].register_hook(lambda i, o: hooked('last', i, o))",
    "L.register_post_accumulate_grad_hook(lambda p: hooked('after', p.grad))",
    "L.register_post_accumulate_grad_hook(lambda p: setattr(p, 'grad', None))",
    "L.register_hook(lambda g: hooked('leaf', g))", "L.register_hook(lambda g: -g)",
    "torch.autograd.graph.register_multi_grad_hook([X, L], lambda gs: hooked('all', gs))",
    "torch.autograd.graph.register_multi_grad_hook([X, Y], lambda g: hooked('any', g), mode='any')",
    "X.register_post_accumulate_grad_hook(lambda p: hooked('after', p.grad))",
    "X.register_hook(lambda g: g[:1])", "X.register_hook(lambda g: 3)", "X.retain_grad()",
)  # fmt: skip

#: ways from outputs to gradients
PASSES = (
    "X.sum().backward()", "X.sum().backward(retain_graph=True)", "X.backward(torch.ones_like(X))",
    "(X * Y).sum().backward(retain_graph=True)", "X.mean().backward()", "X.backward()",
    "X.sum().backward(create_graph=True)", "X.sum().backward(inputs=[L])",
    "X.sum().backward(inputs=[L], retain_graph=True)", "(X ** 2).mean().backward()",
    "X.norm().backward(retain_graph=True)", "torch.autograd.backward([X.sum(), Y.sum()])",
    "torch.autograd.backward(X, torch.ones_like(X), retain_graph=True)",
    "torch.autograd.backward([X, Y], [torch.ones_like(X), torch.ones_like(Y)])",
    "X.sum().backward(inputs=[X])", "X.sum().backward(inputs=[X, L], retain_graph=True)",
)  # fmt: skip

#: what gives gradients
GRADS = (
    "torch.autograd.grad(X.sum(), L)", "torch.autograd.grad(X.sum(), [L, Y], allow_unused=True)",
    "torch.autograd.grad(X.sum(), L, create_graph=True)", "torch.autograd.grad(X.sum(), X)",
    "torch.autograd.grad(X.sum(), L, retain_graph=True, allow_unused=True)",
    "torch.autograd.grad(X.sum(), [L], materialize_grads=True, create_graph=True)",
    "torch.autograd.grad(X, L, torch.ones_like(X), retain_graph=True)",
    "torch.autograd.grad((X * Y).sum(), [L, X], create_graph=True, allow_unused=True)",
    "torch.autograd.grad([X.sum(), Y.sum()], L, retain_graph=True, allow_unused=True)",
    "torch.autograd.grad(X.sum(), [L, L], retain_graph=True, allow_unused=True)",
    "torch.autograd.grad(X.sum(), L, create_graph=True, allow_unused=True)",
    "torch.autograd.grad(torch.autograd.graph.get_gradient_edge(X), L, torch.ones_like(X))",
    "torch.autograd.grad(X.square().sum(), [L], materialize_grads=True)",
)  # fmt: skip

#: transforms of functions
TRANSFORMS = (
    "torch.func.grad(lambda v: (W).sum())(X)", "torch.func.jacrev(lambda v: W)(X)",
    "torch.func.jacfwd(lambda v: W)(X)", "torch.func.hessian(lambda v: (W).sum())(X)",
    "torch.func.vjp(lambda v: W, X)[0]", "torch.func.vjp(lambda v: W, X)[1](torch.ones_like(X))",
    "torch.func.jvp(lambda v: W, (X,), (torch.ones_like(X),))[1]",
    "torch.func.jvp(lambda v: W, (X,), (Y.detach().expand(X.shape),))[0]",
    "torch.vmap(lambda v: W)(X)", "torch.vmap(lambda v: (W).sum())(X)",
    "torch.func.grad_and_value(lambda v: (W).sum())(X)", "torch.func.linearize(lambda v: W, X)[0]",
    "torch.func.grad(lambda v: (W).sum(), has_aux=False)(X)",
    "torch.func.grad(lambda v: ((W).sum(), v), has_aux=True)(X)",
    "torch.vmap(torch.func.grad(lambda v: (W).sum()))(X)",
    "torch.func.jacfwd(lambda v: (v, W))(X)", "torch.func.jacrev(lambda v: (v, W))(X)",
    "torch.func.grad(lambda v: hooked(v.is_leaf, v.requires_grad) or (W).sum())(X)",
    "torch.func.jvp(lambda a: torch.func.vjp(torch.sin, a)[0], (X,), (X,))",
    "torch.func.grad(torch.func.grad(lambda v: (v ** 3).sum().sin()))(X.mean())",
    "torch.autograd.functional.jacobian(lambda v: W, X)",
    "torch.autograd.functional.hessian(lambda v: (W).sum(), X)",
    "torch.autograd.functional.vjp(lambda v: W, X, torch.ones_like(X))",
    "torch.autograd.functional.jvp(lambda v: W, X, torch.ones_like(X))",
    "torch.autograd.functional.vhp(lambda v: (W).sum(), X, torch.ones_like(X))",
    "torch.autograd.functional.hvp(lambda v: (W).sum(), X, torch.ones_like(X))",
    "torch.autograd.functional.jacobian(lambda v: W, X, create_graph=True)",
)  # fmt: skip


def _blocks(file: str) -> tuple[str, ...]:
    text = (Path(__file__).parent / file).read_text("utf-8")
    return tuple(each.strip("\n") for each in text.split("\n\n"))


#: statements that belong together
SCENES = _blocks("scenes.txt")
#: custom functions, ``NAME`` for the name of one, and how it is called on ``X``
FUNCTIONS = _blocks("functions.txt")
