"""A network that paints: features of a fixed network, Gram matrices, reflection padding."""

import torch
import torch.nn as nn
from torch.optim import Adam

torch.manual_seed(42)


class ConvLayer(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride, upsample=None):
        super().__init__()
        self.upsample = upsample
        self.reflection_pad = nn.ReflectionPad2d(kernel_size // 2)
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride)

    def forward(self, x):
        if self.upsample:
            x = nn.functional.interpolate(x, mode="nearest", scale_factor=self.upsample)
        return self.conv2d(self.reflection_pad(x))


class ResidualBlock(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv1 = ConvLayer(channels, channels, 3, 1)
        self.in1 = nn.InstanceNorm2d(channels, affine=True)
        self.relu = nn.ReLU()

    def forward(self, x):
        residual = x
        return self.relu(self.in1(self.conv1(x))) + residual


class TransformerNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = ConvLayer(3, 8, 3, 2)
        self.norm = nn.InstanceNorm2d(8, affine=True)
        self.res = ResidualBlock(8)
        self.up = ConvLayer(8, 3, 3, 1, upsample=2)

    def forward(self, x):
        return self.up(self.res(torch.relu(self.norm(self.down(x)))))


class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.slice1 = nn.Sequential()
        for number, layer in enumerate([nn.Conv2d(3, 6, 3, padding=1), nn.ReLU()]):
            self.slice1.add_module(str(number), layer)
        for param in self.parameters():
            param.requires_grad = False

    def forward(self, x):
        return self.slice1(x)


def gram_matrix(y):
    (b, ch, h, w) = y.size()
    features = y.view(b, ch, w * h)
    features_t = features.transpose(1, 2)
    return features.bmm(features_t) / (ch * h * w)


def normalize_batch(batch):
    mean = batch.new_tensor([0.485, 0.456, 0.406]).view(-1, 1, 1)
    std = batch.new_tensor([0.229, 0.224, 0.225]).view(-1, 1, 1)
    batch = batch.div_(255.0)
    return (batch - mean) / std


content = torch.rand(4, 3, 16, 16).mul(255)
style = torch.rand(1, 3, 16, 16).mul(255)
transformer, vgg = TransformerNet(), Features()
optimizer = Adam(transformer.parameters(), 1e-2)
mse_loss = nn.MSELoss()
gram_style = gram_matrix(vgg(normalize_batch(style.repeat(2, 1, 1, 1))))
for count in range(6):
    x = content[(count % 2) * 2 :][:2].clone()
    optimizer.zero_grad()
    y = transformer(x)
    y = normalize_batch(y)
    x = normalize_batch(x)
    features_y, features_x = vgg(y), vgg(x)
    content_loss = mse_loss(features_y, features_x)
    style_loss = 10.0 * mse_loss(gram_matrix(features_y), gram_style[:2])
    total_loss = content_loss + style_loss
    total_loss.backward()
    optimizer.step()
    print(f"content {content_loss.item():.4f} style {style_loss.item():.4f}")
image = y[0].clone().clamp(0, 255).detach().numpy().transpose(1, 2, 0).astype("uint8")
print(image.shape)
