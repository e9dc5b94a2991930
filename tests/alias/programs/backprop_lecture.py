"""Batch normalization and a loss, differentiated by hand, against autograd (makemore, part 4)."""

import torch
import torch.nn.functional as F

words = "emma olivia ava isabella sophia mia amelia harper evelyn abigail".split()
chars = sorted(set("".join(words)))
stoi = {s: i + 1 for i, s in enumerate(chars)}
stoi["."] = 0
X, Y = [], []
for w in words:
    context = [0] * 3
    for ch in w + ".":
        X.append(context)
        Y.append(stoi[ch])
        context = context[1:] + [stoi[ch]]
X, Y = torch.tensor(X), torch.tensor(Y)
vocab_size, n_embd, n_hidden, n = len(stoi), 4, 12, 24

g = torch.Generator().manual_seed(2147483647)
C = torch.randn((vocab_size, n_embd), generator=g)
W1 = torch.randn((n_embd * 3, n_hidden), generator=g) * (5 / 3) / ((n_embd * 3) ** 0.5)
b1 = torch.randn(n_hidden, generator=g) * 0.1
W2 = torch.randn((n_hidden, vocab_size), generator=g) * 0.1
b2 = torch.randn(vocab_size, generator=g) * 0.1
bngain = torch.randn((1, n_hidden), generator=g) * 0.1 + 1.0
bnbias = torch.randn((1, n_hidden), generator=g) * 0.1
parameters = [C, W1, b1, W2, b2, bngain, bnbias]
for p in parameters:
    p.requires_grad = True

ix = torch.randint(0, X.shape[0], (n,), generator=g)
Xb, Yb = X[ix], Y[ix]
emb = C[Xb]
embcat = emb.view(emb.shape[0], -1)
hprebn = embcat @ W1 + b1
bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
bndiff = hprebn - bnmeani
bnvar = 1 / (n - 1) * (bndiff**2).sum(0, keepdim=True)
bnvar_inv = (bnvar + 1e-5) ** -0.5
bnraw = bndiff * bnvar_inv
hpreact = bngain * bnraw + bnbias
h = torch.tanh(hpreact)
logits = h @ W2 + b2
logit_maxes = logits.max(1, keepdim=True).values
counts = (logits - logit_maxes).exp()
counts_sum_inv = counts.sum(1, keepdims=True) ** -1
probs = counts * counts_sum_inv
logprobs = probs.log()
loss = -logprobs[range(n), Yb].mean()
for p in parameters:
    p.grad = None
for t in [
    logprobs,
    probs,
    counts,
    counts_sum_inv,
    logits,
    h,
    hpreact,
    bnraw,
    bnvar_inv,
    hprebn,
    emb,
]:
    t.retain_grad()
loss.backward()
print(f"{loss.item():.4f}")


def cmp(s, dt, t):
    ex = torch.all(dt == t.grad).item()
    app = torch.allclose(dt, t.grad, atol=1e-6)
    print(f"{s:12s} | same {str(ex or app):5s} | shape {tuple(dt.shape)}")


dlogprobs = torch.zeros_like(logprobs)
dlogprobs[range(n), Yb] = -1.0 / n
cmp("logprobs", dlogprobs, logprobs)
dprobs = (1.0 / probs) * dlogprobs
cmp("probs", dprobs, probs)
dcounts_sum_inv = (counts * dprobs).sum(1, keepdim=True)
cmp("sum_inv", dcounts_sum_inv, counts_sum_inv)
dlogits = F.softmax(logits, 1)
dlogits[range(n), Yb] -= 1
dlogits /= n
cmp("logits", dlogits, logits)
dh = dlogits @ W2.T
dW2, db2 = h.T @ dlogits, dlogits.sum(0)
cmp("h", dh, h)
cmp("W2", dW2, W2)
cmp("b2", db2, b2)
dhpreact = (1.0 - h**2) * dh
cmp("hpreact", dhpreact, hpreact)
dbngain = (bnraw * dhpreact).sum(0, keepdim=True)
dbnbias = dhpreact.sum(0, keepdim=True)
cmp("bngain", dbngain, bngain)
dhprebn = (
    bngain
    * bnvar_inv
    / n
    * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0))
)
cmp("hprebn", dhprebn, hprebn)
dembcat = dhprebn @ W1.T
dW1, db1 = embcat.T @ dhprebn, dhprebn.sum(0)
cmp("W1", dW1, W1)
demb = dembcat.view(emb.shape)
dC = torch.zeros_like(C)
for k in range(Xb.shape[0]):
    for j in range(Xb.shape[1]):
        dC[Xb[k, j]] += demb[k, j]
cmp("C", dC, C)
with torch.no_grad():
    for p, grad in zip(parameters, (dC, dW1, db1, dW2, db2, dbngain, dbnbias)):
        p.data += -0.1 * grad
    print("update", f"{sum(p.abs().sum() for p in parameters).item():.3f}")
