"""torchmetrics: metrics of classes, numbers, images and texts, over several batches."""

import torch
import torchmetrics
from report import report

torch.manual_seed(0)
scores, classes = torch.randn(3, 20, 4).softmax(-1), torch.randint(0, 4, (3, 20))
for metric in (
    torchmetrics.Accuracy("multiclass", num_classes=4),
    torchmetrics.F1Score("multiclass", num_classes=4, average="macro"),
    torchmetrics.AUROC("multiclass", num_classes=4),
    torchmetrics.ConfusionMatrix("multiclass", num_classes=4),
    torchmetrics.CalibrationError("multiclass", num_classes=4),
    torchmetrics.AveragePrecision("multiclass", num_classes=4),
):
    for batch in zip(scores, classes, strict=True):
        metric.update(*batch)
    report(type(metric).__name__, metric.compute())
x, y = torch.randn(3, 20), torch.randn(3, 20)
for metric in (
    torchmetrics.MeanSquaredError(), torchmetrics.R2Score(), torchmetrics.PearsonCorrCoef(),
    torchmetrics.SpearmanCorrCoef(), torchmetrics.KendallRankCorrCoef(), torchmetrics.MeanMetric(),
):  # fmt: skip
    for a, b in zip(x, y, strict=True):
        metric.update(a) if isinstance(metric, torchmetrics.MeanMetric) else metric.update(a, b)
    report(type(metric).__name__, metric.compute())
images = torch.rand(2, 3, 24, 24)
similar = torchmetrics.image.StructuralSimilarityIndexMeasure(data_range=1.0, kernel_size=5)
report("ssim", similar(images, images * 0.9))
report("psnr", torchmetrics.image.PeakSignalNoiseRatio(data_range=1.0)(images, images * 0.9))
words = torchmetrics.text.WordErrorRate()(["this is it"], ["that is it"])
scores = torch.randn(2, 5, 7)
report("words", words, torchmetrics.text.Perplexity()(scores, torch.randint(0, 7, (2, 5))))
both = torchmetrics.MetricCollection(
    [torchmetrics.MeanSquaredError(), torchmetrics.MeanAbsoluteError()]
)
report("both", list(both(x, y).values()))
