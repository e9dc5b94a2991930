"""Whole steps of training: clear the gradients, go forward to a loss and back, and update."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from benchmarks.harness import Case, Duel, Program, step_of

BATCH = 128
PIXELS = 28 * 28
DIGITS = 10


def cases() -> list[Case]:
    """Return one step of each network."""
    return [
        Duel("MLP 784-512-512-10, batch 128, Adam", perceptron, target=0.8),
        Duel("VAE 784-400-20, batch 128, Adam", autoencoder, target=0.8),
        Duel("LSTM(28, 128) over 28 rows, batch 64, Adam", recurrent, target=0.95),
        Duel("GPT, 4 layers of width 128, 12 × 64 characters, AdamW", transformer, target=0.9),
        Duel("MNIST CNN, batch 64, Adadelta", digit_network, target=0.9),
        Duel("ResNet-20, batch 32, SGD with momentum", residual_network, target=0.9),
        Duel(
            "ResNet-18, 16 images of 64 × 64, SGD with momentum", wide_residual_network, target=0.6
        ),
        Duel("U-Net, 8 images of 64 × 64, Adam", segmenting_network, target=0.6),
        Duel("GRU(64, 128), 2 layers, both directions, Adam", tagger, target=0.6),
    ]


def perceptron(torch: ModuleType) -> Program:
    """Classify digits by three fully connected layers."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Linear(PIXELS, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, DIGITS)
    )
    images = torch.randn(BATCH, PIXELS)
    labels = torch.randint(0, DIGITS, (BATCH,))
    measure = nn.CrossEntropyLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return step_of(model, optimizer, lambda: measure(model(images), labels))


