"""Tests what Python backends for GPUs share, without a GPU: which errors are of full memory, whose memory is too small,
how operands of 8 bits are held, which GPU it is, and that a layout that cannot be prepared leaves the others."""

import ctypes
import sys
import unittest
import uuid
from unittest import mock

from backend_program import SOURCE, use_python_with_numpy

use_python_with_numpy()

import numpy as np  # noqa: E402

from breakeven_worker import host, nhwc_models, serve  # noqa: E402
from breakeven_worker.backend import Backend, Operation, OutOfMemory, Prepared, out_of_memory_in  # noqa: E402
from breakeven_worker.computed import Multiplied, fastest_case  # noqa: E402
from breakeven_worker.devices import id_of_gpu  # noqa: E402
from breakeven_worker.network_cases import Training  # noqa: E402

sys.path.insert(0, str(SOURCE / "src" / "backends" / "jax"))
from breakeven_jax import share_gpu  # noqa: E402

GIB = 1 << 30


class FullMemory(unittest.TestCase):
    def test_is_known_by_the_words_of_libraries(self):
        for text in (
            "CUDA error: out of memory\nCUDA kernel errors might be asynchronously reported",
            "CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`",
            "cuDNN error: CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED",
            "[enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: you tried",
            "INTERNAL: Failed to load in-memory CUBIN: CUDA_ERROR_OUT_OF_MEMORY",
            "RESOURCE_EXHAUSTED: Failed to allocate request for 1.0GiB",
            "Failed copying input tensor from CPU:0 to GPU:0: Dst tensor is not initialized.",
        ):
            meaning = out_of_memory_in(RuntimeError(text))
            self.assertIsInstance(meaning, OutOfMemory, text)
            self.assertEqual(str(meaning), text.splitlines()[0])
        wrapped = RuntimeError("backend='inductor' raised:\nRuntimeError: CUDA error: out of memory\n")
        self.assertEqual(str(out_of_memory_in(wrapped)), "RuntimeError: CUDA error: out of memory")
        for text in ("CUBLAS_STATUS_NOT_SUPPORTED", "out of resource: shared memory", ""):
            self.assertIsNone(out_of_memory_in(RuntimeError(text)), text)


class Refusals(unittest.TestCase):
    def prepare(self, device, parameters=(), **backend):
        """Prepares a case of 1 GiB where the host has 1.5."""
        operation = Operation("matmul", ["f32"], lambda p, seed: Prepared(), host_copies=1, moved_copies=2)
        made = Backend("b", "1", device=device, device_id="GPU-1", operations=[operation], **backend)
        worker = serve._Worker(lambda threads: made)
        worker.answer({"request": "hello", "protocol": serve.PROTOCOL, "threads": 1})
        request = {"op": "matmul", "parameters": {"dtype": "f32", **dict(parameters)}, "memory_bytes": GIB}
        with mock.patch.object(host, "available_memory", return_value=1.5 * GIB):
            return worker.answer({"request": "prepare", "seed": 1, **request})

    def test_a_gpus_operands_must_fit_on_the_host_where_they_are_made(self):
        roomy = {"available_memory": lambda: 80 * GIB}
        self.prepare("gpu", **roomy)
        with self.assertRaisesRegex(OutOfMemory, "needs 3 GiB and 1.5 GiB is available on the host"):
            self.prepare("gpu", {"transfer": "each"}, **roomy)
        self.prepare("cpu", {"transfer": "each"}, **roomy)

    def test_the_setting_that_limits_memory_is_named(self):
        with self.assertRaisesRegex(OutOfMemory, r"needs 1 GiB and 0.5 GiB is available \(LIMIT is 7\)$"):
            self.prepare("gpu", available_memory=lambda: GIB / 2, memory_note=" (LIMIT is 7)")


class JaxMemory(unittest.TestCase):
    def test_is_nearly_all_and_taken_when_it_is_needed(self):
        environment = {}
        self.assertEqual(share_gpu(environment), " (XLA_PYTHON_CLIENT_MEM_FRACTION is .95)")
        wanted = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false", "XLA_PYTHON_CLIENT_MEM_FRACTION": ".95"}
        self.assertEqual(environment, wanted)

    def test_what_the_user_has_set_stays(self):
        for name in ("XLA_CLIENT_MEM_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION"):
            environment = {name: ".5", "XLA_PYTHON_CLIENT_PREALLOCATE": "true"}
            self.assertEqual(share_gpu(environment), f" ({name} is .5)")
            self.assertEqual(environment, {name: ".5", "XLA_PYTHON_CLIENT_PREALLOCATE": "true"})


class Cuda:
    """Stands in for CUDA's driver, with two GPUs."""

    names = [b"NVIDIA H100 80GB HBM3", b"NVIDIA T400"]

    def cuInit(self, flags):
        return 0

    def cuDeviceGet(self, device, number):
        device._obj.value = 40 + number
        return 0 if number < len(self.names) else 101

    def cuDeviceGetName(self, name, length, device):
        name.value = self.names[device.value - 40]
        return 0

    def cuDeviceGetUuid(self, found, device):
        found[:] = range(device.value, device.value + 16)
        return 0


