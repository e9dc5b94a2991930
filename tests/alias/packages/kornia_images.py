"""kornia: filters, geometry, colours, losses and their gradients."""

import kornia
import torch
from report import report

torch.manual_seed(0)
image = torch.rand(2, 3, 16, 16, requires_grad=True)
for name, result in {
    "gray": kornia.color.rgb_to_grayscale(image),
    "hsv": kornia.color.rgb_to_hsv(image),
    "lab": kornia.color.rgb_to_lab(image),
    "blur": kornia.filters.gaussian_blur2d(image, (3, 3), (1.5, 1.5)),
    "sobel": kornia.filters.sobel(image),
    "median": kornia.filters.median_blur(image, (3, 3)),
    "rotated": kornia.geometry.rotate(image, torch.tensor([20.0, -35.0])),
    "resized": kornia.geometry.resize(image, (9, 12)),
    "equalized": kornia.enhance.adjust_contrast(image, 0.7),
    "ssim": kornia.losses.ssim_loss(image, image.detach().flip(-1), 5),
    "harris": kornia.feature.harris_response(image.mean(1, keepdim=True)),
}.items():
    (gradient,) = torch.autograd.grad(result.sum(), image, retain_graph=True)
    report(name, result, gradient)
turn = kornia.geometry.conversions.axis_angle_to_rotation_matrix(torch.tensor([[0.1, 0.2, 0.3]]))
report("turn", turn, kornia.geometry.conversions.rotation_matrix_to_axis_angle(turn))
torch.manual_seed(1)
augment = kornia.augmentation.AugmentationSequential(
    kornia.augmentation.RandomHorizontalFlip(p=0.5), kornia.augmentation.RandomAffine(30.0),
    data_keys=["input"],
)  # fmt: skip
report("augmented", augment(image.detach()))
