"""Graph convolutions over a dense matrix of neighbours, and attention over the same graph."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parameter import Parameter

torch.manual_seed(42)
nodes = 24
label = (torch.arange(nodes) >= nodes // 2).long()
same = label[:, None] == label[None, :]
adjacency = ((torch.rand(nodes, nodes) < 0.3) & same).float()
adjacency = ((adjacency + adjacency.t() + torch.eye(nodes)) > 0).float()
degree = adjacency.sum(1)
norm = torch.diag(degree.pow(-0.5))
support = norm.mm(adjacency).mm(norm)
features = torch.randn(nodes, 6) + label[:, None] * 0.5
idx_train = torch.LongTensor([0, 3, 5, 13, 17, 20])


class GraphConv(nn.Module):
    def __init__(self, input_dim, output_dim):
        super().__init__()
        self.kernel = Parameter(torch.FloatTensor(input_dim, output_dim))
        nn.init.xavier_normal_(self.kernel)
        self.bias = Parameter(torch.zeros(output_dim))

    def forward(self, x, adj):
        return torch.mm(adj, torch.mm(x, self.kernel)) + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.gc1 = GraphConv(6, 8)
        self.gc2 = GraphConv(8, 2)
        self.dropout = nn.Dropout(0.5)

    def forward(self, x, adj):
        x = self.dropout(F.relu(self.gc1(x, adj)))
        return F.log_softmax(self.gc2(x, adj), dim=1)


class GraphAttention(nn.Module):
    def __init__(self, heads=2, out=4):
        super().__init__()
        self.heads, self.out = heads, out
        self.W = Parameter(torch.empty(size=(6, heads * out)))
        self.a = Parameter(torch.empty(size=(heads, 2 * out, 1)))
        nn.init.xavier_normal_(self.W)
        nn.init.xavier_normal_(self.a)
        self.leakyrelu = nn.LeakyReLU(0.2)
        self.readout = nn.Linear(heads * out, 2)

    def forward(self, x, adj):
        h = torch.mm(x, self.W).view(len(x), self.heads, self.out).permute(1, 0, 2)
        source = torch.matmul(h, self.a[:, : self.out, :])
        target = torch.matmul(h, self.a[:, self.out :, :])
        e = self.leakyrelu(source + target.mT)
        mask = -9e16 * torch.ones_like(e)
        attention = torch.where(adj > 0, e, mask)
        attention = F.dropout(F.softmax(attention, dim=-1), 0.1, training=self.training)
        h = torch.matmul(attention, h).permute(1, 0, 2).contiguous().view(len(x), -1)
        return F.log_softmax(self.readout(F.elu(h)), dim=1)


for model in (GCN(), GraphAttention()):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02, weight_decay=5e-4)
    for epoch in range(15):
        model.train()
        optimizer.zero_grad()
        output = model(features, support if isinstance(model, GCN) else adjacency)
        loss = F.nll_loss(output[idx_train], label[idx_train])
        loss.backward()
        optimizer.step()
        if epoch % 7 == 0:
            print(f"{type(model).__name__} loss {loss.item():.4f}")
    model.eval()
    with torch.no_grad():
        right = (
            model(features, support if isinstance(model, GCN) else adjacency).max(1)[1].eq(label)
        )
    print("accuracy", round(right.double().mean().item(), 4))
