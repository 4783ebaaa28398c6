"""Tests that Python backends look for the default data set in BREAKEVEN_FASHION_MNIST, and for others where the case
says."""

import os
import subprocess
import sys
import unittest

from backend_program import FASHION_MNIST, SOURCE, python_with_numpy

PYTHON = python_with_numpy()
READ = "import sys; from breakeven_worker.dataset import read_images; read_images(sys.argv[1], 'test')"


class PythonDatasetTest(unittest.TestCase):
    def missing(self, folder):
        """The place where it looked for the folder's files, none of which exist."""
        environment = {**os.environ, "BREAKEVEN_FASHION_MNIST": "/not/here", "PYTHONPATH": str(SOURCE / "src/worker/python")}
        return subprocess.run([PYTHON, "-c", READ, folder], env=environment, capture_output=True, text=True).stderr

    def test_the_default_one_is_where_the_environment_says(self):
        self.assertIn("/not/here/t10k-images-idx3-ubyte: there is no such file", self.missing(FASHION_MNIST))

    def test_another_one_is_where_the_case_says(self):
        self.assertIn("/nor/here/t10k-images-idx3-ubyte: there is no such file", self.missing("/nor/here"))


if __name__ == "__main__":
    sys.exit(77) if PYTHON is None else unittest.main()
