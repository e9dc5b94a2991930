"""Word vectors by negative sampling, ratings by factorization, a masked language model (BERT)."""

import math

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

torch.manual_seed(0)


class SigmoidBCELoss(nn.Module):
    def forward(self, inputs, target, mask=None):
        out = nn.functional.binary_cross_entropy_with_logits(
            inputs, target, weight=mask, reduction="none"
        )
        return out.mean(dim=1)


def skip_gram(center, contexts_and_negatives, embed_v, embed_u):
    return torch.bmm(embed_v(center), embed_u(contexts_and_negatives).permute(0, 2, 1))


net = nn.Sequential(nn.Embedding(20, 6), nn.Embedding(20, 6, padding_idx=0))
net.apply(lambda m: nn.init.xavier_uniform_(m.weight) if type(m) == nn.Embedding else None)
center = torch.randint(1, 20, (24, 1))
counts = torch.randint(2, 6, (24,))
context = pad_sequence(
    [(c + torch.arange(1, n + 1)) % 19 + 1 for c, n in zip(center.squeeze(1), counts.tolist())],
    batch_first=True,
)
negative = torch.multinomial(torch.arange(1.0, 20.0) ** 0.75, 24 * 5, replacement=True)
both = torch.cat([context, negative.view(24, 5) + 1], 1)
mask = (both > 0).float()
label = torch.cat([(context > 0).float(), torch.zeros(24, 5)], 1)
criterion, optimizer = SigmoidBCELoss(), torch.optim.Adam(net.parameters(), lr=0.05)
for epoch in range(12):
    optimizer.zero_grad()
    pred = skip_gram(center, both, net[0], net[1])
    loss = criterion(pred.reshape(label.shape).float(), label, mask)
    loss = loss / mask.sum(axis=1) * mask.shape[1]
    loss.sum().backward()
    optimizer.step()
    if epoch % 4 == 3:
        print(f"loss {loss.mean().item():.4f}")
W, x = net[0].weight.data, net[0].weight.data[3]
cos = torch.mv(W, x) / torch.sqrt(torch.sum(W * W, dim=1) * torch.sum(x * x) + 1e-9)
print("nearest", torch.topk(cos, k=3)[1].tolist(), f"{net[1].weight[0].abs().sum().item():.4f}")


class Factors(nn.Module):
    def __init__(self, users, items, rank):
        super().__init__()
        self.P, self.Q = nn.Embedding(users, rank, sparse=False), nn.Embedding(items, rank)
        self.user_bias, self.item_bias = nn.Embedding(users, 1), nn.Embedding(items, 1)

    def forward(self, user, item):
        outputs = (self.P(user) * self.Q(item)).sum(dim=1)
        return outputs + self.user_bias(user).squeeze() + self.item_bias(item).squeeze()


ratings = torch.randn(8, 3) @ torch.randn(3, 10)
users, items = torch.nonzero(torch.rand(8, 10) < 0.7, as_tuple=True)
factors = Factors(8, 10, 3)
optimizer = torch.optim.Adagrad(factors.parameters(), lr=0.3, weight_decay=1e-4)
for epoch in range(20):
    optimizer.zero_grad()
    error = nn.functional.mse_loss(factors(users, items), ratings[users, items])
    error.backward()
    optimizer.step()
print(f"rmse {math.sqrt(error.item()):.4f}")


class BERT(nn.Module):
    def __init__(self, vocab, hiddens, heads, layers, max_len):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab, hiddens)
        self.segment_embedding = nn.Embedding(2, hiddens)
        self.pos_embedding = nn.Parameter(torch.randn(1, max_len, hiddens) * 0.1)
        layer = nn.TransformerEncoderLayer(
            hiddens, heads, 2 * hiddens, dropout=0.0, activation="gelu", batch_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.mlm = nn.Sequential(
            nn.Linear(hiddens, hiddens), nn.ReLU(), nn.LayerNorm(hiddens), nn.Linear(hiddens, vocab)
        )
        self.nsp = nn.Sequential(nn.Linear(hiddens, hiddens), nn.Tanh(), nn.Linear(hiddens, 2))

    def forward(self, tokens, segments, valid_lens, positions):
        X = self.token_embedding(tokens) + self.segment_embedding(segments)
        X = X + self.pos_embedding[:, : X.shape[1], :]
        padding = torch.arange(X.shape[1])[None] >= valid_lens[:, None]
        X = self.encoder(X, src_key_padding_mask=padding)
        rows = torch.repeat_interleave(torch.arange(len(X)), positions.shape[1])
        masked = X[rows, positions.reshape(-1)].reshape(len(X), positions.shape[1], -1)
        return self.mlm(masked), self.nsp(X[:, 0, :])


tokens = torch.arange(10).repeat(8, 1) + torch.randint(3, 12, (8, 1))
follows = torch.randint(0, 2, (8,))
tokens[follows == 0, 5:] = torch.randint(3, 22, (int((follows == 0).sum()), 5))
segments = (torch.arange(10) >= 5).long().expand(8, 10)
valid_lens = torch.randint(8, 11, (8,))
positions = torch.stack([torch.randperm(7)[:2] + 1 for _ in range(8)])
answers = tokens.gather(1, positions)
masked = tokens.scatter(1, positions, 1)
bert = BERT(24, 16, 2, 2, 10)
trainer = torch.optim.Adam(bert.parameters(), lr=5e-3)
for step in range(8):
    trainer.zero_grad()
    words, order = bert(masked, segments, valid_lens, positions)
    mlm = nn.functional.cross_entropy(words.flatten(0, 1), answers.flatten())
    nsp = nn.functional.cross_entropy(order, follows)
    (mlm + nsp).backward()
    trainer.step()
    if step % 2:
        print(f"mlm {mlm.item():.4f} nsp {nsp.item():.4f}")

packed = pack_padded_sequence(
    torch.nn.functional.one_hot(context, 20).float(), counts, batch_first=True, enforce_sorted=False
)
lstm = nn.LSTM(20, 5, num_layers=2, bidirectional=True, batch_first=True)
out, (hidden, _) = lstm(packed)
unpacked, lengths = pad_packed_sequence(out, batch_first=True, padding_value=-1.0)
print(tuple(unpacked.shape), torch.equal(lengths, counts), f"{hidden.sum().item():.4f}")
