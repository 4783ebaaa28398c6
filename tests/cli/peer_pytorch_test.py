"""Compares the PyTorch backend with the reference results of the programs in C++; skipped without torch."""

import gzip
import os
import pathlib
import struct
import sys
import tempfile
import unittest
from unittest import mock

from backend_program import BUILD, FASHION_MNIST, SOURCE, BackendProgram, conv2d, expect_refusals, infer, matmul, skip_unless_available, train, use_python_with
from framework import AgainstTheTruth, SameForAll, network_cases

sys.path.insert(0, str(SOURCE / "src" / "backends" / "pytorch"))


class PytorchTest(SameForAll, AgainstTheTruth):
    program = "breakeven-backend-pytorch"
    supports = {  # of torch 2.11; an older one may lack some, and is not tested here
        "matmul": ["f64", "f32", "f16", "bf16", "f8e4m3", "s8"],
        "conv2d": ["f64", "f32", "f16", "bf16"],
        "train": ["f32", "bf16"],
        "infer": ["f32", "f16", "bf16"],
        "copy": ["f64", "f32"],
        "read": ["f64", "f32"],
        "triad": ["f64", "f32"],
        "launch": ["f32"],
    }

    def test_products_of_every_type_and_layout(self):
        for dtype in self.supports["matmul"]:
            with self.subTest(dtype):
                self.check(matmul(48, 32, 64, dtype))
                self.check(matmul(32, 48, 16, dtype, transpose_a=True, transpose_b=True))
        self.check(matmul(7, 5, 3, batch=4, transpose_b=True))
        self.check(matmul(600, 3, 2, seed=9), cache="cold")

    def test_a_device_makes_the_numbers_of_the_stream(self):
        import torch
        from breakeven_pytorch.tensors import _made_on_device
        from breakeven_worker.random_stream import RandomStream

        here = torch.device("cpu")
        for seed, stream, first in ((1, 0, 0), (2**64 - 2, 1, 5), (7, 1001, 2**33)):
            numbers = RandomStream(seed, stream)
            made = {dtype: _made_on_device(numbers, first, 5000, dtype, here) for dtype in (torch.float32, torch.bfloat16, torch.int8)}
            uniform = torch.from_numpy(numbers.uniform(first, 5000))
            self.assertTrue(torch.equal(made[torch.float32], uniform))
            self.assertTrue(torch.equal(made[torch.bfloat16], uniform.to(torch.bfloat16)))
            self.assertTrue(torch.equal(made[torch.int8], torch.from_numpy(numbers.small_integers(first, 5000))))

    def test_no_variable_that_slows_every_product_stays(self):
        import torch
        from breakeven_pytorch.device import _let_cublas_be_deterministic

        name = "CUBLAS_WORKSPACE_CONFIG"
        for users in (None, ":16:8"):
            with mock.patch.dict(os.environ, {} if users is None else {name: users}):
                _let_cublas_be_deterministic(torch.device("cpu"))
                self.assertEqual(os.environ.get(name), users)

    @unittest.skipUnless(pathlib.Path(FASHION_MNIST).exists(), "needs dataset-fashion-mnist")
    def test_networks_compute_what_the_reference_does(self):
        for case in network_cases():
            with self.subTest(case):
                self.check_network(case)

    def test_says_what_is_wrong_with_a_data_set(self):
        with tempfile.TemporaryDirectory() as folder:
            images = pathlib.Path(folder, "train-images-idx3-ubyte.gz")
            labels = pathlib.Path(folder, "train-labels-idx1-ubyte")
            whole = gzip.compress(struct.pack(">4I", 0x803, 2, 28, 28) + bytes(2 * 784))
            labels.write_bytes(struct.pack(">2I", 0x801, 2) + bytes([1, 9]))
            for content, words in [
                (whole[:-12], "cannot be read"),
                (whole[:30] + b"rubbish" + whole[37:], "cannot be read"),
                (gzip.compress(b"\0\0\x08"), "within its header"),
                (struct.pack(">4I", 0x803, 2, 28, 27) + bytes(2 * 756), "header says"),
                (struct.pack(">4I", 0x803, 4000000000, 28, 28), "header says"),
                (struct.pack(">4I", 0x803, 3, 28, 28) + bytes(2 * 784), "only 1568"),
                (struct.pack(">4I", 0x803, 1, 28, 28) + bytes(2 * 784), "more than"),
                (struct.pack(">4I", 0x803, 1, 28, 28) + bytes(784), "2 labels for the 1 images"),
            ]:
                images.write_bytes(content)
                answer = self.backend.ask(request="prepare", **train("mlp", 1, data=folder))
                self.assertFalse(answer["ok"])
                self.assertIn(words, answer["reason"])
                self.assertIn("dataset-fashion-mnist", answer["reason"])
            images.write_bytes(whole)
            labels.write_bytes(struct.pack(">2I", 0x801, 2) + bytes([1, 10]))
            answer = self.backend.ask(request="prepare", **train("mlp", 1, data=folder))
            self.assertIn("largest label is 10", answer["reason"])

    def test_says_what_it_computes_with(self):
        hello = self.backend.hello
        self.assertEqual((hello["name"], hello["role"], hello["device"]), ("pytorch", "contender", "cpu"))
        self.assertIn("torch", hello["libraries"])
        self.backend.ask(request="prepare", **conv2d(1, 4, 8, 8, 4, 3, 3, "forward"))
        self.assertIn("channels_last", self.backend.ask(request="prepare", **conv2d(1, 4, 8, 8, 4, 3, 3, "forward"))["algorithm"])

    def test_takes_a_number_of_threads_with_a_case(self):
        backend = BackendProgram([BUILD / self.program], threads=2)
        self.addCleanup(backend.kill)
        self.assertTrue(backend.hello["takes_threads"])
        self.assertTrue(backend.ask(request="prepare", **matmul(384, 384, 384), threads=1)["ok"])
        sample = backend.ask(request="sample", iterations=20)
        self.assertLess(sample["cpu_seconds"], 1.2 * sample["seconds"], "one thread uses one CPU")

    def test_refuses_and_goes_on(self):
        refusals = [
            ('{"request": "prep', "failed"),
            ("[1]", "failed"),
            ({"request": "dance"}, "failed"),
            ({"request": "verify", "elements": [0]}, "failed"),
            ({"request": "sample", "iterations": 1}, "failed"),
            ({"request": "prepare", **matmul(1 << 20, 1 << 20, 1 << 20), "memory_bytes": 3 << 42}, "out_of_memory"),
            ({"request": "prepare", **matmul(8, 8, 8), "threads": 2}, "failed"),
            ({"request": "prepare", **matmul(8, 8, 8, "tf32")}, "unsupported"),
            ({"request": "prepare", **matmul(8, 8, 8, "s8", batch=2)}, "unsupported"),
            ({"request": "expect", "elements": [0], **matmul(8, 8, 8)}, "unsupported"),
        ]
        expect_refusals(self, self.backend, refusals)
        self.check(matmul(8, 8, 8))
        self.assertTrue(self.backend.ask(request="release")["ok"])
        self.assertFalse(self.backend.ask(request="sample", iterations=1)["ok"])
        self.assertEqual(self.backend.quit(), 0)

    def test_a_row_without_graphs_is_measured_once(self):
        for program in (self.program, "breakeven-backend-pytorch-compiled"):
            backend = BackendProgram([BUILD / program])
            self.addCleanup(backend.kill)
            for case in (train("mlp", 16), infer("mlp", 16)):
                case["parameters"]["graph"] = False
                answer = backend.ask(request="prepare", **case)
                self.assertEqual((answer["ok"], answer.get("status")), (False, "unsupported"), answer)
                self.assertIn("graph = true", answer["reason"])

    def test_refuses_another_protocol(self):
        other = BackendProgram([BUILD / "breakeven-backend-pytorch"], protocol=99)
        self.assertFalse(other.hello["ok"])
        self.assertIn("99", other.hello["reason"])
        other.kill()


