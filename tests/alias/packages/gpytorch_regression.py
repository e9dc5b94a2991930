"""gpytorch: exact and variational Gaussian processes are trained for some steps."""

import gpytorch
import torch
from report import report

torch.manual_seed(0)
x = torch.linspace(0, 1, 20)
y = torch.sin(6 * x) + 0.1 * torch.randn(20)


class Exact(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Exact(x, y, likelihood)
optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
mll = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
for _ in range(5):
    optimizer.zero_grad()
    loss = -mll(model(x), y)
    loss.backward()
    optimizer.step()
    report("loss", loss)
model.eval(), likelihood.eval()
with torch.no_grad():
    found = likelihood(model(torch.tensor([0.25, 0.5, 1.2])))
report("prediction", found.mean, found.variance)


class Variational(gpytorch.models.ApproximateGP):
    def __init__(self, places):
        chosen = gpytorch.variational.CholeskyVariationalDistribution(places.size(0))
        super().__init__(gpytorch.variational.VariationalStrategy(self, places, chosen))
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.MaternKernel(nu=2.5)

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


likelihood = gpytorch.likelihoods.GaussianLikelihood()
model = Variational(x[::4].clone())
bound = gpytorch.mlls.VariationalELBO(likelihood, model, 20)
optimizer = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.05)
for _ in range(3):
    optimizer.zero_grad()
    loss = -bound(model(x), y)
    loss.backward()
    optimizer.step()
    report("bound", loss)
