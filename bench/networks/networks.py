"""Networks by name, with random weights: six of torchvision, and four that are written here.

The four have the shapes of well-known networks: the encoder and the decoder of Stable Diffusion's autoencoder, a
three-dimensional U-Net, and HiFi-GAN's generator (V1).
"""

import torch
import torch.nn.functional as F
from torch import nn

VISION = {
    "resnet50": ("resnet50", (3, 224, 224)),
    "mobilenet_v3": ("mobilenet_v3_large", (3, 224, 224)),
    "efficientnet_b0": ("efficientnet_b0", (3, 224, 224)),
    "convnext_tiny": ("convnext_tiny", (3, 224, 224)),
    "regnet_y_3_2gf": ("regnet_y_3_2gf", (3, 224, 224)),
    "densenet121": ("densenet121", (3, 224, 224)),
}


class ResidualBlock(nn.Module):
    """Group norm, silu and a 3x3 convolution, twice, and a shortcut."""

    def __init__(self, c, k):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(32, c, 1e-6), nn.Conv2d(c, k, 3, padding=1)
        self.norm2, self.conv2 = nn.GroupNorm(32, k, 1e-6), nn.Conv2d(k, k, 3, padding=1)
        self.shortcut = nn.Conv2d(c, k, 1) if c != k else nn.Identity()

    def forward(self, x):
        y = self.conv1(F.silu(self.norm1(x)))
        return self.conv2(F.silu(self.norm2(y))) + self.shortcut(x)


class Down(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, stride=2)

    def forward(self, x):
        return self.conv(F.pad(x, (0, 1, 0, 1)))


class Up(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.conv = nn.Conv2d(c, c, 3, padding=1)

    def forward(self, x):
        return self.conv(F.interpolate(x, scale_factor=2.0, mode="nearest"))


def vae_encoder():
    channels = (128, 128, 256, 512, 512)
    layers = [nn.Conv2d(3, 128, 3, padding=1)]
    for level, (c, k) in enumerate(zip(channels, channels[1:])):
        layers += [ResidualBlock(c, k), ResidualBlock(k, k)] + ([Down(k)] if level < 3 else [])
    return nn.Sequential(*layers, nn.GroupNorm(32, 512), nn.SiLU(), nn.Conv2d(512, 8, 3, padding=1))


def vae_decoder():
    channels = (512, 512, 512, 256, 128)
    layers = [nn.Conv2d(4, 512, 3, padding=1)]
    for level, (c, k) in enumerate(zip(channels, channels[1:])):
        layers += [ResidualBlock(c, k), ResidualBlock(k, k), ResidualBlock(k, k)] + ([Up(k)] if level < 3 else [])
    return nn.Sequential(*layers, nn.GroupNorm(32, 128), nn.SiLU(), nn.Conv2d(128, 3, 3, padding=1))


class UNet3d(nn.Module):
    def __init__(self, channels=(32, 64, 128, 256)):
        super().__init__()

        def block(c, k):
            layers = []
            for first, second in ((c, k), (k, k)):
                layers += [nn.Conv3d(first, second, 3, padding=1, bias=False), nn.BatchNorm3d(second), nn.ReLU()]
            return nn.Sequential(*layers)

        pairs = list(zip(channels, channels[1:]))
        self.first = block(1, channels[0])
        self.down = nn.ModuleList(block(c, k) for c, k in pairs)
        self.up = nn.ModuleList(nn.ConvTranspose3d(k, c, 2, 2) for c, k in reversed(pairs))
        self.merge = nn.ModuleList(block(2 * c, c) for c, _ in reversed(pairs))
        self.last = nn.Conv3d(channels[0], 4, 1)

    def forward(self, x):
        levels = [self.first(x)]
        for block in self.down:
            levels.append(block(F.max_pool3d(levels[-1], 2)))
        y = levels.pop()
        for up, merge in zip(self.up, self.merge):
            y = merge(torch.cat([up(y), levels.pop()], 1))
        return self.last(y)


class HiFiGan(nn.Module):
    def __init__(self, c=512, rates=((8, 16), (8, 16), (2, 4), (2, 4))):
        super().__init__()
        self.first = nn.Conv1d(80, c, 7, padding=3)
        self.ups, self.blocks = nn.ModuleList(), nn.ModuleList()
        for rate, taps in rates:
            self.ups.append(nn.ConvTranspose1d(c, c // 2, taps, rate, (taps - rate) // 2))
            c //= 2
            for size in (3, 7, 11):
                pairs = nn.ModuleList()
                for dilation in (1, 3, 5):
                    pairs.append(nn.Conv1d(c, c, size, padding=dilation * (size - 1) // 2, dilation=dilation))
                    pairs.append(nn.Conv1d(c, c, size, padding=(size - 1) // 2))
                self.blocks.append(pairs)
        self.last = nn.Conv1d(c, 1, 7, padding=3)

    def forward(self, x):
        x = self.first(x)
        for index, up in enumerate(self.ups):
            x = up(F.leaky_relu(x, 0.1))
            total = 0
            for pairs in self.blocks[3 * index : 3 * index + 3]:
                y = x
                for place in range(0, 6, 2):
                    z = pairs[place](F.leaky_relu(y, 0.1))
                    y = pairs[place + 1](F.leaky_relu(z, 0.1)) + y
                total = total + y
            x = total / 3
        return torch.tanh(self.last(F.leaky_relu(x)))


OWN = {
    "vae_encoder": (vae_encoder, (3, 256, 256)),
    "vae_decoder": (vae_decoder, (4, 32, 32)),
    "unet3d": (UNet3d, (1, 64, 64, 64)),
    "hifigan": (HiFiGan, (80, 128)),
}
NAMES = [*VISION, *OWN]


def make(name, batch, seed=0):
    """A network in f32 on the CPU in eval mode, with batch norm statistics as after training, and an input for it."""
    torch.manual_seed(seed)
    if name in VISION:
        import torchvision

        function, shape = VISION[name]
        network = getattr(torchvision.models, function)(weights=None)
    else:
        function, shape = OWN[name]
        network = function()
    for module in network.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.running_mean.normal_(0, 0.1)
            module.running_var.uniform_(0.8, 1.25)
            nn.init.uniform_(module.weight, 0.8, 1.25)
            nn.init.normal_(module.bias, 0, 0.1)
    return network.eval(), torch.randn(batch, *shape)
