"""tensordict: tensors by name that are stacked, indexed, and go through modules."""

import torch
from report import report
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictSequential

torch.manual_seed(0)
data = TensorDict({"x": torch.randn(4, 3), "more": {"y": torch.arange(4.0)}}, batch_size=[4])
report("item", data[1]["x"], data["more", "y"][1:3])
report("stacked", torch.stack([data, data], 0)["x"].shape, torch.cat([data, data])["x"].shape)
doubled = data.apply(lambda t: 2 * t)
report("applied", doubled["x"], (data + doubled)["x"])
net = TensorDictSequential(
    TensorDictModule(torch.nn.Linear(3, 4), in_keys=["x"], out_keys=["hidden"]),
    TensorDictModule(torch.nn.Linear(4, 1), in_keys=["hidden"], out_keys=["out"]),
)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for _ in range(3):
    loss = (net(data.clone())["out"].squeeze(-1) - data["more", "y"]).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    report("loss", loss)
report("keys", sorted(map(str, data.keys(True, True))), list(data.reshape(2, 2).batch_size))
parameters = TensorDict.from_module(torch.nn.Linear(3, 1))
report("parameters", sorted(parameters.keys()))
