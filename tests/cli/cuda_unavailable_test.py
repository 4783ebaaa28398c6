"""Tests that without a usable GPU the CUDA backend reports the reason, and everything else works."""

import json
import os
import re
import shutil
import subprocess
import unittest

from backend_program import BUILD, FolderTest, skip
from breakeven_worker.requirements import has_nvidia_driver

PROGRAM = BUILD / "breakeven-backend-cuda"
READELF = shutil.which("readelf")
FAKE_DRIVER = BUILD / "tests/fake_cuda_driver/libcuda.so.1"


class CudaUnavailableTest(unittest.TestCase):
    def test_the_reason_is_the_drivers_and_others_are_there(self):
        hidden = {**os.environ, "CUDA_VISIBLE_DEVICES": ""}
        shown = subprocess.check_output([BUILD / "breakeven", "devices", "--json"], env=hidden)
        devices = {backend["name"]: backend for backend in json.loads(shown)["backends"]}
        self.assertTrue(devices["reference"]["available"])
        cuda = devices["cuda"]
        self.assertFalse(cuda["available"])
        if has_nvidia_driver():
            self.assertIn("cudaErrorNoDevice", cuda["reason"])
        else:
            self.assertEqual(cuda["reason"], "no CUDA device can be used: NVIDIA's driver is not installed")


class FakeDriverTest(FolderTest):
    """Tests with an unusable driver (tests/fake_cuda_driver), whatever this machine has. A config names CUDA."""

    def run_product(self, *options, version=99000, init=0):
        config = self.folder / "config.json"
        product = {"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32"}
        settings = {"backends": ["reference", "cuda"], "measure": {"max_seconds": 0.1}, "workloads": [product]}
        config.write_text(json.dumps(settings))
        environment = {
            **os.environ,
            "LD_LIBRARY_PATH": str(FAKE_DRIVER.parent),
            "BREAKEVEN_FAKE_CUDA_VERSION": str(version),
            "BREAKEVEN_FAKE_CUDA_INIT": str(init),
        }
        command = [BUILD / "breakeven", "run", config, "--out", "-", *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True)

    def reason(self, **driver):
        """Why CUDA is not available. The reference backend is, and has measured the product."""
        ran = self.run_product(**driver)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        result = json.loads(ran.stdout)
        self.assertEqual([case["status"] for case in result["cases"]], ["ok"])
        (cuda,) = (backend for backend in result["backends"] if backend["name"] == "cuda")
        self.assertFalse(cuda["available"])
        return cuda["reason"]

    def test_a_driver_older_than_the_runtime_is_named_with_it(self):
        self.assertRegex(
            self.reason(version=11040),
            r"^no CUDA device can be used: the driver serves CUDA 11\.4, this program is of 1[2-9]\.\d: "
            r"install driver (525|580) or later$",
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

    def test_cuda_alone_is_a_failure(self):
        asked = self.run_product("--backends", "cuda", init=803)
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
        skip("the CUDA backend was not built")
    unittest.main()