@unittest.skipUnless(pathlib.Path(FASHION_MNIST).exists(), "needs dataset-fashion-mnist")
class CompiledPytorchTest(AgainstTheTruth):
    program = "breakeven-backend-pytorch-compiled"

    def test_networks_compute_what_the_reference_does(self):
        cases = [train("mlp", 16), train("lenet", 16, optimizer="adam"), train("transformer", 8, "bf16")]
        for case in [*cases, infer("transformer", 3, "bf16")]:
            with self.subTest(case):
                self.assertIn("torch.compile", self.check_network(case))

    def test_what_is_compiled_does_not_fall_back_when_there_have_been_many_cases(self):
        # Torch runs a function eagerly, or refuses it, from the ninth compilation on.
        for batch in range(1, 11):
            self.check_network(infer("mlp", batch))

    def test_all_settings_are_compared_by_name(self):
        algorithm = self.check_network(infer("cnn", 3))
        for setting in ("torch.compile", "torch.compile, frozen parameters", "TorchScript, frozen and optimized"):
            for memory_format in ("channels_last", "contiguous"):
                self.assertIn(f"{setting}, {memory_format}", algorithm)
        self.assertNotIn("failed", algorithm)
        algorithm = self.check_network(train("cnn", 3))
        for memory_format in ("channels_last", "contiguous"):
            for optimizer in ("fused", "compiled"):
                self.assertIn(f"torch.compile, {memory_format}, {optimizer} sgd", algorithm)
        self.assertNotIn("failed", algorithm)

    def test_has_networks_alone(self):
        self.assertEqual(set(self.backend.hello["supports"]), {"train", "infer"})
        self.assertEqual(self.backend.hello["name"], "pytorch-compiled")

    def test_says_what_it_lacks(self):
        other = BackendProgram(["env", "CXX=no-such-compiler", BUILD / self.program])
        self.assertFalse(other.hello["ok"])
        self.assertIn("no-such-compiler", other.hello["reason"])
        other.kill()


