"""Reverse words with an encoder and a decoder: padding, masks, greedy decoding."""

import math

import torch
import torch.nn as nn
from torch import Tensor
from torch.nn import Transformer
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)
PAD, BOS, EOS, VOCAB = 0, 1, 2, 10


class PositionalEncoding(nn.Module):
    def __init__(self, emb_size: int, dropout: float, maxlen: int = 40):
        super().__init__()
        den = torch.exp(-torch.arange(0, emb_size, 2) * math.log(10000) / emb_size)
        pos = torch.arange(0, maxlen).reshape(maxlen, 1)
        pos_embedding = torch.zeros((maxlen, emb_size))
        pos_embedding[:, 0::2] = torch.sin(pos * den)
        pos_embedding[:, 1::2] = torch.cos(pos * den)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("pos_embedding", pos_embedding.unsqueeze(-2))

    def forward(self, token_embedding: Tensor):
        return self.dropout(token_embedding + self.pos_embedding[: token_embedding.size(0), :])


class Seq2Seq(nn.Module):
    def __init__(self, emb_size=16):
        super().__init__()
        self.transformer = Transformer(
            d_model=emb_size,
            nhead=2,
            num_encoder_layers=1,
            num_decoder_layers=1,
            dim_feedforward=32,
            dropout=0.1,
        )
        self.generator = nn.Linear(emb_size, VOCAB)
        self.embedding = nn.Embedding(VOCAB, emb_size, padding_idx=PAD)
        self.positional_encoding = PositionalEncoding(emb_size, dropout=0.1)

    def embed(self, tokens):
        return self.positional_encoding(self.embedding(tokens.long()) * math.sqrt(16))

    def forward(self, src, trg, src_mask, tgt_mask, src_padding, tgt_padding, memory_padding):
        outs = self.transformer(
            self.embed(src),
            self.embed(trg),
            src_mask,
            tgt_mask,
            None,
            src_padding,
            tgt_padding,
            memory_padding,
        )
        return self.generator(outs)

    def encode(self, src, src_mask):
        return self.transformer.encoder(self.embed(src), src_mask)

    def decode(self, tgt, memory, tgt_mask):
        return self.transformer.decoder(self.embed(tgt), memory, tgt_mask)


def generate_square_subsequent_mask(sz):
    return torch.triu(torch.ones((sz, sz)), diagonal=1) == 1


def create_mask(src, tgt):
    tgt_mask = generate_square_subsequent_mask(tgt.shape[0])
    src_mask = torch.zeros((src.shape[0], src.shape[0])).type(torch.bool)
    return src_mask, tgt_mask, (src == PAD).transpose(0, 1), (tgt == PAD).transpose(0, 1)


def batch(size=16):
    src, tgt = [], []
    for length in torch.randint(2, 5, (size,)):
        word = torch.randint(3, VOCAB, (int(length),))
        src.append(torch.cat((torch.tensor([BOS]), word, torch.tensor([EOS]))))
        tgt.append(torch.cat((torch.tensor([BOS]), word.flip(0), torch.tensor([EOS]))))
    return pad_sequence(src, padding_value=PAD), pad_sequence(tgt, padding_value=PAD)


model = Seq2Seq()
for p in model.parameters():
    if p.dim() > 1:
        nn.init.xavier_uniform_(p)
loss_fn = nn.CrossEntropyLoss(ignore_index=PAD)
optimizer = torch.optim.Adam(model.parameters(), lr=0.005, betas=(0.9, 0.98), eps=1e-9)
model.train()
for step in range(15):
    src, tgt = batch()
    tgt_input, tgt_out = tgt[:-1, :], tgt[1:, :]
    src_mask, tgt_mask, src_padding, tgt_padding = create_mask(src, tgt_input)
    logits = model(src, tgt_input, src_mask, tgt_mask, src_padding, tgt_padding, src_padding)
    optimizer.zero_grad()
    loss = loss_fn(logits.reshape(-1, logits.shape[-1]), tgt_out.reshape(-1))
    loss.backward()
    optimizer.step()
    if step % 2 == 0:
        print(f"loss {loss.item():.3f}")
model.eval()
with torch.no_grad():
    src = torch.tensor([[BOS], [5], [6], [EOS]])
    memory = model.encode(src, torch.zeros(4, 4).type(torch.bool))
    ys = torch.ones(1, 1).fill_(BOS).type(torch.long)
    for i in range(4):
        out = model.decode(ys, memory, generate_square_subsequent_mask(ys.size(0)))
        _, next_word = torch.max(model.generator(out.transpose(0, 1)[:, -1]), dim=1)
        ys = torch.cat([ys, torch.ones(1, 1).type_as(src.data).fill_(next_word.item())], dim=0)
    print(ys.flatten().tolist())
