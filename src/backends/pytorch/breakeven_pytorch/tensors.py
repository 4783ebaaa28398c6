"""Element types, inputs, and evidence of results."""

import math

import torch

from breakeven_worker import evidence
from breakeven_worker.backend import Prepared, out_of_memory_in
from breakeven_worker.random_stream import FIRST_FACTOR, GOLDEN, SECOND_FACTOR, RandomStream, chunks

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
    tensor = torch.empty(shape, dtype=dtype, device=torch_device)
    flat = tensor.view(-1)
    numbers = RandomStream(seed, stream)
    if torch_device.type != "cpu":
        # In pieces, whose temporary arrays are of 8 bytes an element.
        for first, length in chunks(flat.numel(), 1 << 24):
            flat[first : first + length] = _made_on_device(numbers, first, length, dtype, torch_device)
        return tensor
    make = numbers.small_integers if dtype == torch.int8 else numbers.uniform
    for first, length in chunks(flat.numel()):
        flat[first : first + length] = torch.from_numpy(make(first, length)).to(dtype)
    return tensor


def _made_on_device(numbers, first, count, dtype, torch_device):
    """Elements first ... first + count - 1 of a RandomStream, made where they are needed: for int8 its small_integers(),
    otherwise its uniform(). torch has signed integers, whose products wrap like unsigned ones."""
    z = torch.arange(first + 1, first + count + 1, dtype=torch.int64, device=torch_device)
    z.mul_(_as_signed(GOLDEN)).add_(_as_signed(int(numbers.key)))
    z = (z ^ _shifted(z, 30)).mul_(_as_signed(FIRST_FACTOR))
    z = (z ^ _shifted(z, 27)).mul_(_as_signed(SECOND_FACTOR))
    z = z ^ _shifted(z, 31)
    if dtype == torch.int8:
        return (_shifted(z, 57) - 64).to(torch.int8)
    return ((_shifted(z, 40) - (1 << 23)).to(torch.float32) * 2.0**-23).to(dtype)


def _as_signed(number):
    return number - (1 << 64) if number >= 1 << 63 else number


def _shifted(z, bits):
    """z >> bits, as of unsigned numbers."""
    return (z >> bits) & ((1 << (64 - bits)) - 1)


def poison(result):
    """Fills a result with NaN, or the most negative integer, so that elements that are never written are detected."""
    result.fill_(float("nan") if result.is_floating_point() else torch.iinfo(result.dtype).min)


def show_result(result, elements, seed):
    """Returns the evidence of a result of shape outer x channels x ..., whatever its strides."""

    on_host = result.device.type == "cpu"

    def read_block(first, last):
        block = result[first:last].to(dtype=torch.float64).contiguous()
        return block.numpy() if on_host else block

    def sum_channels(signs, block):  # eight bytes an element would take long over the link
        return torch.matmul(torch.from_numpy(signs).to(block.device), block).cpu().numpy()

    where = torch.unravel_index(torch.tensor(elements, dtype=torch.int64, device=result.device), result.shape)
    shape = (result.shape[0], result.shape[1], math.prod(result.shape[2:]))
    return {
        "elements": result[where].to(device="cpu", dtype=torch.float64).tolist(),
        "projections": evidence.project(read_block, shape, seed, **({} if on_host else {"sum_channels": sum_channels})),
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
