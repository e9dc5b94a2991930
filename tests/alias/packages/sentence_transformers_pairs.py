"""sentence-transformers: sentences of a model without a vocabulary file, and losses of pairs."""

import torch
from report import report
from sentence_transformers import SentenceTransformer, losses, util
from sentence_transformers.models import Normalize, Pooling

torch.manual_seed(0)


class Words(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(100, 16)

    def tokenize(self, texts, **options):
        rows = [[1 + sum(map(ord, word)) % 99 for word in text.split()] for text in texts]
        width = max(map(len, rows))
        ids = torch.tensor([row + [0] * (width - len(row)) for row in rows])
        return {"input_ids": ids, "attention_mask": (ids > 0).long()}

    preprocess = tokenize

    def forward(self, features, **options):
        features["token_embeddings"] = self.table(features["input_ids"])
        return features


model = SentenceTransformer(modules=[Words(), Pooling(16), Normalize()], device="cpu")
texts = ["a cat sat", "a dog sat down", "numbers add up", "sums of numbers"]
found = model.encode(texts, convert_to_tensor=True)
report("similar", util.cos_sim(found, found))
loss_of = losses.MultipleNegativesRankingLoss(model)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
for _ in range(3):
    pairs = [model.tokenize(texts[:2]), model.tokenize(texts[2:])]
    loss = loss_of(pairs, None)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report("loss", loss)
report("nearest", [hit["corpus_id"] for hit in util.semantic_search(found[:1], found)[0]])
