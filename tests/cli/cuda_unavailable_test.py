"""Where there is no GPU to use, the CUDA backend says so, and everything else is there all the same."""

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from backend_program import BUILD


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
        if Path("/proc/driver/nvidia/version").exists():
            self.assertIn("cudaErrorNoDevice", cuda["reason"])
        else:
            self.assertEqual(cuda["reason"], "no CUDA device can be used: NVIDIA's driver is not installed")

    def test_others_are_there(self):
        self.assertTrue(self.devices()["reference"]["available"])


if __name__ == "__main__":
    if not (BUILD / "breakeven-backend-cuda").exists():
        sys.exit(77)
    unittest.main()
