"""Patches as words: a vision transformer with a class token."""

import torch
import torch.nn as nn
import torch.optim as optim
from torch.hub import tqdm

torch.manual_seed(11)


class PatchExtractor(nn.Module):
    def __init__(self, patch_size=4):
        super().__init__()
        self.patch_size = patch_size

    def forward(self, input_data):
        batch_size, channels, height, width = input_data.size()
        patches = (
            input_data.unfold(2, self.patch_size, self.patch_size)
            .unfold(3, self.patch_size, self.patch_size)
            .permute(0, 2, 3, 1, 4, 5)
            .contiguous()
        )
        num = (height // self.patch_size) * (width // self.patch_size)
        return patches.view(batch_size, num, -1)


class EncoderBlock(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attention = nn.MultiheadAttention(dim, heads, dropout=0.1)
        self.mlp = nn.Sequential(
            nn.Linear(dim, 2 * dim), nn.GELU(), nn.Dropout(0.1), nn.Linear(2 * dim, dim)
        )

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attention(y, y, y)[0]
        return x + self.mlp(self.norm2(x))


class ViT(nn.Module):
    def __init__(self, dim=16, classes=3):
        super().__init__()
        self.patches = PatchExtractor()
        self.linear = nn.Linear(4 * 4 * 3, dim)
        self.cls_token = nn.Parameter(torch.randn(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, 5, dim))
        self.blocks = nn.ModuleList([EncoderBlock(dim, 4) for _ in range(2)])
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.linear(self.patches(x))
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1)
        x += self.pos
        x = x.transpose(0, 1)
        for block in self.blocks:
            x = block(x)
        return self.head(x[0])


target = torch.arange(24) % 3
data = torch.randn(24, 3, 8, 8) + target.view(-1, 1, 1, 1)
model = ViT()
criterion = nn.CrossEntropyLoss()
optimizer = optim.Adam(model.parameters(), lr=3e-3, weight_decay=1e-3)
with tqdm(total=6, disable=True) as bar:
    for epoch in range(6):
        for x, y in zip(data.chunk(2), target.chunk(2)):
            optimizer.zero_grad()
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
        bar.update(1)
        print(f"loss {loss.item():.4f}")
