"""C = A B: torch.mm or torch.bmm into an existing result. Transposed operands are views."""

import torch

from breakeven_worker.backend import Operation, Unsupported
from breakeven_worker.operand_sets import in_turn, operand_sets
from breakeven_worker.random_stream import FIRST_OPERAND, SECOND_OPERAND

from .moved import MOVED_COPIES, Moved, MovedCase, moves
from .tensors import DTYPES, make_inputs, output_dtype, show_result, tried


def operations(device):
    return [
        Operation(
            op="matmul",
            **tried(device.dtypes, lambda dtype: _probe(dtype, device)),
            prepare=lambda parameters, seed: _Matmul(parameters, seed, device),
            moved_copies=MOVED_COPIES,
        )
    ]


def _probe(dtype, device):
    device.use_precision(dtype)
    sizes = {"m": 32, "n": 32, "k": 32, "batch": 1, "transpose_a": False, "transpose_b": False, "dtype": dtype}
    product = _Matmul(sizes, 1, device)
    with product.context():
        product.run()


class _Matmul(MovedCase):
    @torch.inference_mode()
    def __init__(self, p, seed, device):
        m, n, k, batch = p["m"], p["n"], p["k"], p["batch"]
        dtype = DTYPES[p["dtype"]]
        if batch > 1 and dtype not in _BATCHED:
            raise Unsupported(f"torch has no batched product in {p['dtype']}")
        self.operand_sets = operand_sets(p, device)
        self._seed = seed
        shape_a = (batch, k, m) if p["transpose_a"] else (batch, m, k)
        shape_b = (batch, n, k) if p["transpose_b"] else (batch, k, n)
        a = make_inputs(shape_a, dtype, device.torch_device, seed, FIRST_OPERAND)
        b = make_inputs(shape_b, dtype, device.torch_device, seed, SECOND_OPERAND)
        a = a.transpose(1, 2) if p["transpose_a"] else a
        b = b.transpose(1, 2) if p["transpose_b"] else b
        held = ""
        if dtype == torch.float8_e4m3fn or (dtype == torch.int8 and device.has_own_memory):
            # torch._scaled_mm supports only this layout, A by rows and B by columns. cuBLASLt's products of integers
            # are made for it, too, and users of torch._int_mm hold weights so.
            held = ", A held transposed" * p["transpose_a"] + ", B held transposed" * (not p["transpose_b"])
            a = a.contiguous()
            b = b.transpose(1, 2).contiguous().transpose(1, 2)
        moving = moves(p, device)
        self.operands = [Moved(a, moving), Moved(b, moving)]
        c = torch.empty((batch, m, n), dtype=output_dtype(dtype), device=device.torch_device)
        more = [(a.clone(), b.clone(), torch.empty_like(c)) for _ in range(1, self.operand_sets)]
        sets = [(a, b, c), *more]
        self._results = [c for _, _, c in sets]
        self.result = Moved(self._results[-1], moving)
        fast = p.get("fast_accumulation", False)
        products = [_product(*(matrices if batch > 1 else (one[0] for one in matrices)), fast) for matrices in sets]
        self.algorithm = products[0][0] + held
        self.run = in_turn([product for _, product in products])

    def show(self, elements):
        return show_result(self.computed(self._results).flatten(0, 1), elements, self._seed)


_BATCHED = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def _product(a, b, c, fast_accumulation):
    """The name of the call that users of a dtype make, and the call as a function without arguments."""
    if a.dim() == 3:
        return "torch.bmm", lambda: torch.bmm(a, b, out=c)
    if a.dtype == torch.int8:
        return "torch._int_mm", lambda: torch._int_mm(a, b, out=c)
    if a.dtype == torch.float8_e4m3fn:
        one = torch.ones((), device=a.device)
        return "torch._scaled_mm", lambda: torch._scaled_mm(
            a, b, scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=fast_accumulation, out=c
        )
    return "torch.mm", lambda: torch.mm(a, b, out=c)
