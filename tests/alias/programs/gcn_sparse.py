"""Graph convolutions over a sparse matrix of neighbours, and attention over its edges."""

import numpy as np
import scipy.sparse as sp
import torch
import torch.nn as nn
import torch.nn.functional as F

np.random.seed(0)
torch.manual_seed(0)
nodes, classes = 40, 2
label = torch.LongTensor(np.arange(nodes) * classes // nodes)


def edges_between(count):
    pairs = np.random.randint(0, nodes // classes, (count, 2))
    return pairs + nodes // classes * np.random.randint(0, classes, (count, 1))


def sparse_mx_to_torch_sparse_tensor(sparse_mx):
    sparse_mx = sparse_mx.tocoo().astype(np.float32)
    indices = torch.from_numpy(np.vstack((sparse_mx.row, sparse_mx.col)).astype(np.int64))
    values = torch.from_numpy(sparse_mx.data)
    return torch.sparse_coo_tensor(indices, values, torch.Size(sparse_mx.shape))


pairs = edges_between(120)
adj = sp.coo_matrix((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(nodes, nodes))
adj = ((adj + adj.T + sp.eye(nodes)) > 0).astype(np.float32)
adj = sparse_mx_to_torch_sparse_tensor(sp.diags(1 / np.asarray(adj.sum(1)).ravel()) @ adj)
features = torch.randn(nodes, 5) + label[:, None] * 0.5
idx_train = torch.arange(0, nodes, 5)


class GraphConvolution(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_features, out_features))
        nn.init.xavier_uniform_(self.weight)
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, input, adj):
        return torch.spmm(adj, torch.mm(input, self.weight)) + self.bias


class GCN(nn.Module):
    def __init__(self):
        super().__init__()
        self.gc1 = GraphConvolution(5, 8)
        self.gc2 = GraphConvolution(8, classes)

    def forward(self, x, adj):
        x = F.dropout(F.relu(self.gc1(x, adj)), 0.3, training=self.training)
        return F.log_softmax(self.gc2(x, adj), dim=1)


class EdgeAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Linear(5, 8, bias=False)
        self.a = nn.Parameter(torch.randn(16) * 0.1)
        self.out = nn.Linear(8, classes)

    def forward(self, x, adj):
        edge = adj.coalesce().indices()
        h = self.W(x)
        scores = torch.cat((h[edge[0]], h[edge[1]]), dim=1) @ self.a
        attention = torch.exp(-F.leaky_relu(scores, 0.2))
        attention = torch.sparse_coo_tensor(edge, attention, adj.size())
        total = attention @ torch.ones(nodes, 1)
        return F.log_softmax(self.out(F.elu(attention @ h / total)), dim=1)


for model in (GCN(), EdgeAttention()):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.03, weight_decay=5e-4)
    for epoch in range(30):
        model.train()
        optimizer.zero_grad()
        loss = F.nll_loss(model(features, adj)[idx_train], label[idx_train])
        loss.backward()
        optimizer.step()
        if epoch % 10 == 9:
            print(f"{type(model).__name__} epoch {epoch} loss {loss.item():.4f}")
    model.eval()
    with torch.no_grad():
        right = model(features, adj).argmax(1).eq(label).double().mean()
    print("accuracy", round(right.item(), 4))
