"""Predict the next word, with every kind of recurrent network and with a transformer."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.onnx

torch.manual_seed(1111)
text = ("the cat sat on the mat and the dog sat on the log " * 12).split()
words = sorted(set(text))
ids = torch.tensor([words.index(word) for word in text]).type(torch.int64)


def batchify(data, bsz):
    nbatch = data.size(0) // bsz
    data = data.narrow(0, 0, nbatch * bsz)
    return data.view(bsz, -1).t().contiguous()


class RNNModel(nn.Module):
    def __init__(self, rnn_type, ntoken, ninp=16, nhid=16, nlayers=2, dropout=0.2):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.encoder = nn.Embedding(ntoken, ninp)
        if rnn_type in ["LSTM", "GRU"]:
            self.rnn = getattr(nn, rnn_type)(ninp, nhid, nlayers, dropout=dropout)
        else:
            self.rnn = nn.RNN(ninp, nhid, nlayers, nonlinearity=rnn_type, dropout=dropout)
        self.decoder = nn.Linear(nhid, ntoken)
        self.decoder.weight = self.encoder.weight
        nn.init.uniform_(self.encoder.weight, -0.1, 0.1)
        nn.init.zeros_(self.decoder.bias)
        self.rnn_type, self.nhid, self.nlayers, self.ntoken = rnn_type, nhid, nlayers, ntoken

    def forward(self, input, hidden):
        output, hidden = self.rnn(self.drop(self.encoder(input)), hidden)
        decoded = self.decoder(self.drop(output)).view(-1, self.ntoken)
        return F.log_softmax(decoded, dim=1), hidden

    def init_hidden(self, bsz):
        weight = next(self.parameters())
        state = weight.new_zeros(self.nlayers, bsz, self.nhid)
        return (state, weight.new_zeros(*state.shape)) if self.rnn_type == "LSTM" else state


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=50):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0).transpose(0, 1))

    def forward(self, x):
        return x + self.pe[: x.size(0), :]


class TransformerModel(nn.Transformer):
    def __init__(self, ntoken, ninp=16):
        super().__init__(d_model=ninp, nhead=2, dim_feedforward=32, num_encoder_layers=1)
        self.src_mask = None
        self.pos_encoder = PositionalEncoding(ninp)
        self.input_emb = nn.Embedding(ntoken, ninp)
        self.ninp = ninp
        self.decoder = nn.Linear(ninp, ntoken)

    def forward(self, src):
        if self.src_mask is None or self.src_mask.size(0) != len(src):
            self.src_mask = torch.log(torch.tril(torch.ones(len(src), len(src))))
        src = self.pos_encoder(self.input_emb(src) * math.sqrt(self.ninp))
        output = self.encoder(src, mask=self.src_mask)
        return F.log_softmax(self.decoder(output), dim=-1).view(-1, len(words))


def repackage_hidden(h):
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage_hidden(v) for v in h)


source = batchify(ids, 4)
criterion = nn.NLLLoss()
for kind in ("RNN_TANH", "RNN_RELU", "LSTM", "GRU", "Transformer"):
    ntoken = len(words)
    if kind == "Transformer":
        model = TransformerModel(ntoken)
    else:
        model = RNNModel(kind.replace("RNN_", "").lower() if "RNN" in kind else kind, ntoken)
        hidden = model.init_hidden(4)
    for epoch in range(2):
        model.train()
        for i in range(0, source.size(0) - 1, 8):
            seq_len = min(8, len(source) - 1 - i)
            data, targets = source[i : i + seq_len], source[i + 1 : i + 1 + seq_len].view(-1)
            model.zero_grad()
            if kind == "Transformer":
                output = model(data)
            else:
                output, hidden = model(data, repackage_hidden(hidden))
            loss = criterion(output, targets)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            for p in model.parameters():
                if p.grad is not None:
                    p.data.add_(p.grad, alpha=-2.0)
        print(f"{kind} loss {loss.item():.3f} ppl {math.exp(loss.item()):.2f}")
