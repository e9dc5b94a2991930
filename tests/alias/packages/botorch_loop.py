"""botorch: a Gaussian process is fitted and asked where to look next."""

import warnings

import torch
from botorch.acquisition import LogExpectedImprovement, qExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import SingleTaskGP
from botorch.optim import optimize_acqf
from botorch.sampling import SobolQMCNormalSampler
from gpytorch.mlls import ExactMarginalLogLikelihood
from report import report

warnings.filterwarnings("ignore")
torch.manual_seed(0)
torch.set_default_dtype(torch.float64)
x = torch.rand(8, 2)
y = -(x - 0.4).pow(2).sum(-1, keepdim=True)
model = SingleTaskGP(x, y)
fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
at = torch.tensor([[0.3, 0.3], [0.9, 0.1]])
report("mean", model.posterior(at).mean)
report("variance", model.posterior(at).variance)
improvement = LogExpectedImprovement(model, best_f=y.max())
report("improvement", improvement(at[:, None, :]))
sampled = qExpectedImprovement(model, y.max(), SobolQMCNormalSampler(torch.Size([16]), seed=0))
report("sampled", sampled(at[None]))
torch.manual_seed(1)
best, value = optimize_acqf(
    improvement, torch.tensor([[0.0, 0.0], [1.0, 1.0]]), q=1, num_restarts=2, raw_samples=8
)
report("best", best.round(decimals=2), value)
