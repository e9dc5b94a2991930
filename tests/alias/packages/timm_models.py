"""timm: small models of several families are trained for three steps.

In double precision: some are so sensitive that in float32 any rounding changes the loss.
"""

import timm
import torch
from report import report
from timm.optim import create_optimizer_v2

for name, options in {
    "resnet18": {"block_args": None}, "vit_tiny_patch16_224": {"img_size": 32, "depth": 2},
    "convnext_atto": {"depths": (1, 1, 1, 1)}, "mobilenetv3_small_050": {},
    "efficientnet_b0": {}, "mixer_s32_224": {"img_size": 32},
}.items():  # fmt: skip
    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=5, **{k: v for k, v in options.items() if v})
    model = model.double()
    optimizer = create_optimizer_v2(model, opt="adamw", lr=1e-3)
    images, labels = torch.randn(4, 3, 32, 32).double(), torch.tensor([0, 1, 2, 3])
    for _ in range(3):
        loss = torch.nn.functional.cross_entropy(model(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    report(name, loss, sum(p.numel() for p in model.parameters()))
