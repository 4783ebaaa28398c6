"""Training by several ranks: each computes the gradients of its part of a batch, and all take their average.

With the parameter `overlap` it is DistributedDataParallel with its defaults, which averages the gradients in buckets
while the backward pass goes on. Without it, one all_reduce of all gradients follows the backward pass."""

import functools
import time

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from breakeven_worker.ranks import connecting_by_nccl, own_ranks


def make_store(ranks):
    """PyTorch's store of the values that all ranks read, on rank 0."""
    return dist.TCPStore(ranks.leader, ranks.leader_port, ranks.count, ranks.number == 0, wait_for_workers=False)


@functools.cache
def join_process_group(torch_device):
    """Makes PyTorch's group of all ranks: gloo between CPUs, NCCL between GPUs."""
    ranks = own_ranks()
    library = {"cpu": "gloo", "cuda": "nccl"}[torch_device.type]
    dist.init_process_group(library, store=ranks.store, rank=ranks.number, world_size=ranks.count)
    if library == "nccl":  # it connects in the first exchange
        with connecting_by_nccl(ranks, torch.cuda.device_count()):
            dist.all_reduce(torch.zeros(1, device=torch_device))
            torch.cuda.synchronize()


def describe(device, overlap):
    """What `algorithm` says about it."""
    library = {"cpu": "gloo", "gpu": "NCCL"}[device.kind]
    return f"DistributedDataParallel, {library}" if overlap else f"one all_reduce after backward, {library}"


class Single:
    """The network of the only rank."""

    def __init__(self, network):
        self.forward = network
        self.backward = torch.Tensor.backward


class InBuckets:
    """DistributedDataParallel. What it hides within the backward pass is not timed: the clock runs from the moment in
    which the last gradient has been computed until backward() returns. That includes copying the last bucket."""

    def __init__(self, network, torch_device):
        on_gpu = torch_device.type == "cuda"
        self.forward = DistributedDataParallel(network, device_ids=[torch_device] if on_gpu else None)
        self._clock = clock = _EventClock() if on_gpu else _HostClock()
        self.take_seconds = clock.take_seconds
        self._last = last = []

        def note(parameter):  # without `self`, which would keep the parameters
            last[:] = [id(parameter)]
            clock.start()

        self._hooks = {id(p): p.register_post_accumulate_grad_hook(note) for p in network.parameters()}

    def backward(self, loss):
        loss.backward()
        self._clock.stop()
        if len(self._hooks) > 1:  # the first time shows which gradient is the last
            for parameter in self._hooks.keys() - set(self._last):
                self._hooks.pop(parameter).remove()


class AfterBackward:
    """One all_reduce of all gradients together, and the copies to one tensor and back, which are timed, too."""

    def __init__(self, network, torch_device):
        self.forward = network
        self._parameters = list(network.parameters())
        self._clock = _EventClock() if torch_device.type == "cuda" else _HostClock()
        self.take_seconds = self._clock.take_seconds

    def backward(self, loss):
        loss.backward()
        self._clock.start()
        gradients = [parameter.grad for parameter in self._parameters]
        together = torch.cat([gradient.reshape(-1) for gradient in gradients])
        dist.all_reduce(together)
        together /= dist.get_world_size()
        parts = together.split([gradient.numel() for gradient in gradients])
        torch._foreach_copy_(gradients, [part.view(gradient.shape) for part, gradient in zip(parts, gradients)])
        self._clock.stop()


class _HostClock:
    def __init__(self):
        self._seconds = 0.0

    def start(self):
        self._started = time.perf_counter()

    def stop(self):
        self._seconds += time.perf_counter() - self._started

    def take_seconds(self):
        seconds, self._seconds = self._seconds, 0.0
        return seconds


class _EventClock:
    """Reads the time on a GPU, whose stream waits for the communication, unlike the host."""

    def __init__(self):
        self._pairs = []

    def start(self):
        self._started = torch.cuda.Event(enable_timing=True)
        self._started.record()

    def stop(self):
        stopped = torch.cuda.Event(enable_timing=True)
        stopped.record()
        self._pairs.append((self._started, stopped))

    def take_seconds(self):
        torch.cuda.synchronize()
        pairs, self._pairs = self._pairs, []
        return sum(started.elapsed_time(stopped) for started, stopped in pairs) / 1000
