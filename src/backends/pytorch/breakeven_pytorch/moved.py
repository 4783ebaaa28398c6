"""Tensors on a device and, where a case moves them, their places in the host's pinned memory."""

import torch

from breakeven_worker.backend import Transfer


def moves(p, device):
    """Whether this case moves data; in the host's own memory there is nothing to move."""
    return device.has_own_memory and Transfer.of(p).moves


class Moved:
    """`tensor` and, where `moving`, a pinned tensor of the same shape and format with the same values."""

    def __init__(self, tensor, moving):
        self.on_device = tensor
        self.on_host = torch.empty_like(tensor, device="cpu", pin_memory=True).copy_(tensor) if moving else None

    def bring(self):
        if self.on_host is not None:
            self.on_device.copy_(self.on_host, non_blocking=True)

    def fetch(self, result=None):
        """`result`, where that is another tensor on the device. Whether there was anything to fetch."""
        if self.on_host is None:
            return False
        self.on_host.copy_(self.on_device if result is None else result, non_blocking=True)
        return True

    def forget_on_device(self):
        """What is read next is what has been brought."""
        if self.on_host is not None:
            memory = torch.empty(0, dtype=torch.uint8, device=self.on_device.device)
            memory.set_(self.on_device.untyped_storage()).fill_(0xFF)  # NaN in every floating-point type

    def for_user(self):
        """Where whoever computes it looks for it; to be fetched and waited for first."""
        return self.on_device if self.on_host is None else self.on_host
