"""Tests that without a usable GPU the CUDA backend reports the reason, and everything else works."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from backend_program import BUILD
from breakeven_worker.requirements import has_nvidia_driver

PROGRAM = BUILD / "breakeven-backend-cuda"
READELF = shutil.which("readelf")
FAKE_DRIVER = BUILD / "tests/fake_cuda_driver/libcuda.so.1"


class CudaUnavailableTest(unittest.TestCase):
    def devices(self):
        """The backends by name, with every GPU hidden from them."""
        shown = subprocess.check_output(
            [BUILD / "breakeven", "devices", "--json"], env={**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        )
        return {backend["name"]: backend for backend in json.loads(shown)["backends"]}

    def test_the_reason_is_the_drivers(self):
        cuda = self.devices()["cuda"]
        self.assertFalse(cuda["available"])
        if has_nvidia_driver():
            self.assertIn("cudaErrorNoDevice", cuda["reason"])
        else:
            self.assertEqual(cuda["reason"], "no CUDA device can be used: NVIDIA's driver is not installed")

    def test_others_are_there(self):
        self.assertTrue(self.devices()["reference"]["available"])


class FakeDriverTest(unittest.TestCase):
    """Tests with an unusable driver (tests/fake_cuda_driver), whatever this machine has."""

    def breakeven(self, *arguments, version=99000, init=0):
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(FAKE_DRIVER.parent),
            "BREAKEVEN_FAKE_CUDA_VERSION": str(version),
            "BREAKEVEN_FAKE_CUDA_INIT": str(init),
        }
        return subprocess.run([BUILD / "breakeven", *arguments], env=environment, capture_output=True, text=True)

    def reason(self, **driver):
        backends = json.loads(self.breakeven("devices", "--json", **driver).stdout)["backends"]
        available = {backend["name"]: backend["available"] for backend in backends}
        self.assertTrue(available["reference"])
        self.assertFalse(available["cuda"])
        return next(backend["reason"] for backend in backends if backend["name"] == "cuda")

    def test_a_driver_older_than_the_runtime_is_named_with_it(self):
        self.assertRegex(
            self.reason(version=11040),
            r"^no CUDA device can be used: the driver serves CUDA 11\.4, this program is of 1[2-9]\.\d$",
        )

    def test_a_driver_without_devices(self):
        self.assertEqual(
            self.reason(init=100),
            "no CUDA device can be used: no CUDA-capable device is detected (cudaErrorNoDevice)",
        )

    def test_a_driver_that_does_not_fit_the_kernels_module(self):
        self.assertEqual(
            self.reason(init=803),
            "no CUDA device can be used: "
            "system has unsupported display driver / cuda driver combination (cudaErrorSystemDriverMismatch)",
        )

    def test_a_driver_that_fails_for_no_known_reason(self):
        self.assertEqual(
            self.reason(init=999), "no CUDA device can be used: unknown error (cudaErrorUnknown)"
        )

    def test_a_config_that_names_cuda_runs_on_what_there_is(self):
        with tempfile.TemporaryDirectory() as folder:
            config, out = Path(folder, "config.json"), Path(folder, "out.json")
            product = {"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32"}
            measure = {"max_seconds": 0.1}
            config.write_text(
                json.dumps({"backends": ["reference", "cuda"], "measure": measure, "workloads": [product]})
            )
            ran = self.breakeven("run", config, "--out", out, init=803)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            result = json.loads(out.read_text())
            self.assertEqual([case["status"] for case in result["cases"]], ["ok"])
            cuda = next(backend for backend in result["backends"] if backend["name"] == "cuda")
            self.assertIn("cudaErrorSystemDriverMismatch", cuda["reason"])

            asked = self.breakeven("run", config, "--backends", "cuda", "--out", out, init=803)
            self.assertEqual(asked.returncode, 4, asked.stderr)
            self.assertIn("cudaErrorSystemDriverMismatch", asked.stderr)


@unittest.skipIf(READELF is None, "no readelf")
class LibrariesTest(unittest.TestCase):
    """Neither cuDNN, which is opened for a convolution, nor the driver's library, which CUDA's runtime opens and whose
    absence is reported, is needed to start."""

    def test_neither_cudnn_nor_the_driver_is_needed(self):
        listed = subprocess.check_output([READELF, "--dynamic", "--wide", PROGRAM], text=True)
        needed = re.findall(r"\(NEEDED\).*\[(\S+)\]", listed)
        self.assertTrue([name for name in needed if name.startswith("libcublasLt.so")], needed)
        self.assertEqual([name for name in needed if re.match(r"libcu(dnn|da)", name)], [])


if __name__ == "__main__":
    if not PROGRAM.exists():
        sys.exit(77)
    unittest.main()
