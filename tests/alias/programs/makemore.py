"""Names, letter by letter: bigrams by counting and by gradient, then an MLP with everything by hand."""

import torch
import torch.nn.functional as F

words = ["emma", "olivia", "ava", "isabella", "sophia", "charlotte", "mia", "amelia"] * 3
chars = sorted(set("".join(words)))
stoi = {s: i + 1 for i, s in enumerate(chars)} | {".": 0}
itos = {i: s for s, i in stoi.items()}
V = len(stoi)

N = torch.zeros((V, V), dtype=torch.int32)
for w in words:
    for a, b in zip("." + w, w + "."):
        N[stoi[a], stoi[b]] += 1
P = (N + 1).float()
P /= P.sum(1, keepdims=True)
g = torch.Generator().manual_seed(2147483647)
for _ in range(3):
    out, ix = [], 0
    while len(out) < 12:
        ix = torch.multinomial(P[ix], num_samples=1, replacement=True, generator=g).item()
        out.append(itos[ix])
        if ix == 0:
            break
    print("".join(out))

xs = torch.tensor([stoi[a] for w in words for a in "." + w])
ys = torch.tensor([stoi[b] for w in words for b in w + "."])
W = torch.randn((V, V), generator=g, requires_grad=True)
for _ in range(5):
    logits = F.one_hot(xs, num_classes=V).float() @ W
    counts = logits.exp()
    probs = counts / counts.sum(1, keepdims=True)
    loss = -probs[torch.arange(len(xs)), ys].log().mean() + 0.01 * (W**2).mean()
    W.grad = None
    loss.backward()
    W.data += -20 * W.grad
    print(f"loss {loss.item():.4f}")

block_size, n_embd, n_hidden = 3, 5, 20
X, Y = [], []
for w in words:
    context = [0] * block_size
    for ch in w + ".":
        X.append(context)
        Y.append(stoi[ch])
        context = context[1:] + [stoi[ch]]
Xb, Yb = torch.tensor(X), torch.tensor(Y)
C = torch.randn((V, n_embd), generator=g)
W1 = torch.randn((n_embd * block_size, n_hidden), generator=g) * (5 / 3) / 15**0.5
W2 = torch.randn((n_hidden, V), generator=g) * 0.1
b2 = torch.randn(V, generator=g) * 0.1
bngain, bnbias = torch.ones((1, n_hidden)), torch.zeros((1, n_hidden))
parameters = [C, W1, W2, b2, bngain, bnbias]
for p in parameters:
    p.requires_grad = True
n = Xb.shape[0]
for step in range(5):
    emb = C[Xb]
    embcat = emb.view(emb.shape[0], -1)
    hprebn = embcat @ W1
    bnmeani = 1 / n * hprebn.sum(0, keepdim=True)
    bndiff = hprebn - bnmeani
    bnvar = 1 / (n - 1) * (bndiff**2).sum(0, keepdim=True)
    bnvar_inv = (bnvar + 1e-5) ** -0.5
    bnraw = bndiff * bnvar_inv
    hpreact = bngain * bnraw + bnbias
    h = torch.tanh(hpreact)
    logits = h @ W2 + b2
    loss = F.cross_entropy(logits, Yb)
    for p in parameters:
        p.grad = None
    for t in (logits, h, hpreact, hprebn, embcat, emb):
        t.retain_grad()
    loss.backward()
    with torch.no_grad():
        dlogits = F.softmax(logits, 1)
        dlogits[range(n), Yb] -= 1
        dlogits /= n
        dh = dlogits @ W2.T
        dhpreact = (1.0 - h**2) * dh
        dhprebn = (
            bngain
            * bnvar_inv
            / n
            * (n * dhpreact - dhpreact.sum(0) - n / (n - 1) * bnraw * (dhpreact * bnraw).sum(0))
        )
        demb = (dhprebn @ W1.T).view(emb.shape)
        dC = torch.zeros_like(C)
        for k in range(Xb.shape[0]):
            for j in range(Xb.shape[1]):
                dC[Xb[k, j]] += demb[k, j]
    for name, mine, t in (("logits", dlogits, logits), ("hprebn", dhprebn, hprebn), ("C", dC, C)):
        print(name, "agrees", torch.allclose(mine, t.grad, atol=1e-6))
    for p in parameters:
        p.data += -0.1 * p.grad
    print(f"loss {loss.item():.4f}")
