"""A critic whose gradient is kept near one: derivatives of derivatives."""

import numpy as np
import torch
import torch.autograd as autograd
import torch.nn as nn

torch.manual_seed(4)
Tensor = torch.FloatTensor


class Generator(nn.Module):
    def __init__(self):
        super().__init__()

        def block(in_feat, out_feat, normalize=True):
            layers = [nn.Linear(in_feat, out_feat)]
            if normalize:
                layers.append(nn.BatchNorm1d(out_feat, 0.8))
            layers.append(nn.LeakyReLU(0.2, inplace=True))
            return layers

        self.model = nn.Sequential(*block(4, 16, normalize=False), *block(16, 16), nn.Linear(16, 2))

    def forward(self, z):
        return self.model(z)


critic = nn.Sequential(nn.Linear(2, 32), nn.Softplus(), nn.Linear(32, 1))


def compute_gradient_penalty(D, real_samples, fake_samples):
    np.random.seed(0)
    alpha = Tensor(np.random.random((real_samples.size(0), 1)))
    interpolates = (alpha * real_samples + ((1 - alpha) * fake_samples)).requires_grad_(True)
    d_interpolates = D(interpolates)
    fake = autograd.Variable(Tensor(real_samples.shape[0], 1).fill_(1.0), requires_grad=False)
    gradients = autograd.grad(
        outputs=d_interpolates,
        inputs=interpolates,
        grad_outputs=fake,
        create_graph=True,
        retain_graph=True,
        only_inputs=True,
    )[0]
    return ((gradients.view(gradients.size(0), -1).norm(2, dim=1) - 1) ** 2).mean()


generator = Generator()
optimizer_G = torch.optim.RMSprop(generator.parameters(), lr=5e-3)
optimizer_D = torch.optim.Adam(critic.parameters(), lr=1e-2, betas=(0.0, 0.9))
for i in range(12):
    angle = torch.rand(32, 1) * 2 * torch.pi
    real = torch.cat((angle.cos(), angle.sin()), -1)
    optimizer_D.zero_grad()
    z = autograd.Variable(Tensor(np.random.RandomState(i).normal(0, 1, (32, 4))))
    fake = generator(z)
    penalty = compute_gradient_penalty(critic, real.data, fake.data)
    d_loss = -torch.mean(critic(real)) + torch.mean(critic(fake)) + 10 * penalty
    d_loss.backward()
    optimizer_D.step()
    optimizer_G.zero_grad()
    if i % 3 == 0:
        g_loss = -torch.mean(critic(generator(z)))
        g_loss.backward()
        optimizer_G.step()
        print(
            "critic %.4f generator %.4f penalty %.4f"
            % (d_loss.item(), g_loss.item(), penalty.item())
        )
