"""Deep Q-learning on a corridor: replay memory, a target network, an exploring policy."""

import math
import random
from collections import deque, namedtuple
from itertools import count

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

random.seed(1)
torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class Corridor:
    """Walk along eight places: the right end pays, and ends the walk."""

    def reset(self):
        self.place, self.steps = 3, 0
        return self.seen()

    def seen(self):
        return [self.place / 7, 1.0 - self.place / 7, float(self.place == 3)]

    def step(self, action):
        self.place = min(7, max(0, self.place + (1 if action else -1)))
        self.steps += 1
        return self.seen(), float(self.place == 7), self.place == 7, self.steps >= 30


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super().__init__()
        self.layer1 = nn.Linear(n_observations, 24)
        self.layer2 = nn.Linear(24, n_actions)

    def forward(self, x):
        return self.layer2(F.relu(self.layer1(x)))


env = Corridor()
policy_net, target_net = DQN(3, 2).to(device), DQN(3, 2).to(device)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=5e-3, amsgrad=True)
memory = ReplayMemory(500)
GAMMA, TAU, BATCH = 0.9, 0.05, 32
steps_done = 0


def select_action(state):
    global steps_done
    threshold = 0.05 + 0.85 * math.exp(-steps_done / 100)
    steps_done += 1
    if random.random() > threshold:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], device=device, dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH:
        return None
    batch = Transition(*zip(*memory.sample(BATCH)))
    going_on = torch.tensor(
        tuple(map(lambda s: s is not None, batch.next_state)), device=device, dtype=torch.bool
    )
    next_states = torch.cat([s for s in batch.next_state if s is not None])
    values = policy_net(torch.cat(batch.state)).gather(1, torch.cat(batch.action))
    next_values = torch.zeros(BATCH, device=device)
    with torch.no_grad():
        next_values[going_on] = target_net(next_states).max(1).values
    expected = next_values * GAMMA + torch.cat(batch.reward)
    loss = nn.SmoothL1Loss()(values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    return loss.item()


lengths = []
for episode in range(25):
    state = torch.tensor(env.reset(), dtype=torch.float32, device=device).unsqueeze(0)
    for t in count():
        action = select_action(state)
        seen, reward, terminated, truncated = env.step(action.item())
        reward = torch.tensor([reward], device=device)
        following = None
        if not terminated:
            following = torch.tensor(seen, dtype=torch.float32, device=device).unsqueeze(0)
        memory.push(state, action, following, reward)
        state = following
        optimize_model()
        target, policy = target_net.state_dict(), policy_net.state_dict()
        for key in policy:
            target[key] = policy[key] * TAU + target[key] * (1 - TAU)
        target_net.load_state_dict(target)
        if terminated or truncated:
            lengths.append(t + 1)
            break
print("first walks", lengths[:3], "last walks", lengths[-5:])
print(
    "best action everywhere is right:",
    bool(
        all(
            policy_net(torch.tensor([[p / 7, 1 - p / 7, float(p == 3)]])).argmax() == 1
            for p in range(7)
        )
    ),
)
