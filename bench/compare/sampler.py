"""Random layers that look like those of networks: a list that nobody can tune for.

Each layer belongs to one of a few kinds, whose sizes are drawn from those of public networks. A seed determines the list.
"""

import random

_CHANNELS = (8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320, 384, 448, 512, 640, 768, 960, 1024)
_IMAGES = (7, 8, 12, 14, 16, 17, 20, 24, 28, 32, 35, 40, 48, 56, 64, 80, 96, 112, 128, 160, 224, 256)
_BATCHES = (1, 2, 4, 8, 16, 32, 64)
_MOST_ELEMENTS = 1 << 28  # The limit of a tensor.
_MOST_PRODUCTS = 1 << 39


def _layer(n, c, k, spatial, taps, stride=1, dilation=1, groups=1, pad=None):
    rank = len(spatial)
    taps = list(taps) if isinstance(taps, tuple) else [taps] * rank
    pads = [dilation * (tap - 1) // 2 for tap in taps] if pad is None else [pad] * rank
    return {
        "n": n, "c": c, "k": k, "groups": groups, "spatial": list(spatial), "filter": taps,
        "stride": [stride] * rank, "dilation": [dilation] * rank, "pad": pads,
    }


def _pointwise(draw):
    size = draw.choice(_IMAGES)
    return _layer(draw.choice(_BATCHES), draw.choice(_CHANNELS), draw.choice(_CHANNELS), (size, size), 1,
                  stride=draw.choice((1, 1, 1, 2)))


def _dense(draw):
    size = draw.choice(_IMAGES)
    taps = draw.choice((3, 3, 3, 5, (1, 7), (7, 1), (1, 3), (3, 1)))
    return _layer(draw.choice(_BATCHES), draw.choice(_CHANNELS), draw.choice(_CHANNELS), (size, size), taps,
                  stride=draw.choice((1, 1, 2)))


def _dilated(draw):
    size = draw.choice(_IMAGES)
    return _layer(draw.choice(_BATCHES), draw.choice(_CHANNELS), draw.choice(_CHANNELS), (size, size), 3,
                  dilation=draw.choice((2, 4, 6, 12)))


def _stem(draw):
    taps, stride = draw.choice(((3, 2), (7, 2), (5, 1), (3, 1)))
    size = draw.choice((128, 160, 224, 256, 299, 320))
    return _layer(draw.choice(_BATCHES), draw.choice((1, 3, 4)), draw.choice((16, 32, 40, 48, 64, 96, 128)), (size, size),
                  taps, stride=stride)


def _patch_embedding(draw):
    side = draw.choice((4, 8, 14, 16, 32))
    size = side * draw.choice((7, 8, 14, 16, 24))
    return _layer(draw.choice(_BATCHES), 3, draw.choice((96, 192, 384, 768, 1024)), (size, size), side, stride=side, pad=0)


def _depthwise(draw):
    channels, size = draw.choice(_CHANNELS), draw.choice(_IMAGES)
    return _layer(draw.choice(_BATCHES), channels, channels, (size, size), draw.choice((3, 3, 5, 7)),
                  stride=draw.choice((1, 1, 2)), groups=channels)


def _grouped(draw):
    groups, width, size = draw.choice((2, 4, 8, 16, 32)), draw.choice((4, 8, 16, 24, 32, 64)), draw.choice(_IMAGES)
    return _layer(draw.choice(_BATCHES), groups * width, groups * width, (size, size), 3, stride=draw.choice((1, 1, 2)),
                  groups=groups)


def _volume(draw):
    size = draw.choice((8, 14, 16, 20, 28, 32))
    return _layer(draw.choice((1, 2, 4)), draw.choice(_CHANNELS[1:16]), draw.choice(_CHANNELS[1:16]), (size, size, size),
                  draw.choice((1, 3, 3, (1, 3, 3), (3, 1, 1))), stride=draw.choice((1, 1, 2)))


def _sequence(draw):
    return _layer(draw.choice(_BATCHES), draw.choice(_CHANNELS), draw.choice(_CHANNELS),
                  (draw.choice((200, 500, 1000, 1500, 3000, 4096, 8192)),), draw.choice((1, 3, 5, 7, 11)),
                  stride=draw.choice((1, 1, 2)), dilation=draw.choice((1, 1, 2, 4)))


_KINDS = {  # The relative frequency of each kind.
    _dense: 6, _pointwise: 5, _depthwise: 2, _grouped: 2, _volume: 2, _sequence: 2, _stem: 1, _dilated: 1, _patch_embedding: 1,
}


def _fits(layer):
    """Whether the window fits, and the layer is no larger than the layers of networks."""
    products = layer["n"] * layer["c"] * layer["k"] // layer["groups"]
    inputs, outputs = layer["n"] * layer["c"], layer["n"] * layer["k"]
    for size, taps, stride, dilation, pad in zip(*(layer[name] for name in ("spatial", "filter", "stride", "dilation", "pad"))):
        positions = (size + 2 * pad - dilation * (taps - 1) - 1) // stride + 1
        if positions < 1:
            return False
        products, inputs, outputs = products * positions * taps, inputs * size, outputs * positions
    return products <= _MOST_PRODUCTS and max(inputs, outputs) <= _MOST_ELEMENTS


def sample_layers(count, seed):
    """Draw `count` distinct layers, as entries of a shape list.

    >>> sample_layers(20, 1) == sample_layers(20, 1) != sample_layers(20, 2)
    True
    """
    draw = random.Random(seed)
    layers = []
    while len(layers) < count:
        [kind] = draw.choices(list(_KINDS), list(_KINDS.values()))
        layer = kind(draw)
        if _fits(layer) and layer not in layers:
            layers.append(layer)
    return layers
