"""Every layer learns by itself: what is real should excite it, what is not should not."""

import torch
import torch.nn as nn
from torch.optim import Adam

torch.manual_seed(1234)


def overlay_y_on_x(x, y, classes=3):
    x_ = x.clone()
    x_[:, :classes] *= 0.0
    x_[range(x.shape[0]), y] = x.max()
    return x_


class Layer(nn.Linear):
    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__(in_features, out_features, bias, device, dtype)
        self.relu = torch.nn.ReLU()
        self.opt = Adam(self.parameters(), lr=0.03)
        self.threshold = 2.0

    def forward(self, x):
        x_direction = x / (x.norm(2, 1, keepdim=True) + 1e-4)
        return self.relu(torch.mm(x_direction, self.weight.T) + self.bias.unsqueeze(0))

    def train(self, x_pos, x_neg, num_epochs):
        for i in range(num_epochs):
            g_pos = self.forward(x_pos).pow(2).mean(1)
            g_neg = self.forward(x_neg).pow(2).mean(1)
            loss = torch.log(
                1 + torch.exp(torch.cat([-g_pos + self.threshold, g_neg - self.threshold]))
            ).mean()
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if i % 5 == 0:
                print(f"loss {loss.item():.4f}")
        return self.forward(x_pos).detach(), self.forward(x_neg).detach()


y = torch.randint(0, 3, (30,))
x = torch.rand(30, 12)
x[range(30), 3 + y] += 2.0
x_pos = overlay_y_on_x(x, y)
x_neg = overlay_y_on_x(x, (y + torch.randint(1, 3, (30,))) % 3)
layers = [Layer(12, 20), Layer(20, 20)]
for number, layer in enumerate(layers):
    print("layer", number)
    x_pos, x_neg = layer.train(x_pos, x_neg, 16)
goodness = []
for label in range(3):
    h = overlay_y_on_x(x, label)
    total = []
    for layer in layers:
        h = layer(h)
        total += [h.pow(2).mean(1)]
    goodness += [sum(total).unsqueeze(1)]
print("right", torch.cat(goodness, 1).argmax(1).eq(y).float().mean().item() > 0.5)
