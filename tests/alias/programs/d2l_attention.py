"""A GRU encoder and a decoder that attends by addition, on digits to be said backwards."""

import torch
from torch import nn

torch.manual_seed(0)


def sequence_mask(X, valid_len, value=0):
    mask = torch.arange(X.size(1), dtype=torch.float32, device=X.device)[None, :]
    X[~(mask < valid_len[:, None])] = value
    return X


def masked_softmax(X, valid_lens):
    if valid_lens is None:
        return nn.functional.softmax(X, dim=-1)
    shape = X.shape
    if valid_lens.dim() == 1:
        valid_lens = torch.repeat_interleave(valid_lens, shape[1])
    else:
        valid_lens = valid_lens.reshape(-1)
    X = sequence_mask(X.reshape(-1, shape[-1]), valid_lens, value=-1e6)
    return nn.functional.softmax(X.reshape(shape), dim=-1)


class AdditiveAttention(nn.Module):
    def __init__(self, num_hiddens, dropout):
        super().__init__()
        self.W_k = nn.LazyLinear(num_hiddens, bias=False)
        self.W_q = nn.LazyLinear(num_hiddens, bias=False)
        self.w_v = nn.LazyLinear(1, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, valid_lens):
        queries, keys = self.W_q(queries), self.W_k(keys)
        features = torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))
        scores = self.w_v(features).squeeze(-1)
        self.attention_weights = masked_softmax(scores, valid_lens)
        return torch.bmm(self.dropout(self.attention_weights), values)


class Encoder(nn.Module):
    def __init__(self, vocab, embed, hiddens, layers):
        super().__init__()
        self.embedding = nn.Embedding(vocab, embed)
        self.rnn = nn.GRU(embed, hiddens, layers, dropout=0.1)
        self.apply(init_seq2seq)

    def forward(self, X):
        return self.rnn(self.embedding(X.t().type(torch.int64)))


class Decoder(nn.Module):
    def __init__(self, vocab, embed, hiddens, layers):
        super().__init__()
        self.attention = AdditiveAttention(hiddens, 0.1)
        self.embedding = nn.Embedding(vocab, embed)
        self.rnn = nn.GRU(embed + hiddens, hiddens, layers, dropout=0.1)
        self.dense = nn.LazyLinear(vocab)

    def forward(self, X, state):
        enc_outputs, hidden_state, enc_valid_lens = state
        outputs, self.weights = [], []
        for x in self.embedding(X).permute(1, 0, 2):
            query = torch.unsqueeze(hidden_state[-1], dim=1)
            context = self.attention(query, enc_outputs, enc_outputs, enc_valid_lens)
            x = torch.cat((context, torch.unsqueeze(x, dim=1)), dim=-1)
            out, hidden_state = self.rnn(x.permute(1, 0, 2), hidden_state)
            outputs.append(out)
            self.weights.append(self.attention.attention_weights)
        outputs = self.dense(torch.cat(outputs, dim=0))
        return outputs.permute(1, 0, 2), [enc_outputs, hidden_state, enc_valid_lens]


def init_seq2seq(module):
    if type(module) == nn.Linear:
        nn.init.xavier_uniform_(module.weight)
    if type(module) == nn.GRU:
        for param in module._flat_weights_names:
            if "weight" in param:
                nn.init.xavier_uniform_(module._parameters[param])


def grad_clipping(net, theta):
    params = [p for p in net.parameters() if p.requires_grad]
    norm = torch.sqrt(sum(torch.sum(p.grad**2) for p in params))
    if norm > theta:
        for param in params:
            param.grad[:] *= theta / norm


PAD, BOS, EOS = 0, 1, 2
lengths = torch.randint(2, 6, (32,))
source = torch.full((32, 6), PAD)
target = torch.full((32, 7), PAD)
for row, length in enumerate(lengths.tolist()):
    digits = torch.randint(3, 9, (length,))
    source[row, :length], source[row, length] = digits, EOS
    target[row, :length], target[row, length] = digits.flip(0), EOS
given = torch.cat([torch.full((32, 1), BOS), target[:, :-1]], 1)

encoder, decoder = Encoder(9, 12, 16, 2), Decoder(9, 12, 16, 2)
enc_outputs, hidden = encoder(source)
state = [enc_outputs.permute(1, 0, 2), hidden, lengths + 1]
decoder(given, state)
decoder.apply(init_seq2seq)
net = nn.ModuleList([encoder, decoder])
optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
for epoch in range(15):
    optimizer.zero_grad()
    enc_outputs, hidden = encoder(source)
    out, _ = decoder(given, [enc_outputs.permute(1, 0, 2), hidden, lengths + 1])
    weights = sequence_mask(torch.ones_like(target, dtype=torch.float32), lengths + 1)
    each = nn.functional.cross_entropy(out.permute(0, 2, 1), target, reduction="none")
    loss = (each * weights).sum() / weights.sum()
    loss.backward()
    grad_clipping(net, 1)
    optimizer.step()
    if epoch % 3 == 2:
        print(f"loss {loss.item():.4f}")
net.eval()
with torch.no_grad():
    enc_outputs, hidden = encoder(source[:2])
    state = [enc_outputs.permute(1, 0, 2), hidden, lengths[:2] + 1]
    X = torch.full((2, 1), BOS)
    for _ in range(4):
        Y, state = decoder(X, state)
        X = Y.argmax(dim=2)
    attention = torch.cat(decoder.weights, 1)
print(tuple(attention.shape), f"{attention.sum().item():.3f}", X.shape[1])
