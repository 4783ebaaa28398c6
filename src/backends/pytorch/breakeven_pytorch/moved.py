"""Tensors on a device and, if a case copies them, their counterparts in the host's pinned memory."""

import torch

from breakeven_worker.backend import Transfer

from .tensors import WithoutGradients, poison

# Copies of operands and result in the host's memory: torch rounds pinned blocks up to the next power of two.
MOVED_COPIES = 2


def moves(p, device):
    """True if this case copies data. Nothing is copied if the device computes in the host's memory."""
    return device.has_own_memory and Transfer.of(p).moves


class Moved:
    """`tensor` and, if `moving`, a pinned tensor of the same shape and format with the same values."""

    def __init__(self, tensor, moving):
        self.on_device = tensor
        self.on_host = torch.empty_like(tensor, device="cpu", pin_memory=True).copy_(tensor) if moving else None

    def copy_inputs_to_device(self):
        if self.on_host is not None:
            self.on_device.copy_(self.on_host, non_blocking=True)

    def copy_outputs_to_host(self, result=None):
        """Copies `result`, or the tensor on the device, to the host. Returns False if nothing is copied."""
        if self.on_host is None:
            return False
        self.on_host.copy_(self.on_device if result is None else result, non_blocking=True)
        return True

    def forget_on_device(self):
        """Overwrites the tensor on the device, so that later results depend on what copy_inputs_to_device() copies."""
        if self.on_host is not None:
            memory = torch.empty(0, dtype=torch.uint8, device=self.on_device.device)
            memory.set_(self.on_device.untyped_storage()).fill_(0xFF)  # NaN in every floating-point type

    def for_user(self):
        """Returns the tensor that a user reads. Call copy_outputs_to_host() and wait before."""
        return self.on_device if self.on_host is None else self.on_host


class MovedCase(WithoutGradients):
    """A case whose `operands` and `result` (Moved) may be copied from and to the host. `result` is None if there is none."""

    operands, result = [], None

    def copy_inputs_to_device(self):
        for operand in self.operands:
            operand.copy_inputs_to_device()

    def copy_outputs_to_host(self):
        return self.result is not None and self.result.copy_outputs_to_host()

    def computed(self, results=()):
        """Returns the result of one run of each operand set. Before it, `results`, which are those of all sets, and the
        operands on the device are overwritten, so stale values show."""
        for result in (*results, self.result.on_device, self.result.for_user()):
            poison(result)
        for operand in self.operands:
            operand.forget_on_device()
        self.copy_inputs_to_device()
        for _ in range(self.operand_sets):
            self.run()
        self.copy_outputs_to_host()
        self.wait()
        return self.result.for_user()
