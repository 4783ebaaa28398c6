"""The small networks as users write them in PyTorch: modules with the usual layers."""

import math

import torch
from torch import nn

from breakeven_worker.dataset import CLASSES, PIXELS, SIDE
from breakeven_worker.network_cases import initial_values


def make_network(p):
    """Makes the module of a case from its parameters. Also returns the input shape of one image. See
    src/workloads/network.h."""
    return _NETWORKS[p["network"]](p)


def set_initial_values(network, seed):
    """Sets the initial values of every backend: uniform within 1/sqrt(fan in), positions within 0.02, norms one and
    zero."""
    with torch.no_grad():
        for index, (tensor, scale) in enumerate(_tensors_in_order(network)):
            if scale is not None:
                values = initial_values(index, tensor.numel(), scale, seed)
                tensor.copy_(torch.from_numpy(values).view(tensor.shape))


def _mlp(p):
    width = p["width"] or 512
    layers = (nn.Linear(PIXELS, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, CLASSES))
    return nn.Sequential(*layers), (PIXELS,)


def _lenet(_):
    features = (nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2))
    features += (nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    classifier = (nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, CLASSES))
    return nn.Sequential(*features, *classifier), (1, SIDE, SIDE)


def _cnn(_):
    features = (nn.Conv2d(1, 32, 3), nn.ReLU(), nn.Conv2d(32, 64, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
    return nn.Sequential(*features, nn.Linear(9216, 128), nn.ReLU(), nn.Linear(128, CLASSES)), (1, SIDE, SIDE)


class _Transformer(nn.Module):
    """The transformer. Its tokens are the rows of an image."""

    def __init__(self, width, heads, hidden):
        super().__init__()
        self.embed = nn.Linear(SIDE, width)
        self.positions = nn.Parameter(torch.empty(SIDE, width))
        self.block = nn.TransformerEncoderLayer(
            width, heads, hidden, dropout=0.0, activation="gelu", batch_first=True
        )
        self.classify = nn.Linear(width, CLASSES)

    def forward(self, images):
        return self.classify(self.block(self.embed(images) + self.positions).mean(dim=1))


def _transformer(p):
    return _Transformer(p["width"] or 128, p["heads"] or 4, p["hidden"] or 512), (SIDE, SIDE)


_NETWORKS = {"mlp": _mlp, "lenet": _lenet, "cnn": _cnn, "transformer": _transformer}


def _tensors_in_order(network):
    """Returns every parameter tensor with the scale of its initial values, in the order of src/workloads/network.h. The
    scale is None if torch's own initial values, one and zero, are right."""
    if isinstance(network, _Transformer):
        block = network.block
        attention = block.self_attn
        return [
            *_scaled(network.embed.weight, network.embed.bias),
            (network.positions, 0.02),
            *_scaled(attention.in_proj_weight, attention.in_proj_bias),
            *_scaled(attention.out_proj.weight, attention.out_proj.bias),
            (block.norm1.weight, None),
            (block.norm1.bias, None),
            *_scaled(block.linear1.weight, block.linear1.bias),
            *_scaled(block.linear2.weight, block.linear2.bias),
            (block.norm2.weight, None),
            (block.norm2.bias, None),
            *_scaled(network.classify.weight, network.classify.bias),
        ]
    layers = [layer for layer in network if isinstance(layer, (nn.Linear, nn.Conv2d))]
    return [pair for layer in layers for pair in _scaled(layer.weight, layer.bias)]


def _scaled(weight, bias):
    scale = 1.0 / math.sqrt(weight[0].numel())
    return [(weight, scale), (bias, scale)]
