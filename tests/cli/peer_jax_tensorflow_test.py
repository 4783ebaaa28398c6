"""Compares the JAX and TensorFlow backends with the reference results of the programs in C++; skips those that are
missing."""

import importlib.util
import pathlib
import sys
import unittest
from unittest import mock

from backend_program import BUILD, FASHION_MNIST, SOURCE, BackendProgram, conv2d, expect_refusals, matmul, skip, train, use_python_with
from breakeven_worker.backend import Case
from breakeven_worker.requirements import has_nvidia_driver
from framework import AgainstTheTruth, SameForAll, network_cases


class CompiledByItsFramework(SameForAll):
    """Tests for both frameworks."""

    def test_products_of_every_type_and_layout(self):
        for dtype in self.supports["matmul"]:
            with self.subTest(dtype):
                self.check(matmul(48, 32, 64, dtype))
                self.check(matmul(32, 48, 16, dtype, transpose_a=True, transpose_b=True))
                self.check(matmul(7, 5, 3, dtype, batch=4, transpose_b=True))
        self.check(matmul(600, 3, 2, seed=9), cache="cold")

    @unittest.skipUnless(pathlib.Path(FASHION_MNIST).exists(), "needs dataset-fashion-mnist")
    def test_networks_compute_what_the_reference_does(self):
        for case in network_cases():
            with self.subTest(case):
                self.assertIn(self.way, self.check_network(case))

    def test_says_what_it_computes_with(self):
        hello = self.backend.hello
        name = self.program.removeprefix("breakeven-backend-")
        self.assertEqual((hello["name"], hello["role"], hello["device"]), (name, "contender", "cpu"))
        self.assertIn(name, hello["libraries"])
        self.assertIn("NHWC", self.backend.ask(request="prepare", **conv2d(1, 4, 8, 8, 4, 3, 3, "forward"))["algorithm"])

    def test_refuses_and_goes_on(self):
        rotating = matmul(8, 8, 8)
        rotating["parameters"]["operands"] = "rotating"
        refusals = [
            ({"request": "prepare", **matmul(1 << 20, 1 << 20, 1 << 20), "memory_bytes": 3 << 42}, "out_of_memory"),
            ({"request": "prepare", **matmul(8, 8, 8, "tf32")}, "unsupported"),
            ({"request": "prepare", **rotating}, "unsupported"),
            ({"request": "prepare", **train("mlp", 70000)}, "failed"),
        ]
        expect_refusals(self, self.backend, refusals)
        self.check(matmul(8, 8, 8))
        self.assertEqual(self.backend.quit(), 0)

    def test_on_a_gpu_that_is_not_there_it_says_so(self):
        if has_nvidia_driver():
            self.skipTest("there is a driver")
        other = BackendProgram([BUILD / f"{self.program}-cuda"])
        self.assertFalse(other.hello["ok"])
        self.assertIn("NVIDIA's driver", other.hello["reason"])
        other.kill()


class JaxTest(CompiledByItsFramework, AgainstTheTruth):
    program = "breakeven-backend-jax"
    supports = {
        "matmul": ["f64", "f32", "f16", "bf16", "s8"],
        "conv2d": ["f64", "f32", "f16", "bf16"],
        "train": ["f32", "bf16"],
        "infer": ["f32", "f16", "bf16"],
        "launch": ["f32"],
    }
    way = "jax.jit"


class TensorflowTest(CompiledByItsFramework, AgainstTheTruth):
    program = "breakeven-backend-tensorflow"
    supports = {
        "matmul": ["f64", "f32", "f16", "bf16", "s8"],
        "conv2d": ["f64", "f32", "bf16"],
        "train": ["f32", "bf16"],
        "infer": ["f32", "f16", "bf16"],
        "launch": ["f32"],
    }
    way = "tf.function"


class WithinTheProgramTest(unittest.TestCase):
    """Tests of what is done on GPUs, without one."""

    def backend(self, name):
        """The modules conv2d, device and matmul of a backend."""
        if importlib.util.find_spec(name) is None:
            self.skipTest(f"no {name}")
        sys.path.insert(0, str(SOURCE / "src" / "backends" / name))
        importlib.import_module(f"breakeven_{name}").make_backend(name, 1, "1")
        return [importlib.import_module(f"breakeven_{name}.{module}") for module in ("conv2d", "device", "matmul")]

    def algorithm(self, conv2d_module, formats, **device):
        parameters = Case(conv2d(1, 4, 8, 8, 4, 3, 3, "forward")["parameters"])
        with mock.patch("sys.stderr"):
            return conv2d_module._prepare(parameters, 1, mock.Mock(formats=formats, **device)).algorithm

    def test_a_layout_that_fails_leaves_the_other(self):
        jax_conv2d, device, _ = self.backend("jax")
        cpu = {"put": device.Cpu().put, "get": np.asarray, "has_own_memory": False}
        unknown = {"NCHW": (("NCXX", "OIHW", "NCHW"), (0, 1, 2, 3), (0, 1, 2, 3))}
        with mock.patch.object(jax_conv2d, "_FORMATS", unknown | {"NHWC": jax_conv2d._FORMATS["NHWC"]}):
            algorithm = self.algorithm(jax_conv2d, [], available_memory=lambda: 1, **cpu)
        self.assertEqual(algorithm, "jax.jit, NHWC, NCHW failed")

    def test_a_layout_that_fails_leaves_the_other_in_tensorflow(self):
        tf_conv2d, device, _ = self.backend("tensorflow")
        cpu = {"put": device._Arrays().put, "get": device._Arrays().get, "has_own_memory": False}
        with mock.patch.dict(tf_conv2d._IMAGE_AXES, {"NCXX": (0, 1, 2, 3)}):
            self.assertRegex(self.algorithm(tf_conv2d, ["NCXX", "NHWC"], **cpu), "^NHWC, NCXX failed, tf.function")

    def test_operands_of_8_bits_are_held_as_tensor_cores_read_them(self):
        _, device, matmul_module = self.backend("jax")
        gpu = device.Cpu()
        gpu.has_own_memory = True
        for dtype in ("s8", "f8e4m3"):
            for turned in (False, True):
                case = Case(matmul(32, 48, 64, dtype, transpose_a=turned, transpose_b=turned)["parameters"])
                plain, held = (matmul_module._prepare(case, 1, which) for which in (device.Cpu(), gpu))
                np.testing.assert_array_equal(plain.shown(), held.shown())
                self.assertEqual(held.algorithm, f"jax.jit(jnp.matmul), {'A' if turned else 'B'} held transposed")


def why_missing(test):
    try:
        program = BackendProgram([BUILD / test.program])
    except RuntimeError as missing:
        return str(missing)
    program.kill()
    return "" if program.hello["ok"] else program.hello["reason"]


def skip_what_is_missing():
    """In a function, because unittest runs every class with a name in this module, and one with two names twice."""
    missing = {test: why_missing(test) for test in (JaxTest, TensorflowTest)}
    if all(missing.values()):
        skip("; ".join(missing.values()))
    for test, why in missing.items():
        if why:
            test.__unittest_skip__, test.__unittest_skip_why__ = True, why


if __name__ == "__main__":
    use_python_with("jax", "tensorflow", remedy="scripts/setup-frameworks installs them")
    skip_what_is_missing()
    import numpy as np  # a framework's own: without one, nothing is tested

    unittest.main()
