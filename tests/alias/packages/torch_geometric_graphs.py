"""torch_geometric: layers on a small graph are trained; batches of graphs are pooled."""

import torch
from report import report
from torch_geometric.data import Batch, Data
from torch_geometric.loader import DataLoader
from torch_geometric.nn import (
    GATConv,
    GATv2Conv,
    GCNConv,
    GINConv,
    SAGEConv,
    TopKPooling,
    global_mean_pool,
)

torch.manual_seed(0)
edges = torch.tensor([[0, 1, 1, 2, 3, 4, 4, 0], [1, 0, 2, 1, 4, 3, 0, 4]])
graph = Data(x=torch.randn(5, 6), edge_index=edges, y=torch.tensor([0, 1, 0, 1, 1]))
mlp = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
for layer in (GCNConv(6, 2), GATConv(6, 2), GATv2Conv(6, 2), GINConv(mlp), SAGEConv(6, 2)):
    optimizer = torch.optim.Adam(layer.parameters(), lr=0.05)
    for _ in range(3):
        out = layer(graph.x, graph.edge_index)
        loss = torch.nn.functional.cross_entropy(out, graph.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    report(type(layer).__name__, loss, out)
graphs = [Data(x=torch.randn(n, 6), edge_index=edges[:, :4]) for n in (3, 4, 5)]
batch = Batch.from_data_list(graphs)
x, edge_index, _, assignment, _, _ = TopKPooling(6, ratio=0.5)(
    batch.x, batch.edge_index, None, batch.batch
)
report("pooled", global_mean_pool(x, assignment), edge_index)
report("loaded", [each.num_nodes for each in DataLoader(graphs, batch_size=2)])
