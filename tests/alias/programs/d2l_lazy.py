"""Layers that learn their sizes from the first batch, as in a textbook's chapters."""

import torch
from torch import nn


def init_cnn(module):
    if type(module) is nn.Linear or type(module) is nn.Conv2d:
        nn.init.xavier_uniform_(module.weight)


class LeNet(nn.Module):
    def __init__(self, lr=0.5, num_classes=3):
        super().__init__()
        self.lr = lr
        self.net = nn.Sequential(
            nn.LazyConv2d(4, kernel_size=5, padding=2),
            nn.LazyBatchNorm2d(),
            nn.Sigmoid(),
            nn.AvgPool2d(kernel_size=2, stride=2),
            nn.LazyConv2d(8, kernel_size=3),
            nn.LazyBatchNorm2d(),
            nn.Sigmoid(),
            nn.AdaptiveAvgPool2d((2, 2)),
            nn.Flatten(),
            nn.LazyLinear(16),
            nn.Sigmoid(),
            nn.LazyLinear(num_classes),
        )

    def layer_summary(self, X_shape):
        X = torch.randn(*X_shape)
        for layer in self.net:
            X = layer(X)
            print(layer.__class__.__name__, "output shape:\t", X.shape)


torch.manual_seed(1)
model = LeNet()
model.layer_summary((2, 1, 12, 12))
model.net.apply(init_cnn)
y = torch.arange(30) % 3
X = torch.normal(0, 1, (30, 1, 12, 12)) + y.reshape(-1, 1, 1, 1)
trainer = torch.optim.SGD(model.parameters(), lr=model.lr)
loss = nn.CrossEntropyLoss(reduction="none")
for epoch in range(5):
    model.train()
    l = loss(model.net(X), y)
    trainer.zero_grad()
    l.mean().backward()
    trainer.step()
    print(f"loss {float(l.mean()):.4f}")
A = torch.arange(6, dtype=torch.float32).reshape(2, 3)
print(
    A.sum(axis=[0, 1]) == A.sum(), A.cumsum(axis=0), A.mean(axis=0), torch.norm(torch.ones((4, 9)))
)
