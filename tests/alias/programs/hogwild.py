"""Several processes change one network at once, without locks."""

import torch
import torch.multiprocessing as mp
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 16)
        self.fc2 = nn.Linear(16, 2)

    def forward(self, x):
        x = F.dropout(F.relu(self.fc1(x)), p=0.1, training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


def make_data(seed, count=64):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(count, 10, generator=generator)
    return x, (x[:, 0] > 0).long()


def train(rank, model):
    torch.manual_seed(1 + rank)
    x, y = make_data(rank)
    optimizer = optim.SGD(model.parameters(), lr=0.1, momentum=0.5)
    for _ in range(30):
        optimizer.zero_grad()
        loss = F.nll_loss(model(x), y)
        loss.backward()
        optimizer.step()


def test(model):
    model.eval()
    x, y = make_data(99)
    with torch.no_grad():
        return F.nll_loss(model(x), y).item()


if __name__ == "__main__":
    torch.manual_seed(1)
    mp.set_start_method("spawn", force=True)
    model = Net()
    model.share_memory()
    print(f"loss {test(model):.4f}")
    processes = []
    for rank in range(2):
        p = mp.Process(target=train, args=(rank, model))
        p.start()
        processes.append(p)
    for p in processes:
        p.join()
        assert p.exitcode == 0, p.exitcode
    print(f"loss {test(model):.4f}")