class OnAGpuTest(unittest.TestCase):
    """Tests of what is done on GPUs, without one."""

    def test_memory_that_ends_outside_of_torchs_allocator_is_out_of_memory(self):
        import breakeven_pytorch
        import torch
        from breakeven_pytorch.tensors import tried
        from breakeven_worker.backend import OutOfMemory

        full = RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`")
        for error in (full, torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")):
            self.assertIsInstance(breakeven_pytorch._meaning_of(error), OutOfMemory)
            with self.assertRaises(RuntimeError):  # it says nothing about the type
                tried(["f32"], mock.Mock(side_effect=error))
        refusal = RuntimeError('"addmm_impl_cpu_" not implemented for \'Half\'')
        self.assertIsNone(breakeven_pytorch._meaning_of(refusal))
        self.assertEqual(tried(["f16"], mock.Mock(side_effect=refusal))["dtypes"], [])

    def test_pinned_memory_is_given_back_with_the_devices(self):
        import torch
        from breakeven_pytorch import Gpu

        calls = mock.Mock()
        with (
            mock.patch("torch.cuda.synchronize", calls.wait),
            mock.patch("torch.cuda.empty_cache", calls.empty),
            mock.patch.object(torch._C, "_host_emptyCache", calls.empty_host, create=True),
        ):
            Gpu.release_memory(None)
        self.assertEqual(calls.mock_calls, [mock.call.wait(), mock.call.empty(), mock.call.empty_host()])

    def test_operands_are_made_where_they_are_used(self):
        import torch
        from breakeven_pytorch.tensors import make_inputs

        meta = torch.device("meta")
        with mock.patch("torch.empty", wraps=torch.empty) as made:
            self.assertEqual(make_inputs((300, 100), torch.float16, meta, 1, 0).device, meta)
        self.assertEqual(made.call_args_list[0], mock.call((300, 100), dtype=torch.float16, device=meta))
        self.assertEqual({call.kwargs["device"] for call in made.call_args_list}, {meta})

    def test_operands_of_8_bits_are_held_as_tensor_cores_read_them(self):
        import torch
        from breakeven_pytorch.matmul import _Matmul
        from breakeven_worker.backend import Case

        gpu = mock.Mock(torch_device=torch.device("cpu"), has_own_memory=True)
        cpu = mock.Mock(torch_device=torch.device("cpu"), has_own_memory=False)
        both = ", A held transposed, B held transposed"
        for dtype, device, turned, said in (
            ("s8", gpu, False, "torch._int_mm, B held transposed"),
            ("s8", gpu, True, "torch._int_mm, A held transposed"),
            ("s8", cpu, False, "torch._int_mm"),
            ("f8e4m3", cpu, False, "torch._scaled_mm, B held transposed"),
            ("f32", gpu, False, "torch.mm"),
        ):
            with self.subTest(said):
                case = Case(matmul(32, 48, 64, dtype, transpose_a=turned, transpose_b=turned)["parameters"])
                product = _Matmul(case, 1, device)
                self.assertEqual(product.algorithm, said)
                if "held" in said:
                    a, b = (operand.on_device for operand in product.operands)
                    self.assertEqual((a.stride(2), b.stride(1)), (1, 1))
        mixed = Case(matmul(32, 48, 64, "s8", transpose_a=True)["parameters"])
        self.assertEqual(_Matmul(mixed, 1, gpu).algorithm, "torch._int_mm" + both)


@unittest.skipUnless(pathlib.Path(FASHION_MNIST).exists(), "needs dataset-fashion-mnist")
class WithinTheProgramTest(unittest.TestCase):
    """Tests of properties that no answer of a program shows."""

    def prepared(self, case):
        import breakeven_pytorch

        backend = breakeven_pytorch.make_backend("pytorch", 1, "1")
        operation = next(operation for operation in backend.operations if operation.op == case["op"])
        return operation.prepare({**case["parameters"], **case.get("resolved", {})}, case["seed"])

    def test_steps_take_slices_of_an_order_that_was_placed(self):
        import torch

        training = self.prepared(train("mlp", 128))
        training.prepare_runs(470)
        with mock.patch("torch.from_numpy", side_effect=AssertionError("a step copies from the host")):
            for _ in range(470):
                training.run()
        self.assertEqual(len(training.take_losses()), 470)
        placed = training._order._orders
        self.assertEqual([type(order) for order in placed], [torch.Tensor] * 2)  # of 468 steps each

    def test_sgd_has_its_momentum_before_the_first_step(self):
        import torch
        from breakeven_pytorch.train_infer import _optimizer

        for implementation in ("default", "fused", "compiled"):
            parameters = [torch.nn.Parameter(torch.ones(3))]
            p = {"optimizer": "sgd", "learning_rate": 0.5, "momentum": 0.9}
            made = _optimizer(p, parameters, implementation, torch.device("cpu"))
            buffer = made.state[parameters[0]]["momentum_buffer"]
            for expected in (0.5, -0.45):  # 1 - 0.5 * 1, and then - 0.5 * 1.9
                parameters[0].grad = torch.ones(3)
                made.step()
                torch.testing.assert_close(parameters[0].detach(), torch.full((3,), expected))
            self.assertIs(made.state[parameters[0]]["momentum_buffer"], buffer)
            self.assertEqual(made.param_groups[0]["foreach"], True if implementation == "compiled" else None)

    def test_an_optimizer_that_fails_is_dropped(self):
        from breakeven_pytorch import train_infer

        wrong = {**train_infer._IMPLEMENTATIONS, "fused": {"fused": True, "foreach": True}}
        with mock.patch.object(train_infer, "_IMPLEMENTATIONS", wrong), mock.patch("sys.stderr"):
            training = self.prepared(train("mlp", 16))
        self.assertEqual(training.algorithm, "eager, contiguous, default sgd; eager, contiguous, fused sgd failed")

    def test_on_a_gpu_a_transformer_in_f32_does_without_the_fast_path(self):
        import torch
        from breakeven_pytorch import Gpu

        self.addCleanup(torch.backends.mha.set_fastpath_enabled, True)
        for dtype, calls in (("f32", 0), ("bf16", 1)):
            inference = self.prepared(infer("transformer", 3, dtype))
            Gpu.use_precision(None, dtype)
            fast_path = "torch._transformer_encoder_layer_fwd"
            with inference.context(), mock.patch(fast_path, wraps=torch._transformer_encoder_layer_fwd) as taken:
                inference.run()
            self.assertEqual(taken.call_count, calls, dtype)


if __name__ == "__main__":
    use_python_with("torch", remedy="scripts/setup-frameworks installs it")
    skip_unless_available(BUILD / "breakeven-backend-pytorch")
    unittest.main()
