"""Tests `report --google-benchmark` with Google Benchmark's compare.py (Debian: libbenchmark-tools and
python3-scipy)."""

import json
import pathlib
import re
import subprocess
import sys
import unittest

from backend_program import FolderTest, skip, use_python_with
from report_files import hostile, measured, report, strict_json

COMPARE = pathlib.Path("/usr/share/benchmark/compare.py")


class CompareTest(FolderTest):
    def exported(self, result):
        path = self.folder / f"{result.stem}.gbench.json"
        path.write_text(report("google-benchmark", result))
        return path

    def compare(self, *arguments):
        done = subprocess.run([sys.executable, COMPARE, "--no-color", *arguments], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def change(self, output, name):
        """The relative change of the time of one benchmark; None if it is not compared."""
        found = re.search(rf"^{re.escape(name)}\s+([-+][0-9.]+)\s", output, re.MULTILINE)
        return found and float(found[1])

    def test_compares_two_runs(self):
        base, head = self.exported(measured(self.folder)), self.exported(measured(self.folder, factor=2))
        output = self.compare("benchmarks", base, head)
        for row in strict_json(base.read_text())["benchmarks"]:
            if "error_occurred" not in row:
                self.assertAlmostEqual(self.change(output, row["name"]), 1, delta=0.1)

    def test_compares_two_backends_of_one_run(self):
        output = self.compare("filters", self.exported(measured(self.folder)), "/a$", "/b$")
        self.assertAlmostEqual(self.change(output, "matmul/m=8/n=8/k=8/f32[/a$ vs. /b$]"), 0, delta=0.1)

    def test_what_failed_is_not_faster(self):
        base = self.exported(measured(self.folder))
        rows = strict_json(base.read_text())
        good = next(row["name"] for row in rows["benchmarks"] if "error_occurred" not in row)
        failed = json.loads(self.folder.joinpath("result-1.json").read_text())
        for case in failed["cases"]:
            if f"{case['id']}/{case['backend']}" == good:
                case.update(status="failed", reason="it fell over", seconds=None, gflops=None, gbps=None)
        head = self.folder / "failed.json"
        head.write_text(json.dumps(failed))
        head = self.exported(head)
        self.assertIn("it fell over", head.read_text())
        for old, new in ((base, head), (head, base)):
            self.assertIsNone(self.change(self.compare("benchmarks", old, new), good))

    def test_takes_hostile_names(self):
        path = self.exported(hostile(self.folder))
        names = [row["name"] for row in strict_json(path.read_text())["benchmarks"]]
        self.assertEqual(len(set(names)), len(names))
        output = self.compare("benchmarks", path, path)
        for name in names:
            self.assertIn(name, output)


if __name__ == "__main__":
    if not COMPARE.exists():
        skip(f"no {COMPARE}; on Debian: apt-get install libbenchmark-tools")
    use_python_with("scipy", remedy="on Debian and Ubuntu: apt-get install python3-scipy")
    unittest.main()
