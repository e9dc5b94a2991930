"""Anchor boxes, their offsets and classes, and a small detector of several scales (SSD)."""

import torch
from torch import nn
from torch.nn import functional as F

torch.set_printoptions(precision=3)
torch.manual_seed(0)


def multibox_prior(data, sizes, ratios):
    in_height, in_width = data.shape[-2:]
    device, n = data.device, len(sizes) + len(ratios) - 1
    size_tensor = torch.tensor(sizes, device=device)
    ratio_tensor = torch.tensor(ratios, device=device)
    center_h = (torch.arange(in_height, device=device) + 0.5) / in_height
    center_w = (torch.arange(in_width, device=device) + 0.5) / in_width
    shift_y, shift_x = torch.meshgrid(center_h, center_w, indexing="ij")
    shift_y, shift_x = shift_y.reshape(-1), shift_x.reshape(-1)
    w = (
        torch.cat(
            (size_tensor * torch.sqrt(ratio_tensor[0]), sizes[0] * torch.sqrt(ratio_tensor[1:]))
        )
        * in_height
        / in_width
    )
    h = torch.cat(
        (size_tensor / torch.sqrt(ratio_tensor[0]), sizes[0] / torch.sqrt(ratio_tensor[1:]))
    )
    corners = torch.stack((-w, -h, w, h)).T.repeat(in_height * in_width, 1) / 2
    middles = torch.stack([shift_x, shift_y, shift_x, shift_y], dim=1)
    return (middles.repeat_interleave(n, dim=0) + corners).unsqueeze(0)


def box_iou(boxes1, boxes2):
    areas = [(b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1]) for b in (boxes1, boxes2)]
    low = torch.max(boxes1[:, None, :2], boxes2[:, :2])
    high = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    common = (high - low).clamp(min=0)
    inter = common[:, :, 0] * common[:, :, 1]
    return inter / (areas[0][:, None] + areas[1] - inter)


def assign(truth, anchors, threshold=0.5):
    jaccard = box_iou(anchors, truth)
    found = torch.full((anchors.shape[0],), -1, dtype=torch.long)
    max_ious, indices = torch.max(jaccard, dim=1)
    rows = torch.nonzero(max_ious >= threshold).reshape(-1)
    found[rows] = indices[max_ious >= threshold]
    for _ in range(truth.shape[0]):
        best = torch.argmax(jaccard)
        column, row = (best % truth.shape[0]).long(), (best / truth.shape[0]).long()
        found[row] = column
        jaccard[:, column] = -1
        jaccard[row, :] = -1
    return found


def center(boxes):
    return torch.cat([(boxes[:, :2] + boxes[:, 2:]) / 2, boxes[:, 2:] - boxes[:, :2]], 1)


def multibox_target(anchors, labels):
    offsets, masks, classes = [], [], []
    for label in labels:
        found = assign(label[:, 1:], anchors)
        mask = (found >= 0).float().unsqueeze(-1).repeat(1, 4)
        kinds = torch.zeros(anchors.shape[0], dtype=torch.long)
        boxes = torch.zeros((anchors.shape[0], 4))
        true = torch.nonzero(found >= 0)
        kinds[true] = label[found[true], 0].long() + 1
        boxes[true] = label[found[true], 1:]
        a, b = center(anchors), center(boxes)
        shift = 10 * (b[:, :2] - a[:, :2]) / a[:, 2:]
        scale = 5 * torch.log(1e-6 + b[:, 2:] / a[:, 2:])
        offsets.append((torch.cat([shift, scale], 1) * mask).reshape(-1))
        masks.append(mask.reshape(-1))
        classes.append(kinds)
    return torch.stack(offsets), torch.stack(masks), torch.stack(classes)


class TinySSD(nn.Module):
    def __init__(self, num_classes):
        super().__init__()
        self.num_classes = num_classes
        for i, channels in enumerate((3, 8, 8)):
            blk = nn.Sequential(
                nn.Conv2d(channels, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)
            )
            setattr(self, f"blk_{i}", blk)
            setattr(self, f"cls_{i}", nn.Conv2d(8, 3 * (num_classes + 1), 3, padding=1))
            setattr(self, f"bbox_{i}", nn.Conv2d(8, 3 * 4, 3, padding=1))

    def forward(self, X):
        anchors, classes, boxes = [], [], []
        for i, size in enumerate((0.2, 0.4, 0.7)):
            X = getattr(self, f"blk_{i}")(X)
            anchors.append(multibox_prior(X, [size, size * 1.3], [1, 2]))
            classes.append(torch.flatten(getattr(self, f"cls_{i}")(X).permute(0, 2, 3, 1), 1))
            boxes.append(torch.flatten(getattr(self, f"bbox_{i}")(X).permute(0, 2, 3, 1), 1))
        classes = torch.cat(classes, 1)
        return (
            torch.cat(anchors, 1),
            classes.reshape(len(X), -1, self.num_classes + 1),
            torch.cat(boxes, 1),
        )


images = 0.1 * torch.rand(6, 3, 24, 24)
labels = torch.zeros(6, 1, 5)
for image, label, kind, corner in zip(images, labels, range(6), torch.randint(2, 10, (6, 2))):
    x, y = corner.tolist()
    image[kind % 2, y : y + 9, x : x + 10] += 0.8
    label[0] = torch.tensor([kind % 2, x / 24, y / 24, (x + 10) / 24, (y + 9) / 24])
net = TinySSD(2)
trainer = torch.optim.SGD(net.parameters(), lr=0.2, weight_decay=5e-4)
for epoch in range(8):
    trainer.zero_grad()
    anchors, scores, boxes = net(images)
    offsets, masks, kinds = multibox_target(anchors[0], labels)
    cls = F.cross_entropy(scores.reshape(-1, 3), kinds.reshape(-1), reduction="none")
    bbox = F.l1_loss(boxes * masks, offsets * masks, reduction="none").mean(1)
    loss = (cls.reshape(6, -1).mean(1) + bbox).mean()
    loss.backward()
    trainer.step()
    if epoch % 2:
        print(f"loss {loss.item():.4f}")
print(tuple(anchors.shape), anchors[0, 100], int((masks > 0).sum()))
scores, offsets = scores.detach().softmax(2)[0], boxes.detach()[0].reshape(-1, 4)
best, kinds = scores[:, 1:].max(1)
middles = center(anchors[0])
middle = offsets[:, :2] * middles[:, 2:] / 10 + middles[:, :2]
size = torch.exp(offsets[:, 2:] / 5) * middles[:, 2:]
predicted = torch.cat([middle - size / 2, middle + size / 2], 1)
order, keep = torch.argsort(best, descending=True), []
while order.numel() > 0:
    keep.append(order[0])
    if order.numel() == 1:
        break
    iou = box_iou(predicted[order[:1]], predicted[order[1:]]).reshape(-1)
    order = order[torch.nonzero(iou <= 0.3).reshape(-1) + 1]
keep = torch.stack(keep)
print(
    len(keep) < 200,
    kinds[keep[0]].item(),
    f"{box_iou(predicted[keep[:1]], labels[0, :, 1:]).item():.2f}",
)
