"""Processes that the program starts itself: messages, a ring, gradients averaged by hand.

What PyTorch's tutorial "Writing distributed applications" teaches, in another program.
"""

import os
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn import functional as F


class Part(torch.utils.data.Dataset):
    """Some samples of a data set."""

    def __init__(self, data, chosen):
        self.data, self.chosen = data, chosen

    def __len__(self):
        return len(self.chosen)

    def __getitem__(self, at):
        return self.data[self.chosen[at]]


def dealt_out(data, rank, size, batch):
    """Return a loader of this rank's share of a shuffled data set."""
    order = torch.randperm(len(data), generator=torch.Generator().manual_seed(1234)).tolist()
    return torch.utils.data.DataLoader(Part(data, order[rank::size]), batch_size=batch)


class Net(nn.Module):
    """Two convolutions and two layers."""

    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 4, 5), nn.Conv2d(4, 8, 3)
        self.fc1, self.fc2 = nn.Linear(8, 16), nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(F.max_pool2d(self.conv2(x), 2)).flatten(1)
        return F.log_softmax(self.fc2(F.relu(self.fc1(x))), dim=1)


def average_gradients(model, size):
    for param in model.parameters():
        dist.all_reduce(param.grad, op=dist.ReduceOp.SUM)
        param.grad /= size


def ring(rank, size):
    """Sum up by passing each value around."""
    total = sent = torch.tensor([rank + 1.0])
    for _ in range(size - 1):
        came = torch.zeros(1)
        out = dist.isend(sent.clone(), (rank + 1) % size)
        dist.recv(came, (rank - 1) % size)
        out.wait()
        total = total + came
        sent = came
    return total.item()


def run(rank, size):
    tensor = torch.zeros(1)
    if rank == 0:
        tensor += 1
        dist.send(tensor=tensor, dst=1)
    elif rank == 1:
        request = dist.irecv(tensor=tensor, src=0)
        request.wait()
    group = dist.new_group([0, 1])
    if rank < 2:
        dist.all_reduce(tensor, op=dist.ReduceOp.SUM, group=group)
    torch.manual_seed(1234)
    images = torch.randn(48, 1, 12, 12)
    data = torch.utils.data.TensorDataset(images, torch.randint(10, (48,)))
    loader = dealt_out(data, rank, size, 24 // size)
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
    if rank == 0:
        print("received", tensor.item(), "around", ring(rank, size))
    else:
        ring(rank, size)
    for epoch in range(3):
        total = 0.0
        for batch, target in loader:
            optimizer.zero_grad()
            loss = F.nll_loss(model(batch), target)
            total += loss.item()
            loss.backward()
            average_gradients(model, size)
            optimizer.step()
        mean = torch.tensor(total / len(loader))
        dist.reduce(mean, 0)
        if rank == 0:
            print("epoch", epoch, "loss", mean.item() / size)


def init_process(rank, size, body, backend="gloo"):
    os.environ.setdefault("MASTER_ADDR", "127.0.0.1")
    dist.init_process_group(backend, rank=rank, world_size=size)
    torch.set_num_threads(1)
    body(rank, size)
    dist.destroy_process_group()


if __name__ == "__main__":
    world_size = int(sys.argv[1])
    mp.set_start_method("spawn")
    processes = []
    for number in range(world_size):
        process = mp.Process(target=init_process, args=(number, world_size, run))
        process.start()
        processes.append(process)
    for process in processes:
        process.join()
        assert process.exitcode == 0
