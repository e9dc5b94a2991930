"""diffusers: a small U-Net is trained to take noise away, and makes images."""

import torch
from diffusers import AutoencoderKL, DDIMScheduler, DDPMScheduler, UNet2DModel
from report import report

torch.manual_seed(0)
unet = UNet2DModel(
    sample_size=16, in_channels=1, out_channels=1, layers_per_block=1,
    block_out_channels=(16, 32), norm_num_groups=4, attention_head_dim=4,
    down_block_types=("DownBlock2D", "AttnDownBlock2D"),
    up_block_types=("AttnUpBlock2D", "UpBlock2D"),
)  # fmt: skip
noise_schedule = DDPMScheduler(num_train_timesteps=50)
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-3)
images = torch.randn(4, 1, 16, 16)
for _ in range(3):
    noise = torch.randn(images.shape)
    times = torch.randint(0, 50, (4,))
    noisy = noise_schedule.add_noise(images, noise, times)
    loss = torch.nn.functional.mse_loss(unet(noisy, times).sample, noise)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report("loss", loss)
for kind in (DDPMScheduler, DDIMScheduler):
    steps = kind(num_train_timesteps=50)
    steps.set_timesteps(3)
    torch.manual_seed(1)
    sample = torch.randn(2, 1, 16, 16)
    with torch.no_grad():
        for time in steps.timesteps:
            sample = steps.step(unet(sample, time).sample, time, sample).prev_sample
    report(kind.__name__, sample)
coder = AutoencoderKL(
    in_channels=1, out_channels=1, block_out_channels=(16,), latent_channels=2, norm_num_groups=4,
    down_block_types=("DownEncoderBlock2D",), up_block_types=("UpDecoderBlock2D",),
)  # fmt: skip
report("coder", coder(images).sample)
