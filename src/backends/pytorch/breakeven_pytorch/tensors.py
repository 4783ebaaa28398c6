"""Element types, inputs, and evidence of results."""

import math

import torch

from breakeven_worker import evidence
from breakeven_worker.backend import Prepared, out_of_memory_in
from breakeven_worker.random_stream import RandomStream, chunks

DTYPES = {
    "f64": torch.float64,
    "f32": torch.float32,
    "tf32": torch.float32,
    "f16": torch.float16,
    "bf16": torch.bfloat16,
    "f8e4m3": torch.float8_e4m3fn,
    "s8": torch.int8,
}

FORMATS = {"contiguous": torch.contiguous_format, "channels_last": torch.channels_last}

# The types of results of products, if they differ from those of the inputs.
_OUTPUTS = {torch.float8_e4m3fn: torch.bfloat16, torch.int8: torch.int32}


def output_dtype(dtype):
    return _OUTPUTS.get(dtype, dtype)


class WithoutGradients(Prepared):
    """A case that runs in inference mode, as users run what they do not train. This saves some overhead per call."""

    def context(self):
        return torch.inference_mode()


def make_inputs(shape, dtype, torch_device, seed, stream):
    """Makes a row-major tensor of this shape with the stream's numbers. They are rounded to nearest, ties to even."""
    # A GPU's tensor is filled in pieces, because the host may have less memory.
    tensor = torch.empty(shape, dtype=dtype, device=torch_device)
    flat = tensor.view(-1)
    numbers = RandomStream(seed, stream)
    make = numbers.small_integers if dtype == torch.int8 else numbers.uniform
    for first, length in chunks(flat.numel()):
        flat[first : first + length] = torch.from_numpy(make(first, length)).to(dtype)
    return tensor


def poison(result):
    """Fills a result with NaN, or the most negative integer, so that elements that are never written are detected."""
    result.fill_(float("nan") if result.is_floating_point() else torch.iinfo(result.dtype).min)


def show_result(result, elements, seed):
    """Returns the evidence of a result of shape outer x channels x ..., whatever its strides."""

    def read_block(first, last):
        return result[first:last].to(device="cpu", dtype=torch.float64).contiguous().numpy()

    where = torch.unravel_index(torch.tensor(elements, dtype=torch.int64, device=result.device), result.shape)
    shape = (result.shape[0], result.shape[1], math.prod(result.shape[2:]))
    return {
        "elements": result[where].to(device="cpu", dtype=torch.float64).tolist(),
        "projections": evidence.project(read_block, shape, seed),
    }


def show_array(array, elements, seed):
    """Returns the evidence of a flat array, at few positions as in src/workloads/bandwidth.h. It processes the array in
    blocks, so that no second array is made."""
    channels = math.gcd(array.numel(), 1024)
    inner = array.numel() // channels
    block = math.gcd(inner, 4096)
    positions_first = array.view(channels, inner // block, block).transpose(0, 1)
    projections = show_result(positions_first, [], seed)["projections"]
    where = torch.tensor(elements, dtype=torch.int64, device=array.device)
    return {"elements": array[where].to(device="cpu", dtype=torch.float64).tolist(), "projections": projections}


def tried(dtypes, run):
    """Returns the dtypes for which run(dtype) works here, and why the others do not: torch only says so when it is tried.
    Full memory says nothing about a dtype, and is raised."""
    refused = {}
    for dtype in dtypes:
        try:
            run(dtype)
        except (RuntimeError, NotImplementedError) as e:
            if isinstance(e, torch.OutOfMemoryError) or out_of_memory_in(e):
                raise
            refused[dtype] = next(iter(str(e).splitlines()), type(e).__name__)
    return {"dtypes": [dtype for dtype in dtypes if dtype not in refused], "refused": refused}