def autoencoder(torch: ModuleType) -> Program:
    """Encode images as 20 normal variables, and decode samples of them.

    Kingma and Welling, "Auto-Encoding Variational Bayes" (2013).
    """
    torch.manual_seed(0)
    nn, functional = torch.nn, torch.nn.functional

    class Autoencoder(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inside = nn.Linear(PIXELS, 400)
            self.mean = nn.Linear(400, 20)
            self.log_variance = nn.Linear(400, 20)
            self.outside = nn.Linear(20, 400)
            self.image = nn.Linear(400, PIXELS)

        def forward(self, x: Any) -> tuple[Any, Any, Any]:
            hidden = functional.relu(self.inside(x))
            mean, log_variance = self.mean(hidden), self.log_variance(hidden)
            code = mean + torch.randn_like(mean) * torch.exp(0.5 * log_variance)
            image = torch.sigmoid(self.image(functional.relu(self.outside(code))))
            return image, mean, log_variance

    model = Autoencoder()
    images = torch.rand(BATCH, PIXELS)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def compute_loss() -> Any:
        decoded, mean, log_variance = model(images)
        mismatch = functional.binary_cross_entropy(decoded, images, reduction="sum")
        divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
        return mismatch + divergence

    return step_of(model, optimizer, compute_loss)


def recurrent(torch: ModuleType) -> Program:
    """Classify digits that are read row by row."""
    torch.manual_seed(0)
    nn = torch.nn
    reader, classifier = nn.LSTM(28, 128, batch_first=True), nn.Linear(128, DIGITS)
    model = nn.ModuleList([reader, classifier])
    images = torch.randn(64, 28, 28)
    labels = torch.randint(0, DIGITS, (64,))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def compute_loss() -> Any:
        states, _ = reader(images)
        return nn.functional.cross_entropy(classifier(states[:, -1]), labels)

    return step_of(model, optimizer, compute_loss)


CHARACTERS, CONTEXT, WIDTH, HEADS, LAYERS = 65, 64, 128, 4, 4


def transformer(torch: ModuleType) -> Program:
    """Foretell the next character from all before it.

    Radford et al., "Language Models are Unsupervised Multitask Learners" (2019).
    """
    torch.manual_seed(0)
    nn, functional = torch.nn, torch.nn.functional

    class Attention(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inside = nn.Linear(WIDTH, 3 * WIDTH)
            self.outside = nn.Linear(WIDTH, WIDTH)

        def forward(self, x: Any) -> Any:
            batch, length, width = x.size()
            parts = self.inside(x).split(width, dim=2)
            heads = [
                part.view(batch, length, HEADS, width // HEADS).transpose(1, 2) for part in parts
            ]
            mixed = functional.scaled_dot_product_attention(*heads, is_causal=True)
            return self.outside(mixed.transpose(1, 2).contiguous().view(batch, length, width))

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before_attention = nn.LayerNorm(WIDTH)
            self.attention = Attention()
            self.before_mapping = nn.LayerNorm(WIDTH)
            self.mapping = nn.Sequential(
                nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH)
            )

        def forward(self, x: Any) -> Any:
            x = x + self.attention(self.before_attention(x))
            return x + self.mapping(self.before_mapping(x))

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.characters = nn.Embedding(CHARACTERS, WIDTH)
            self.places = nn.Embedding(CONTEXT, WIDTH)
            self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
            self.norm = nn.LayerNorm(WIDTH)
            self.head = nn.Linear(WIDTH, CHARACTERS, bias=False)

        def forward(self, text: Any) -> Any:
            places = torch.arange(text.size(1))
            return self.head(self.norm(self.blocks(self.characters(text) + self.places(places))))

    model = Network()
    text = torch.randint(0, CHARACTERS, (12, CONTEXT + 1))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.1)

    def compute_loss() -> Any:
        scores = model(text[:, :-1])
        return functional.cross_entropy(scores.view(-1, CHARACTERS), text[:, 1:].reshape(-1))

    return step_of(model, optimizer, compute_loss)


def digit_network(torch: ModuleType) -> Program:
    """Classify digits by two convolutions and two fully connected layers, with dropout."""
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 32, 3), nn.ReLU(),
        nn.Conv2d(32, 64, 3), nn.ReLU(),
        nn.MaxPool2d(2), nn.Dropout(0.25), nn.Flatten(),
        nn.Linear(9216, 128), nn.ReLU(), nn.Dropout(0.5),
        nn.Linear(128, DIGITS), nn.LogSoftmax(dim=1),
    )  # fmt: skip
    images = torch.randn(64, 1, 28, 28)
    labels = torch.randint(0, DIGITS, (64,))
    measure = nn.NLLLoss()
    optimizer = torch.optim.Adadelta(model.parameters(), lr=1.0)
    return step_of(model, optimizer, lambda: measure(model(images), labels))


def residual_block(torch: ModuleType, inside: int, outside: int, stride: int) -> Any:
    """Return two convolutions with a shortcut around them.

    He et al., "Deep Residual Learning for Image Recognition" (2015), section 3.
    """
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.first = nn.Conv2d(inside, outside, 3, stride, padding=1, bias=False)
            self.first_norm = nn.BatchNorm2d(outside)
            self.second = nn.Conv2d(outside, outside, 3, padding=1, bias=False)
            self.second_norm = nn.BatchNorm2d(outside)
            self.shortcut = nn.Identity()
            if stride != 1 or inside != outside:
                self.shortcut = nn.Sequential(
                    nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
                )

        def forward(self, x: Any) -> Any:
            y = functional.relu(self.first_norm(self.first(x)))
            return functional.relu(self.second_norm(self.second(y)) + self.shortcut(x))

    return Block()


def residual_stage(
    torch: ModuleType, inside: int, outside: int, stride: int, count: int
) -> list[Any]:
    """Return blocks of which the first changes the number of channels."""
    first = residual_block(torch, inside, outside, stride)
    return [first, *(residual_block(torch, outside, outside, 1) for _ in range(count - 1))]


