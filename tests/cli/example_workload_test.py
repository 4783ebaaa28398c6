"""Tests that docs/example-workload/ is a working workload, and that docs/adding-a-workload.md describes how to use
it."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

from backend_program import BUILD, SOURCE

PROGRAMS = BUILD / "tests" / "example_workload"
EXAMPLE = SOURCE / "docs" / "example-workload"


class ExampleWorkloadTest(unittest.TestCase):
    def breakeven(self, *arguments, driver=PROGRAMS / "breakeven"):
        environment = {key: value for key, value in os.environ.items() if key != "BREAKEVEN_BACKENDS"}
        return subprocess.run([driver, *arguments], capture_output=True, text=True, env=environment)

    def test_the_page_copies_the_files_that_are_tested(self):
        page = (SOURCE / "docs" / "adding-a-workload.md").read_text()
        for source in ("workload.cpp", "operation.cpp"):
            target = re.search(rf"cp docs/example-workload/{source} (\S+)", page)[1]
            self.assertEqual((EXAMPLE / source).read_text().split(":")[0], f"// {target}")

    def test_it_is_in_the_schema_and_in_the_list(self):
        listed = self.breakeven("list", EXAMPLE / "softmax.json", "--json")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        self.assertEqual(json.loads(listed.stdout)[0]["id"], "softmax/rows=1024/columns=16/f32")
        self.assertIn('"softmax"', self.breakeven("list", "--schema").stdout)

    def test_the_backend_conforms(self):
        """There are three more examples, in two dtypes, than without it."""
        passed = []
        for driver in (PROGRAMS / "breakeven", BUILD / "breakeven"):
            done = self.breakeven("conformance", "native", driver=driver)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            passed.append(int(re.search(r"(\d+) passed, 0 failed", done.stdout)[1]))
        self.assertEqual(passed[0], passed[1] + 3 * 2)

    def test_it_is_measured_and_verified(self):
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "out.json")
            done = self.breakeven("run", EXAMPLE / "softmax.json", "--seconds", "0.05", "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            cases = json.loads(out.read_text())["cases"]
        self.assertEqual([case["status"] for case in cases], ["ok"] * 5)
        for case in cases:
            self.assertGreater(case["verify"]["error"], 0)
            self.assertLess(case["verify"]["error"], case["verify"]["tolerance"])

    def test_a_value_out_of_range_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            config = pathlib.Path(folder, "config.json")
            config.write_text((EXAMPLE / "softmax.json").read_text().replace('"rows": 1024', '"rows": 0'))
            done = self.breakeven("list", config)
        self.assertEqual(done.returncode, 2)
        self.assertIn("/workloads/0/rows", done.stderr)


if __name__ == "__main__":
    unittest.main()
