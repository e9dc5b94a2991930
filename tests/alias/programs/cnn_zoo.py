"""Blocks that famous networks are made of, each trained for a moment, under hooks and schedules."""

import torch
from torch import nn, optim
from torch.nn import functional as F

torch.manual_seed(0)


class Inception(nn.Module):
    def __init__(self, c1, c2, c3, c4):
        super().__init__()
        self.b1_1 = nn.LazyConv2d(c1, kernel_size=1)
        self.b2_1 = nn.LazyConv2d(c2[0], kernel_size=1)
        self.b2_2 = nn.LazyConv2d(c2[1], kernel_size=3, padding=1)
        self.b3_1 = nn.LazyConv2d(c3[0], kernel_size=1)
        self.b3_2 = nn.LazyConv2d(c3[1], kernel_size=5, padding=2)
        self.b4_1 = nn.MaxPool2d(kernel_size=3, stride=1, padding=1)
        self.b4_2 = nn.LazyConv2d(c4, kernel_size=1)

    def forward(self, x):
        b1 = F.relu(self.b1_1(x))
        b2 = F.relu(self.b2_2(F.relu(self.b2_1(x))))
        b3 = F.relu(self.b3_2(F.relu(self.b3_1(x))))
        return torch.cat((b1, b2, b3, F.relu(self.b4_2(self.b4_1(x)))), dim=1)


class DenseBlock(nn.Module):
    def __init__(self, num_convs, num_channels):
        super().__init__()
        self.net = nn.Sequential(
            *[
                nn.Sequential(
                    nn.LazyBatchNorm2d(), nn.ReLU(), nn.LazyConv2d(num_channels, 3, padding=1)
                )
                for _ in range(num_convs)
            ]
        )

    def forward(self, X):
        for blk in self.net:
            X = torch.cat((X, blk(X)), dim=1)
        return X


class ResNeXtBlock(nn.Module):
    def __init__(self, channels, groups):
        super().__init__()
        self.conv1 = nn.LazyConv2d(channels, 1)
        self.conv2 = nn.LazyConv2d(channels, 3, stride=2, padding=1, groups=channels // groups)
        self.bn1, self.bn2 = nn.LazyBatchNorm2d(), nn.LazyBatchNorm2d()
        self.conv3 = nn.LazyConv2d(channels, 1, stride=2)

    def forward(self, X):
        Y = F.relu(self.bn1(self.conv1(X)))
        return F.relu(self.bn2(self.conv2(Y)) + self.conv3(X))


class SqueezeExcite(nn.Module):
    def __init__(self, channels, r=2):
        super().__init__()
        self.fc = nn.Sequential(
            nn.Linear(channels, channels // r),
            nn.ReLU6(),
            nn.Linear(channels // r, channels),
            nn.Hardsigmoid(),
        )

    def forward(self, x):
        return x * self.fc(x.mean((2, 3)))[:, :, None, None]


def inverted_residual(inside, outside):
    wide = 2 * inside
    return nn.Sequential(
        nn.Conv2d(inside, wide, 1, bias=False),
        nn.BatchNorm2d(wide),
        nn.Hardswish(),
        nn.Conv2d(wide, wide, 3, padding=1, groups=wide, bias=False),
        nn.GroupNorm(3, wide),
        nn.SiLU(),
        SqueezeExcite(wide),
        nn.Conv2d(wide, outside, 1),
        nn.Dropout2d(0.1),
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 8, 3, padding=1, padding_mode="reflect")
        self.deep = nn.Conv2d(8, 16, 3, padding=2, dilation=2)
        self.up = nn.ConvTranspose2d(16, 8, 4, stride=2, padding=1)
        self.last = nn.Conv2d(16, 6, 1)

    def forward(self, x):
        top = F.elu(self.down(x))
        deep = F.mish(self.deep(F.avg_pool2d(top, 2)))
        joined = torch.cat([top, F.leaky_relu(self.up(deep), 0.1)], 1)
        return F.interpolate(
            self.last(joined), scale_factor=0.5, mode="bilinear", align_corners=False
        )


class ConvNeXtBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dwconv = nn.Conv2d(dim, dim, 5, padding=2, groups=dim)
        self.norm, self.pw1, self.pw2 = (
            nn.LayerNorm(dim),
            nn.Linear(dim, 4 * dim),
            nn.Linear(4 * dim, dim),
        )
        self.gamma = nn.Parameter(0.1 * torch.ones(dim))

    def forward(self, x):
        y = self.norm(self.dwconv(x).permute(0, 2, 3, 1))
        y = self.gamma * self.pw2(F.gelu(self.pw1(y), approximate="tanh"))
        return x + y.permute(0, 3, 1, 2)


labels = torch.arange(12) % 4
images = 0.5 * torch.randn(12, 3, 16, 16) + torch.randn(4, 3, 1, 1)[labels]
zoo = {
    "inception": Inception(4, (4, 6), (2, 4), 4),
    "dense": nn.Sequential(DenseBlock(2, 4), nn.LazyConv2d(8, 1), nn.AvgPool2d(2, ceil_mode=True)),
    "resnext": ResNeXtBlock(8, 4),
    "mobile": inverted_residual(3, 8),
    "unet": UNet(),
    "convnext": nn.Sequential(nn.Conv2d(3, 8, 4, stride=4), ConvNeXtBlock(8)),
    "shuffle": nn.Sequential(
        nn.PixelUnshuffle(2),
        nn.Conv2d(12, 12, 3, groups=3),
        nn.ChannelShuffle(3),
        nn.LocalResponseNorm(3),
        nn.LPPool2d(2, 2),
    ),
}
for name, body in zoo.items():
    torch.manual_seed(1)
    net = nn.Sequential(body, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.LazyLinear(4))
    with torch.no_grad():
        net(images[:2])
    shapes = []
    hook = body.register_forward_hook(lambda module, args, out: shapes.append(tuple(out.shape)))
    optimizer = optim.SGD(net.parameters(), lr=0.1, momentum=0.5)
    scheduler = optim.lr_scheduler.SequentialLR(
        optimizer,
        [
            optim.lr_scheduler.LinearLR(optimizer, 0.3, total_iters=2),
            optim.lr_scheduler.ExponentialLR(optimizer, 0.9),
        ],
        milestones=[2],
    )
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        cost = F.cross_entropy(net(images), labels)
        cost.backward()
        optimizer.step()
        scheduler.step()
        losses.append(f"{cost.item():.4f}")
    hook.remove()
    size = sum(p.numel() for p in net.parameters())
    print(f"{name:10}", shapes[0], size, losses, f"{scheduler.get_last_lr()[0]:.4f}")