def residual_network(torch: ModuleType) -> Program:
    """Classify small colour photographs by 20 layers with shortcuts.

    He et al., "Deep Residual Learning for Image Recognition" (2015), section 4.2.
    """
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 16, 3, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(),
        *residual_stage(torch, 16, 16, 1, 3), *residual_stage(torch, 16, 32, 2, 3),
        *residual_stage(torch, 32, 64, 2, 3),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(64, 10),
    )  # fmt: skip
    return _classifying(torch, model, torch.randn(32, 3, 32, 32))


def wide_residual_network(torch: ModuleType) -> Program:
    """Classify colour photographs by 18 layers with shortcuts.

    He et al., "Deep Residual Learning for Image Recognition" (2015), section 4.1.
    """
    torch.manual_seed(0)
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, padding=3, bias=False), nn.BatchNorm2d(64), nn.ReLU(),
        nn.MaxPool2d(3, 2, padding=1),
        *residual_stage(torch, 64, 64, 1, 2), *residual_stage(torch, 64, 128, 2, 2),
        *residual_stage(torch, 128, 256, 2, 2), *residual_stage(torch, 256, 512, 2, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(512, 10),
    )  # fmt: skip
    return _classifying(torch, model, torch.randn(16, 3, 64, 64))


def _classifying(torch: ModuleType, model: Any, images: Any) -> Program:
    labels = torch.randint(0, 10, (len(images),))
    measure = torch.nn.CrossEntropyLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    return step_of(model, optimizer, lambda: measure(model(images), labels))


def segmenting_network(torch: ModuleType) -> Program:
    """Mark the pixels of an object, by a path down to small images and one up again.

    Ronneberger et al., "U-Net: Convolutional Networks for Biomedical Image Segmentation" (2015).
    """
    torch.manual_seed(0)
    nn = torch.nn

    def pair(inside: int, outside: int) -> Any:
        layers: list[Any] = []
        for channels in (inside, outside):
            layers += [
                nn.Conv2d(channels, outside, 3, padding=1, bias=False),
                nn.BatchNorm2d(outside), nn.ReLU(),
            ]  # fmt: skip
        return nn.Sequential(*layers)

    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.down = nn.ModuleList([pair(3, 16), pair(16, 32)])
            self.bottom = pair(32, 64)
            self.widen = nn.ModuleList(
                [nn.ConvTranspose2d(64, 32, 2, 2), nn.ConvTranspose2d(32, 16, 2, 2)]
            )
            self.up = nn.ModuleList([pair(64, 32), pair(32, 16)])
            self.head = nn.Conv2d(16, 1, 1)
            self.pool = nn.MaxPool2d(2)

        def forward(self, x: Any) -> Any:
            passed = []
            for layers in self.down:
                x = layers(x)
                passed.append(x)
                x = self.pool(x)
            x = self.bottom(x)
            for widen, layers in zip(self.widen, self.up, strict=True):
                x = layers(torch.cat([passed.pop(), widen(x)], dim=1))
            return self.head(x)

    model = Network()
    images = torch.randn(8, 3, 64, 64)
    masks = (torch.rand(8, 1, 64, 64) > 0.5).float()
    measure = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return step_of(model, optimizer, lambda: measure(model(images), masks))


def tagger(torch: ModuleType) -> Program:
    """Classify each element of sequences, read from both ends.

    Cho et al., "Learning Phrase Representations using RNN Encoder-Decoder for Statistical Machine
    Translation" (2014).
    """
    torch.manual_seed(0)
    nn = torch.nn
    reader = nn.GRU(64, 128, num_layers=2, bidirectional=True, batch_first=True)
    classifier = nn.Linear(2 * 128, DIGITS)
    model = nn.ModuleList([reader, classifier])
    rows = torch.randn(32, 32, 64)
    labels = torch.randint(0, DIGITS, (32 * 32,))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def compute_loss() -> Any:
        states, _ = reader(rows)
        return nn.functional.cross_entropy(classifier(states).flatten(0, 1), labels)

    return step_of(model, optimizer, compute_loss)
