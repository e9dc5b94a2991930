"""A clipped policy over a continuous action, with advantages that look ahead."""

import torch
import torch.nn as nn
from torch.distributions.normal import Normal
from torch.optim.lr_scheduler import LambdaLR

torch.manual_seed(21)
torch.backends.cudnn.deterministic = True


def layer_init(layer, std=2**0.5, bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(2, 16)), nn.Tanh(), layer_init(nn.Linear(16, 1), std=1.0)
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(2, 16)), nn.Tanh(), layer_init(nn.Linear(16, 1), std=0.01)
        )
        self.actor_logstd = nn.Parameter(torch.zeros(1, 1))

    def get_action_and_value(self, x, action=None):
        action_mean = self.actor_mean(x)
        action_std = torch.exp(self.actor_logstd.expand_as(action_mean))
        probs = Normal(action_mean, action_std)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.critic(x)


agent = Agent()
optimizer = torch.optim.Adam(agent.parameters(), lr=1e-2, eps=1e-5)
scheduler = LambdaLR(optimizer, lambda update: 1.0 - update / 8)
num_steps, envs = 16, 4
for update in range(6):
    obs, actions, logprobs, rewards, values = (
        torch.zeros(num_steps, envs, *s) for s in ((2,), (1,), (), (), ())
    )
    state = torch.cat((torch.randn(envs, 1), torch.zeros(envs, 1)), 1)
    for step in range(num_steps):
        obs[step] = state
        with torch.no_grad():
            action, logprob, _, value = agent.get_action_and_value(state)
        actions[step], logprobs[step], values[step] = action, logprob, value.flatten()
        speed = state[:, 1] + 0.1 * action.squeeze(-1)
        state = torch.stack((state[:, 0] + 0.1 * speed, speed), dim=1)
        rewards[step] = -state.pow(2).sum(1)
    with torch.no_grad():
        advantages = torch.zeros_like(rewards)
        last, next_value = 0, agent.critic(state).reshape(1, -1)
        for t in reversed(range(num_steps)):
            following = next_value if t == num_steps - 1 else values[t + 1]
            delta = rewards[t] + 0.99 * following - values[t]
            advantages[t] = last = delta + 0.99 * 0.95 * last
        returns = advantages + values
    b_obs, b_logprobs, b_actions = (
        obs.reshape((-1, 2)),
        logprobs.reshape(-1),
        actions.reshape((-1, 1)),
    )
    b_adv, b_returns = advantages.reshape(-1), returns.reshape(-1)
    for epoch in range(2):
        for mb in torch.randperm(num_steps * envs).split(32):
            _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])
            ratio = (newlogprob - b_logprobs[mb]).exp()
            adv = (b_adv[mb] - b_adv[mb].mean()) / (b_adv[mb].std() + 1e-8)
            pg_loss = torch.max(-adv * ratio, -adv * torch.clamp(ratio, 0.8, 1.2)).mean()
            v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
            loss = pg_loss - 0.01 * entropy.mean() + v_loss * 0.5
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()
    scheduler.step()
    print(
        f"reward {rewards.mean().item():.4f} value {v_loss.item():.4f} lr {scheduler.get_last_lr()[0]:.4f}"
    )
