"""Tests the libraries that the CUDA backend needs to start: neither cuDNN, which it opens for a convolution, nor the
driver's library, which CUDA's runtime opens, and whose absence is reported."""

import re
import shutil
import subprocess
import sys
import unittest

from backend_program import BUILD

PROGRAM = BUILD / "breakeven-backend-cuda"
READELF = shutil.which("readelf")


class CudaLibrariesTest(unittest.TestCase):
    def test_neither_cudnn_nor_the_driver_is_needed(self):
        listed = subprocess.check_output([READELF, "--dynamic", "--wide", PROGRAM], text=True)
        needed = re.findall(r"\(NEEDED\).*\[(\S+)\]", listed)
        self.assertTrue([name for name in needed if name.startswith("libcublasLt.so")], needed)
        self.assertEqual([name for name in needed if re.match(r"libcu(dnn|da)", name)], [])


if __name__ == "__main__":
    if READELF is None or not PROGRAM.exists():
        sys.exit(77)
    unittest.main()
