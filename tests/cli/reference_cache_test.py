"""Tests that runs keep reference results and use them again, and that nothing but whole files of the same case is
believed. What the cache does by itself is tested in tests/unit/backends/reference."""

import json
import os
import subprocess
import unittest

from backend_program import BUILD, FolderTest

SIZES = [4096, 8192]


def fnv1a(data):
    state = 0xCBF29CE484222325
    for byte in data:
        state = (state ^ byte) * 0x100000001B3 % 2**64
    return f"{state:016x}"


class ReferenceCacheTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.kept = self.folder / "breakeven" / "reference"
        self.config = self.folder / "config.json"
        workload = {"op": "triad", "bytes": SIZES, "dtype": "f32"}
        measure = {"max_seconds": 0.02, "own_speed": "ignored"}
        self.config.write_text(json.dumps({"backends": ["native"], "measure": measure, "workloads": [workload]}))

    def breakeven(self, *arguments, cache=None):
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder)}
        for name in ("BREAKEVEN_BACKENDS", "BREAKEVEN_REFERENCE_CACHE"):
            environment.pop(name, None)
        if cache is not None:
            environment["BREAKEVEN_REFERENCE_CACHE"] = cache
        return subprocess.run([BUILD / "breakeven", *arguments], capture_output=True, text=True, env=environment)

    def statuses(self, **options):
        out = self.folder / "out.json"
        done = self.breakeven("run", self.config, "--out", out, "--quiet", **options)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return [case["status"] for case in json.loads(out.read_text())["cases"]]

    def files(self):
        """The files of the two cases, in the order of SIZES."""
        found = {json.loads(file.read_text().splitlines()[1].split("  ")[1])["parameters"]["bytes"]: file for file in self.kept.iterdir()}
        self.assertEqual(sorted(found), SIZES)
        return [found[size] for size in SIZES]

    def plant_wrong_value(self, file):
        """Changes a value so that only the computation could tell, to see whether the file is read."""
        _, key, answer = file.read_text().splitlines()
        answer = json.loads(answer)
        answer["elements"][0] += 100
        content = f"{key}\n{json.dumps(answer)}\n"
        file.write_text(f"breakeven.reference-result/1 {fnv1a(content.encode())}\n{content}")

    def test_a_run_uses_the_results_of_an_earlier_one(self):
        self.assertEqual(self.statuses(), ["ok", "ok"])
        before = [file.read_text() for file in self.files()]
        self.assertEqual(self.statuses(), ["ok", "ok"])
        self.assertEqual([file.read_text() for file in self.files()], before)
        self.plant_wrong_value(self.files()[1])
        self.assertEqual(self.statuses(), ["ok", "wrong"])
        self.assertEqual(self.statuses(cache="0"), ["ok", "ok"])

    def test_damaged_and_exchanged_files_change_no_verdict(self):
        self.assertEqual(self.statuses(), ["ok", "ok"])
        first, second = self.files()
        whole = [first.read_text(), second.read_text()]
        for damaged in ([whole[1], whole[0]], [whole[0][:-20], whole[1].replace(".", ".1", 3)], ["", "{}"]):
            first.write_text(damaged[0])
            second.write_text(damaged[1])
            self.assertEqual(self.statuses(), ["ok", "ok"])
            self.assertEqual([first.read_text(), second.read_text()], whole)

    def test_conformance_never_uses_it(self):
        for cache in (None, "1"):
            done = self.breakeven("conformance", "native", "--filter", "triad.*f32", cache=cache)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertFalse(self.kept.exists())

    def test_it_can_be_turned_off(self):
        self.assertEqual(self.statuses(cache="0"), ["ok", "ok"])
        self.assertFalse(self.kept.exists())

    def test_without_a_folder_for_it_results_are_computed(self):
        (self.folder / "breakeven").write_text("a file where the folder should be")
        self.assertEqual(self.statuses(), ["ok", "ok"])


if __name__ == "__main__":
    unittest.main()
