"""Tests that anything that a GPU or a build lacks costs only the cases that need it, with one clear line each: the CUDA
backend on an emulated device. Drivers that are too old are in cuda_unavailable_test.py, lost contexts in
device_faults_test.cpp."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

from backend_program import BUILD, FASHION_MNIST, skip

EMULATED = BUILD / "tests/emulated_cuda"


def product(size):
    return {"op": "matmul", "m": size, "n": size, "k": size, "dtype": "f32"}


def network(name):
    return {"op": "infer", "network": name, "batch": 2, "data": FASHION_MNIST, "dtype": "f32"}


class EmulatedFaultsTest(unittest.TestCase):
    def rows(self, workloads, folder=EMULATED, backends=("cuda", "reference"), **environment):
        """Returns the results of these workloads on `backends`, by backend and in their order; and the whole result."""
        with tempfile.TemporaryDirectory() as temporary:
            programs = pathlib.Path(temporary, "backends")
            programs.mkdir()
            (programs / "breakeven-backend-cuda").symlink_to(folder / "breakeven-backend-cuda")
            config, out = pathlib.Path(temporary, "config.json"), pathlib.Path(temporary, "out.json")
            measure = {"max_seconds": 0.01, "energy_seconds": 0}
            config.write_text(json.dumps({"backends": backends, "measure": measure, "workloads": workloads}))
            done = subprocess.run(
                [BUILD / "breakeven", "run", config, "--out", out],
                env={**os.environ, "BREAKEVEN_BACKENDS": str(programs), **environment}, capture_output=True, text=True,
            )  # fmt: skip
            self.assertTrue(out.exists(), done.stderr)
            result = json.loads(out.read_text())
        rows = {backend: [] for backend in backends}
        for case in result["cases"]:
            rows[case["backend"]].append((case["status"], case["reason"]))
        return rows, result

    def test_a_card_older_than_all_that_was_compiled_for(self):
        rows, result = self.rows([product(16)], EMULATED_CUDA_MAJOR="6")
        cuda = next(backend for backend in result["backends"] if backend["name"] == "cuda")
        self.assertEqual(
            cuda["reason"],
            "no CUDA device can be used: emulated Hopper has compute capability 6.0, and this program is compiled for 7.5 and newer",
        )
        self.assertEqual(rows, {"cuda": [], "reference": [("ok", "")]})

    def test_a_card_that_nothing_was_compiled_for(self):
        triad = {"op": "triad", "bytes": 4096, "dtype": "f32"}
        rows, _ = self.rows([triad, product(16)], EMULATED_CUDA_MAJOR="10")
        (status, reason), of_product = rows["cuda"]
        self.assertEqual(status, "unsupported")
        self.assertTrue(reason.endswith("; build breakeven with -DCMAKE_CUDA_ARCHITECTURES=100"), reason)
        self.assertNotIn("\n", reason)
        self.assertEqual(of_product, ("ok", ""))

    def test_a_driver_that_cannot_compile_for_the_card(self):
        """Invalid PTX, no compiler, PTX of a newer toolkit, and a compiler that is switched off."""
        triad = {"op": "triad", "bytes": 4096, "dtype": "f32"}
        for error in ("218", "221", "222", "223"):
            rows, _ = self.rows([triad], backends=["cuda"], EMULATED_CUDA_MAJOR="10", EMULATED_CUDA_NO_CODE=error)
            ((status, reason),) = rows["cuda"]
            self.assertEqual(status, "unsupported", reason)
            self.assertIn(f"cudaError {error}", reason)
            self.assertTrue(reason.endswith("; build breakeven with -DCMAKE_CUDA_ARCHITECTURES=100"), reason)

    def test_a_card_that_another_process_has_to_itself(self):
        rows, _ = self.rows([product(16), product(32)], backends=["cuda"], EMULATED_CUDA_TAKEN="1")
        for status, reason in rows["cuda"]:
            self.assertEqual(status, "failed")
            self.assertIn("nvidia-smi -c 0", reason)
            self.assertNotIn("context is lost", reason)

    def test_what_fits_leaves_out_the_hosts_memory(self):
        fits = {"op": "fits", "of": "matmul", "dtype": "f32"}
        largest = []
        for spills in ("0", "1"):
            _, result = self.rows([fits], backends=["cuda"], EMULATED_CUDA_MEMORY=str(96 << 20), EMULATED_CUDA_SPILLS=spills)
            largest.append(result["cases"][0]["fit"]["largest"])
        self.assertGreater(largest[0], 0)
        self.assertEqual(largest[1], largest[0])

    def test_a_card_that_is_full(self):
        rows, _ = self.rows([product(64), product(3072), product(32)], backends=["cuda"], EMULATED_CUDA_MEMORY=str(48 << 20))
        statuses = [status for status, _ in rows["cuda"]]
        self.assertEqual(statuses, ["ok", "out_of_memory", "ok"], rows["cuda"])
        self.assertRegex(rows["cuda"][1][1], r"^needs 0\.1\d+ GiB and 0\.0\d+ GiB is available$")

    def test_a_build_without_cudnns_front_end(self):
        convolution = {"op": "conv2d", "n": 1, "c": 4, "h": 8, "w": 8, "k": 4, "r": 3, "s": 3, "dtype": "f32"}
        fits = {"op": "fits", "of": "infer", "network": "cnn", "dtype": "f32"}
        rows, result = self.rows([product(16), convolution, network("cnn"), network("mlp"), fits], EMULATED / "without_cudnn")
        statuses = [status for status, _ in rows["cuda"]]
        self.assertEqual(statuses, ["ok", "unsupported", "unsupported", "ok", "unsupported"], rows["cuda"])
        self.assertEqual(rows["cuda"][1][1], "cuda has no conv2d")
        self.assertIn("without cudnn's front end", rows["cuda"][2][1].lower())
        self.assertIn("scripts/setup-cuda", rows["cuda"][2][1])
        self.assertTrue([w for w in result["warnings"] if w.startswith("cuda: convolutions are left out")], result["warnings"])


if __name__ == "__main__":
    if not (EMULATED / "breakeven-backend-cuda").exists() or not os.path.exists(FASHION_MNIST):
        skip("the emulated device was not built, or there is no dataset-fashion-mnist")
    unittest.main()
