"""pyro: variational inference, sampling by HMC, and enumeration of discrete variables."""

import pyro
import pyro.distributions as dist
import torch
from pyro.infer import MCMC, NUTS, SVI, Trace_ELBO, TraceEnum_ELBO, config_enumerate
from pyro.infer.autoguide import AutoDelta, AutoNormal
from report import report

pyro.set_rng_seed(0)
data = torch.tensor([1.2, 0.8, 1.5, 0.9])


def model(data):
    mean = pyro.sample("mean", dist.Normal(0.0, 1.0))
    with pyro.plate("data", len(data)):
        pyro.sample("x", dist.Normal(mean, 0.5), obs=data)


svi = SVI(model, AutoNormal(model), pyro.optim.Adam({"lr": 0.05}), Trace_ELBO())
report("svi", [svi.step(data) for _ in range(3)])
report("location", pyro.param("AutoNormal.locs.mean"), pyro.param("AutoNormal.scales.mean"))
pyro.clear_param_store()
pyro.set_rng_seed(1)
sampler = MCMC(NUTS(model), num_samples=5, warmup_steps=5, disable_progbar=True)
sampler.run(data)
report("nuts", sampler.get_samples()["mean"])


@config_enumerate
def mixture(data):
    weights = pyro.sample("weights", dist.Dirichlet(torch.ones(2)))
    with pyro.plate("components", 2):
        places = pyro.sample("places", dist.Normal(0.0, 2.0))
    with pyro.plate("data", len(data)):
        which = pyro.sample("which", dist.Categorical(weights))
        pyro.sample("x", dist.Normal(places[which], 0.5), obs=data)


pyro.clear_param_store()
pyro.set_rng_seed(2)
guide = AutoDelta(pyro.poutine.block(mixture, expose=["weights", "places"]))
svi = SVI(mixture, guide, pyro.optim.Adam({"lr": 0.05}), TraceEnum_ELBO())
report("mixture", [svi.step(data) for _ in range(3)])
