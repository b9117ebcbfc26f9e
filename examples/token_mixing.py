"""Two token mixing blocks, trained on the CPU: one like JetBlock, and one like Mamba.

Both have a short causal convolution in front of a recurrence. JetBlock generates the kernel of its convolution from the
tokens; Mamba has a filter for each channel. The recurrences are plain loops, which suit sequences of a few tokens.
"""

import conv.torch
import torch
import torch.nn.functional as F
from torch import nn


class JetBlock(nn.Module):
    """A dynamic convolution of the values, followed by a gated delta rule."""

    def __init__(self, width, taps=4, dynamic_conv=conv.torch.dynamic_conv):
        super().__init__()
        self.dynamic_conv = dynamic_conv
        self.query, self.key, self.value = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.generator = nn.Sequential(nn.Linear(width, width // 2), nn.SiLU(), nn.Linear(width // 2, width * taps))
        self.gates = nn.Linear(width, 2)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        kernel = self.generator(x).unflatten(2, (x.shape[2], -1))  # (B, T, D, W)
        value = self.dynamic_conv(self.value(x), kernel, activation="silu")
        query, key = F.normalize(self.query(x), dim=2), F.normalize(self.key(x), dim=2)
        keep, learn = torch.sigmoid(self.gates(x)).unbind(2)
        state, results = x.new_zeros(x.shape[0], x.shape[2], x.shape[2]), []
        for t in range(x.shape[1]):
            state = keep[:, t, None, None] * state
            error = value[:, t] - torch.einsum("bkv,bk->bv", state, key[:, t])
            state = state + learn[:, t, None, None] * torch.einsum("bk,bv->bkv", key[:, t], error)
            results.append(torch.einsum("bkv,bk->bv", state, query[:, t]))
        return self.out(torch.stack(results, 1))


class MambaBlock(nn.Module):
    """A causal convolution, followed by a selective scan, with a gate and a norm as in Mamba-2."""

    def __init__(self, width, taps=4, states=4, causal_conv1d=conv.torch.causal_conv1d_fn):
        super().__init__()
        self.causal_conv1d = causal_conv1d
        self.split = nn.Linear(width, 2 * width, bias=False)
        self.weight, self.bias = nn.Parameter(torch.randn(width, taps) / taps**0.5), nn.Parameter(torch.zeros(width))
        self.select = nn.Linear(width, width + 2 * states)
        self.rates = nn.Parameter(torch.log(torch.arange(1.0, states + 1)).repeat(width, 1))
        self.skip = nn.Parameter(torch.ones(width))
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, width, bias=False)
        self.sizes = width, states, states

    def forward(self, x):
        x, gate = self.split(x).chunk(2, dim=2)
        x = self.causal_conv1d(x.transpose(1, 2), self.weight, self.bias, activation="silu").transpose(1, 2)
        step, into, out = self.select(x).split(self.sizes, 2)
        step, rates = F.softplus(step - 3), -torch.exp(self.rates)
        state, results = x.new_zeros(*x.shape[::2], into.shape[2]), []
        for t in range(x.shape[1]):
            state = torch.exp(step[:, t, :, None] * rates) * state
            state = state + (step[:, t] * x[:, t])[:, :, None] * into[:, t, None]
            results.append((state * out[:, t, None]).sum(2))
        return self.out(self.norm((torch.stack(results, 1) + self.skip * x) * F.silu(gate)))


class Model(nn.Module):
    """A block between an embedding and a head that predicts the next token."""

    def __init__(self, block, width, tokens):
        super().__init__()
        self.embedding, self.norm = nn.Embedding(tokens, width), nn.LayerNorm(width)
        self.block, self.head = block, nn.Linear(width, tokens)

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.head(x + self.block(self.norm(x)))


def train(model, tokens, steps):
    """Train a model to memorise a few sequences, and return the losses of the steps."""
    optimizer, losses = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9), []
    for _ in range(steps):
        loss = F.cross_entropy(model(tokens[:, :-1]).flatten(0, 1), tokens[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        losses.append(loss.item())
    return losses


if __name__ == "__main__":
    torch.manual_seed(0)
    tokens = torch.randint(11, (3, 14))
    for block in (JetBlock(12), MambaBlock(12)):
        losses = train(Model(block, 12, 11), tokens, 50)
        print(
            f"{type(block).__name__}: loss {losses[0]:.2f}, after 50 steps less than half: {losses[-1] < losses[0] / 2}"
        )
    print(conv.torch.report())
