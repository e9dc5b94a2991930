"""Which language is a name of? A recurrent network from scratch, and names made by another."""

import random
import string
import unicodedata

import torch
import torch.nn as nn

torch.manual_seed(0)
random.seed(0)
all_letters = string.ascii_letters + " .,;'-"
n_letters = len(all_letters) + 1
category_lines = {
    "Greek": ["Stéphanos", "Papadopoulos", "Nikolaidis", "Georgiou", "Antoniadis"],
    "Irish": ["O'Connor", "O'Brien", "Kelly", "Murphy", "Ryan", "Sullivan"],
    "Japanese": ["Tanaka", "Suzuki", "Watanabe", "Yamamoto", "Kobayashi", "Itō"],
}
all_categories = list(category_lines)


def unicode_to_ascii(s):
    decomposed = unicodedata.normalize("NFD", s)
    return "".join(c for c in decomposed if unicodedata.category(c) != "Mn" and c in all_letters)


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, n_letters)
    for li, letter in enumerate(line):
        tensor[li][0][all_letters.find(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        hidden = torch.tanh(self.i2h(torch.cat((input, hidden), 1)))
        return self.softmax(self.h2o(hidden)), hidden

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


rnn = RNN(n_letters, 24, len(all_categories))
criterion = nn.NLLLoss()
confusion = torch.zeros(3, 3)
for epoch in range(6):
    total = 0.0
    pairs = [(c, line) for c, lines in category_lines.items() for line in lines]
    random.shuffle(pairs)
    for category, line in pairs:
        target = torch.tensor([all_categories.index(category)], dtype=torch.long)
        hidden = rnn.init_hidden()
        rnn.zero_grad()
        for letter in line_to_tensor(unicode_to_ascii(line)):
            output, hidden = rnn(letter, hidden)
        loss = criterion(output, target)
        loss.backward()
        for p in rnn.parameters():
            p.data.add_(p.grad.data, alpha=-0.02)
        total += loss.item()
        top_n, top_i = output.topk(1)
        confusion[target.item()][top_i[0].item()] += 1
    print(f"loss {total / len(pairs):.4f}")
for i in range(3):
    confusion[i] = confusion[i] / confusion[i].sum()
print(confusion.round(decimals=3).tolist()[0])


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3 + n_letters, 20)
        self.o2o = nn.Sequential(nn.Dropout(0.1), nn.Linear(20, n_letters))

    def forward(self, category, letter, hidden):
        hidden = self.cell(torch.cat((category, letter), 1), hidden)
        return self.o2o(hidden).log_softmax(1), hidden


writer = Writer()
optimizer = torch.optim.RMSprop(writer.parameters(), lr=5e-3, momentum=0.5)
kinds = torch.eye(3)
for epoch in range(3):
    total = 0.0
    for number, (category, lines) in enumerate(category_lines.items()):
        name = unicode_to_ascii(lines[epoch])
        targets = torch.LongTensor([all_letters.find(c) for c in name[1:]] + [n_letters - 1])
        targets.unsqueeze_(-1)
        optimizer.zero_grad()
        hidden, cost = torch.zeros(1, 20), torch.Tensor([0])
        for letter, target in zip(line_to_tensor(name), targets):
            output, hidden = writer(kinds[number : number + 1], letter, hidden)
            cost += criterion(output, target)
        cost.backward()
        optimizer.step()
        total += cost.item() / len(name)
    print(f"cost {total:.4f}")
with torch.no_grad():
    writer.eval()
    letter, hidden, name = line_to_tensor("K")[0], torch.zeros(1, 20), "K"
    for _ in range(8):
        output, hidden = writer(kinds[1:2], letter, hidden)
        best = output.topk(1)[1][0][0].item()
        if best == n_letters - 1:
            break
        name += all_letters[best]
        letter = line_to_tensor(all_letters[best])[0]
print(len(name), f"{output.exp().sum().item():.4f}")
