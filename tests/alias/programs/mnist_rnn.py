"""Read pictures row by row with an LSTM."""

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(2)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(input_size=8, hidden_size=16, batch_first=True)
        self.batchnorm = nn.BatchNorm1d(16)
        self.dropout1 = nn.Dropout2d(0.25)
        self.fc1 = nn.Linear(16, 12)
        self.fc2 = nn.Linear(12, 3)

    def forward(self, input):
        input = input.reshape(-1, 8, 8)
        output, hidden = self.rnn(input)
        output = self.batchnorm(output[:, -1, :])
        output = output.view_as(hidden[0][-1])
        output = F.relu(self.fc1(output))
        return F.log_softmax(self.fc2(output), dim=1)


target = torch.arange(60) % 3
images = torch.randn(60, 1, 8, 8) + target.view(-1, 1, 1, 1).float()
loader = DataLoader(TensorDataset(images, target), batch_size=20, shuffle=True)
model = Net()
optimizer = optim.Adadelta(model.parameters(), lr=1.0)
scheduler = StepLR(optimizer, step_size=2, gamma=0.7)
for epoch in range(4):
    for data, label in loader:
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), label)
        loss.backward()
        optimizer.step()
    scheduler.step()
    print(f"loss {loss.item():.4f}")
