"""A PyTorch network that runs on the kernels of conv, in inference and in training."""

import copy

import conv.torch
import torch


def make_network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 32, 3, stride=2, padding=1, bias=False),
        torch.nn.BatchNorm2d(32),
        torch.nn.ReLU(),
        torch.nn.Conv2d(32, 64, 3, padding=1),
        torch.nn.SiLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
        torch.nn.Linear(64, 10),
    )


torch.manual_seed(0)
model, images = make_network(), torch.randn(4, 3, 32, 32)

# Inference: batch norm, bias and activation run in the kernels of their convolutions.
with torch.no_grad():
    fast = conv.torch.optimize(model, (images,))
    print("inference differs by less than 1e-5:", torch.allclose(fast(images), model.eval()(images), atol=1e-5))

# Training: the modules stay, and conv's kernels compute forward and backward.
trained = copy.deepcopy(model).train()
conv.torch.replace(trained)
trained(images).square().mean().backward()
model.train()(images).square().mean().backward()
print("gradients differ by less than 1e-5:", torch.allclose(trained[0].weight.grad, model[0].weight.grad, atol=1e-5))

# The report says which kernels ran each convolution, and why.
print(conv.torch.report())