class GpuIdentity(unittest.TestCase):
    def test_is_what_nvidias_tools_say(self):
        found = id_of_gpu(0, "NVIDIA H100 80GB HBM3", load=lambda name: Cuda())
        self.assertEqual(found, "GPU-28292a2b-2c2d-2e2f-3031-323334353637")
        self.assertEqual(found, f"GPU-{uuid.UUID(bytes=bytes(range(40, 56)))}")
        self.assertEqual(id_of_gpu(1, "NVIDIA T400", load=lambda name: Cuda())[:8], "GPU-292a")

    def test_newer_drivers_name_the_partition(self):
        class Newer(Cuda):
            def cuDeviceGetUuid_v2(self, found, device):
                found[:] = [0xAB] * 16
                return 0

        self.assertEqual(id_of_gpu(1, "NVIDIA T400", load=lambda name: Newer())[:12], "GPU-abababab")

    def test_is_unknown_where_the_framework_counts_otherwise(self):
        self.assertEqual(id_of_gpu(0, "NVIDIA T400", load=lambda name: Cuda()), "")
        self.assertEqual(id_of_gpu(2, "NVIDIA T400", load=lambda name: Cuda()), "")
        self.assertEqual(id_of_gpu(0, "NVIDIA T400", load=lambda name: ctypes.CDLL("libnot_here.so.1")), "")


class Case:
    def __init__(self, fails_when_run=False):
        self.fails_when_run = fails_when_run

    def run_and_wait(self):
        if self.fails_when_run:
            raise RuntimeError("CUDA error: out of memory")


class Layouts(unittest.TestCase):
    """Of convolutions in JAX and TensorFlow."""

    def refuse(self):
        raise RuntimeError("no room for a second layout")

    def test_one_that_cannot_be_made_or_run_leaves_the_others(self):
        for failing in (self.refuse, lambda: Case(fails_when_run=True)):
            for makers in ({"NHWC": Case, "NCHW": failing}, {"NCHW": failing, "NHWC": Case}):
                with mock.patch("sys.stderr"):
                    case, compared = fastest_case(makers)
                self.assertIsInstance(case, Case)
                self.assertEqual(compared, "NHWC, NCHW failed")

    def test_if_none_is_left_the_first_reason_is_said(self):
        with mock.patch("sys.stderr"), self.assertRaisesRegex(RuntimeError, "no room"):
            fastest_case({"NHWC": self.refuse, "NCHW": lambda: Case(fails_when_run=True)})

    def test_memory_of_one_that_failed_is_free_while_the_others_run(self):
        alive = []

        class Failing(Case):
            def __init__(self):
                super().__init__(fails_when_run=True)
                alive.append(self)

            def __del__(self):
                freed.append(True)

        class Next(Case):
            def __init__(self):
                super().__init__()
                found.append(len(freed))

        freed, found = [], []

        def make_failing():
            made = Failing()
            alive.clear()
            return made

        with mock.patch("sys.stderr"):
            fastest_case({"NHWC": make_failing, "NCHW": Next})
        self.assertEqual(found, [1])


class EightBits(unittest.TestCase):
    def test_operands_are_held_with_k_as_the_fastest_axis(self):
        for transpose_a, transpose_b, said in (
            (False, False, ", B held transposed"),
            (False, True, ""),
            (True, False, ", A held transposed, B held transposed"),
            (True, True, ", A held transposed"),
        ):
            p = {"m": 2, "n": 3, "k": 4, "batch": 1, "transpose_a": transpose_a, "transpose_b": transpose_b}
            stored = Multiplied.operands(p, np.int8, 1)
            a, b = (x.T if turned else x for x, turned in zip(stored, (transpose_a, transpose_b)))
            (held_a, held_b), held = Multiplied.held_k_fastest(stored, p)
            np.testing.assert_array_equal(held_a, a)
            np.testing.assert_array_equal(held_b, b.T)
            self.assertTrue(held_a.flags.c_contiguous and held_b.flags.c_contiguous)
            self.assertEqual(held, said)


class NhwcModel(unittest.TestCase):
    """The model of JAX and TensorFlow."""

    def model(self):
        device = mock.Mock(has_own_memory=False)
        images = {"train": (np.zeros((8, 784), np.float32), np.zeros(8)), "test": (np.zeros((4, 784)), np.zeros(4))}
        p = {"data": "folder", "network": "mlp", "width": 0, "batch": 4, "dtype": "f32"}
        with mock.patch.object(nhwc_models, "open_data", return_value=images):
            model = nhwc_models.Model(p, 1, device)
        model.algorithm = "none"
        return model

    def test_a_steps_rows_need_no_conversion(self):
        model, taken = self.model(), []
        model.train_step = lambda rows: taken.append(rows) or 0.0
        training = Training(model, 4, 1)
        training.prepare_runs(3)
        for _ in range(3):
            training.run()
        self.assertEqual([(rows.dtype, len(rows)) for rows in taken], [(np.dtype(np.int32), 4)] * 3)
        rows = model.rows_of("test", slice(2, 6))
        self.assertEqual((rows.dtype, rows.tolist()), (np.dtype(np.int32), [2, 3, 0, 1]))

    def test_says_how_f16_differs(self):
        self.assertEqual(nhwc_models.loss_scale({"dtype": "bf16"}), (1.0, ""))
        said = ", loss times 1024, gradients not tested for infinity"
        self.assertEqual(nhwc_models.loss_scale({"dtype": "f16"}), (1024.0, said))


if __name__ == "__main__":
    unittest.main()
