"""A network whose layers are dealt out to the ranks, trained in microbatches.

What PyTorch's tutorial on pipelines teaches, started by torchrun.
"""

import os

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import (  # noqa: F401 - as the tutorial, which cuts by hand
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    SplitPoint,
    pipeline,
)
from torch.nn import functional as F

WORDS, WIDTH, LENGTH, LAYERS = 20, 16, 8, 4


class Transformer(nn.Module):
    """A small transformer, of which a stage deletes what it does not need."""

    def __init__(self):
        super().__init__()
        self.tok_embeddings = nn.Embedding(WORDS, WIDTH)
        self.layers = nn.ModuleDict(
            {str(number): nn.TransformerDecoderLayer(WIDTH, 2, 32, 0.0) for number in range(LAYERS)}
        )
        self.norm, self.output = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, WORDS)

    def forward(self, words):
        h = self.tok_embeddings(words) if self.tok_embeddings else words
        for layer in self.layers.values():
            h = layer(h, h)
        h = self.norm(h) if self.norm else h
        return (self.output(h) if self.output else h).clone()


def part_of(model, index, count):
    """Keep a share of the layers, and the two ends where they belong."""
    share = LAYERS // count
    for number in range(LAYERS):
        if number // share != index and not (index == count - 1 and number // share > index):
            del model.layers[str(number)]
    if index:
        model.tok_embeddings = None
    if index < count - 1:
        model.norm = model.output = None
    return model


def loss_of(output, target):
    return F.cross_entropy(output.reshape(-1, WORDS), target.reshape(-1))


if __name__ == "__main__":
    rank, count = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
    dist.init_process_group("gloo")
    torch.set_num_threads(1)
    for kind in (ScheduleGPipe, Schedule1F1B):
        torch.manual_seed(0)
        part = part_of(Transformer(), rank, count)
        stage = PipelineStage(part, rank, count, torch.device("cpu"))
        schedule = kind(stage, n_microbatches=4, loss_fn=loss_of)
        optimizer = torch.optim.SGD(part.parameters(), lr=0.1)
        for number in range(3):
            made = torch.Generator().manual_seed(number)
            x = torch.randint(WORDS, (8, LENGTH), generator=made)
            y = torch.randint(WORDS, (8, LENGTH), generator=made)
            losses = []
            optimizer.zero_grad()
            if rank == 0:
                schedule.step(x)
            elif rank == count - 1:
                schedule.step(target=y, losses=losses)
                print(kind.__name__, number, *(each.item() for each in losses))
            else:
                schedule.step()
            optimizer.step()
    dist.destroy_process_group()
