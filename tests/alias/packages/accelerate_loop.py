"""accelerate: a loop with accumulation, a saved state, and a checkpoint in an empty model."""

import tempfile

import torch
from accelerate import Accelerator, init_empty_weights
from accelerate.utils import load_checkpoint_in_model, set_seed
from report import report

set_seed(0)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
data = torch.utils.data.TensorDataset(torch.randn(16, 4), torch.randint(0, 2, (16,)))
loader = torch.utils.data.DataLoader(data, batch_size=4, shuffle=True)
model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
for x, y in loader:
    with accelerator.accumulate(model):
        loss = torch.nn.functional.cross_entropy(model(x), y)
        accelerator.backward(loss)
        accelerator.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
    report("loss", loss)
report("gathered", accelerator.gather(torch.ones(2)))
with tempfile.TemporaryDirectory() as folder:
    accelerator.save_state(folder)
    weight = accelerator.unwrap_model(model)[0].weight
    before = weight.detach().clone()
    with torch.no_grad():
        weight.zero_()
    accelerator.load_state(folder)
    report("restored", torch.equal(weight, before), before)
with init_empty_weights():
    empty = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
report("empty", str(empty[0].weight.device), list(empty(torch.ones(5, 4, device="meta")).shape))
with tempfile.TemporaryDirectory() as folder:
    torch.save(accelerator.get_state_dict(model), f"{folder}/pytorch_model.bin")
    path = f"{folder}/pytorch_model.bin"
    load_checkpoint_in_model(empty, path, device_map={"": "cpu"}, full_state_dict=False)
report("filled", str(empty[0].weight.device), empty(torch.ones(1, 4)))
