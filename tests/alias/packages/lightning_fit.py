"""lightning: a trainer fits a module, validates it, saves and loads it."""

import logging
import tempfile
import warnings

import lightning as L
import torch
from report import report

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Net(L.LightningModule):
    def __init__(self, width=8):
        super().__init__()
        self.save_hyperparameters()
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(4, width), torch.nn.Tanh(), torch.nn.Linear(width, 1)
        )

    def training_step(self, batch, index):
        x, y = batch
        loss = torch.nn.functional.mse_loss(self.layers(x), y)
        self.log("loss", loss)
        report("step", loss)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        self.log("validation", torch.nn.functional.mse_loss(self.layers(x), y))

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=0.01)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1)]


L.seed_everything(0, verbose=False)
x = torch.randn(24, 4)
data = torch.utils.data.TensorDataset(x, x.sum(1, keepdim=True))
train = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True)
held_out = torch.utils.data.DataLoader(data, batch_size=24)
with tempfile.TemporaryDirectory() as folder:
    trainer = L.Trainer(
        max_epochs=2, accelerator="cpu", logger=False, default_root_dir=folder,
        enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=1.0,
    )  # fmt: skip
    net = Net()
    trainer.fit(net, train, held_out)
    report("validation", trainer.callback_metrics["validation"])
    trainer.save_checkpoint(f"{folder}/net.ckpt")
    loaded = Net.load_from_checkpoint(f"{folder}/net.ckpt")
report("loaded", loaded.layers(x[:3]), loaded.hparams.width)
