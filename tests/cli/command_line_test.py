"""Tests the command line: names for configs and results, and suggestions for mistyped ones."""

import json
import os
import re
import subprocess
import unittest

from backend_program import BUILD, SOURCE, FolderTest

DRIVER = BUILD / "breakeven"
CASE = {"op": "matmul", "m": 8, "n": 8, "k": 8, "dtype": "f32"}


class CommandLine(FolderTest):
    def setUp(self):
        super().setUp()
        self.results = self.folder / "results" / os.uname().nodename

    def write(self, name, document):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document))
        return path

    def breakeven(self, *words):
        return subprocess.run([DRIVER, *words], cwd=self.folder, capture_output=True, text=True)

    def good(self, *words):
        done = self.breakeven(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refused(self, *words):
        """Returns the single sentence on standard error."""
        done = self.breakeven(*words)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def cases(self, *words):
        return [case["id"] for case in json.loads(self.good("list", *words, "--json"))]


class NamesOfConfigs(CommandLine):
    def test_every_shipped_config_is_found_from_anywhere(self):
        for name in ("quick", "quick.json"):
            self.assertEqual(self.cases(name), self.cases(SOURCE / "configs" / "quick.json"))
        self.assertNotEqual(self.cases("deepbench-gemm"), [])  # its shapes are beside it

    def test_a_path_wins_then_the_folder_here(self):
        self.write("configs/quick.json", {"workloads": [{**CASE, "m": 16}]})
        self.assertEqual(self.cases("quick"), ["matmul/m=16/n=8/k=8/f32"])
        self.write("quick", {"workloads": [CASE]})
        self.assertEqual(self.cases("quick"), ["matmul/m=8/n=8/k=8/f32"])

    def test_a_folder_of_that_name_does_not_hide_it(self):
        (self.folder / "quick").mkdir()
        self.assertEqual(self.cases("quick"), self.cases(SOURCE / "configs" / "quick.json"))

    def test_threshold_takes_a_name_too(self):
        self.write("configs/mine.json", {"workloads": [CASE]})
        self.assertIn("threshold", self.refused("threshold", "mine"))
        self.assertIn("did you mean 'break-even'?", self.refused("threshold", "break-evn"))

    def test_list_shows_them_all_with_their_questions(self):
        self.write("configs/mine.json", {"title": "Is mine fast?", "workloads": [CASE]})
        self.write("configs/odd.json", {"rows": []})  # not a config
        (self.folder / "configs" / "broken.json").write_text("{")
        lines = self.good("list").splitlines()
        self.assertTrue(any(re.fullmatch(r"  mine +Is mine fast\?", line) for line in lines), lines)
        self.assertTrue(any(re.match(r"  broken +cannot be read; 'breakeven list broken' says why", line) for line in lines))
        self.assertFalse(any(line.startswith(("  odd ", "  devices ")) for line in lines))
        listed = {one["name"]: one for one in json.loads(self.good("list", "--json"))}
        self.assertGreater(len(listed), 20)
        for path in (SOURCE / "configs").glob("*.json"):
            document = json.loads(path.read_text())
            if "workloads" in document:
                self.assertEqual(listed[path.stem]["title"], document["title"])
                self.assertEqual(listed[path.stem]["command"], "threshold" if "threshold" in document else "run")


class NamesOfResults(CommandLine):
    def measure(self, *words):
        self.write("configs/mine.json", {"workloads": [{"op": "read", "bytes": 65536}]})
        return self.breakeven("run", "mine", "--backends", "native", "--seconds", "0.01", *words)

    def test_a_name_is_that_of_this_host(self):
        self.assertIn("'breakeven run quick' makes it", self.refused("report", "quick"))
        self.assertEqual(self.measure().returncode, 0)
        self.assertTrue((self.results / "mine.json").exists())
        self.assertEqual(self.good("report", "mine", "--csv", "-"), self.good("report", self.results / "mine.json", "--csv", "-"))
        self.assertIn("did you mean 'mine.json'?", self.refused("rank", "mine", "mien.json"))
        json.loads(self.breakeven("rank", "mine", "mine.json", "--out", "-").stdout)
        self.good("compare", "mine", "mine")
        self.good("history", "add", "store", "mine", "--commit", "1234567")
        self.assertEqual(self.measure("--resume", "mine").returncode, 0)
        self.assertFalse((self.folder / "mine").exists())
        self.assertIn("did you mean 'mine'?", self.refused("report", "mien"))

    def test_a_path_is_mended_where_it_leaves_what_is_there(self):
        self.write("results/box/matmul.json", {})
        self.assertIn("did you mean 'results/box/matmul.json'?", self.refused("report", "resluts/box/matmul.json"))
        self.assertIn("did you mean 'results/box/matmul.json'?", self.refused("report", "results/box/matmull.json"))
        self.assertIn("there is no such file; check the path", self.refused("report", "else/where.json"))


class WhatWasMeant(CommandLine):
    def test_options(self):
        self.assertEqual(self.refused("--verson"), "breakeven: there is no option '--verson'; did you mean '--version'?\n")
        backend = "breakeven run: there is no option '--backend'; did you mean '--backends'?\n"
        self.assertEqual(self.refused("run", "quick", "--backend", "openblas"), backend)
        self.assertEqual(self.refused("run", "quick", "--backend=openblas"), backend)
        self.assertIn("'breakeven run --help' shows its options", self.refused("run", "quick", "--zzz"))
        self.assertIn("there is no option '--zzz'", self.refused("--zzz", "run", "quick"))

    def test_commands(self):
        self.assertIn("breakeven: there is no command 'lst'; did you mean 'list'?", self.refused("lst"))
        self.assertIn("; it has compare, completion, conformance, ", self.refused("frobnicate"))
        self.assertIn("breakeven history: there is no command 'chek'; did you mean 'check'?", self.refused("history", "chek"))
        self.assertIn("name a command: add, check, accept, list", self.refused("history"))
        self.assertIn("did you mean 'gate'?", self.refused("help", "gaet"))
        nothing = self.breakeven()
        self.assertEqual(nothing.returncode, 2)
        self.assertIn("Usage: breakeven [OPTIONS] COMMAND", nothing.stderr)

    def test_values(self):
        self.assertIn("did you mean 'openblas'?", self.refused("run", "quick", "--backends", "opnblas", "--out", "-"))
        self.write("r.json", {})
        self.assertIn("--by: there is no 'tme'; did you mean 'time'?", self.refused("rank", "r.json", "--by", "tme"))
        self.assertIn("--threads: 'two' is no whole number", self.refused("run", "quick", "--threads", "two"))
        self.write("config.json", {"measure": {"threads": 4096}, "workloads": [{"op": "matmul", "m": 8, "n": 8, "k": 8}]})
        self.assertIn("measure.threads 4096: must be from 1 to ", self.refused("run", "config.json", "--out", "-"))
        self.assertIn("--seconds needs a value", self.refused("run", "quick", "--seconds"))
        self.assertIn("--threads may be given only once", self.refused("run", "quick", "--threads", "1", "--threads", "1"))
        self.assertIn("'c' is one argument too many", self.refused("compare", "r.json", "r.json", "c"))
        self.assertIn("CONFIG is missing", self.refused("run"))

    def test_files(self):
        self.assertIn("did you mean 'quick'?", self.refused("run", "quik"))
        self.assertIn("did you mean 'quick.json'?", self.refused("run", "quik.json"))
        self.assertIn("'breakeven list' shows all configs", self.refused("run", "zzzzzz"))


class HelpAndVersion(CommandLine):
    def test_help_is_a_command(self):
        self.assertEqual(self.good("help"), self.good("--help"))
        self.assertEqual(self.good("help"), self.good("-h"))
        self.assertEqual(self.good("help", "run"), self.good("run", "--help"))
        self.assertEqual(self.good("help", "history", "check"), self.good("history", "check", "-h"))
        self.assertIn("Exit status: 0 good", self.good("help"))
        names = re.findall(r"^  ([a-z]+)", self.good("help").split("\nSubcommands:\n")[1], re.MULTILINE)
        self.assertLessEqual({"run", "list", "devices", "conformance", "report"}, set(names))
        for name in names:
            done = self.breakeven(name, "--help")
            self.assertEqual((done.returncode, done.stderr, "Usage: " in done.stdout), (0, "", True), name)
        for line in self.good("help", "run").splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_help_has_the_exit_statuses_of_its_command(self):
        def statuses(*words):
            text = " ".join(self.good("help", *words).split("Exit status: ")[1].split())
            return {int(part.split(" ", 1)[0]): part.split(" ", 1)[1] for part in text.removesuffix(".").split("; ")}

        usual = "the command or a file is at fault"
        self.assertEqual(statuses("report"), {0: "the report was written, whatever the results are", 2: usual})
        self.assertEqual(statuses("devices"), {0: "good", 2: usual})
        self.assertEqual(statuses("fleet")[1], "a node is slower, or has a wrong result")
        self.assertEqual(statuses("fleet")[3], "a node is probably slower")
        self.assertEqual(statuses("history", "check")[4], "a case failed in its newest run, or there are no times at all")
        self.assertEqual(sorted(statuses("history", "list")), [0, 2])
        self.assertEqual(sorted(statuses("gate")), [0, 1, 2, 3, 4, 130])
        self.assertEqual(sorted(statuses("compare")), [0, 1, 2, 3, 4])
        self.assertEqual(sorted(statuses("run")), [0, 1, 2, 4, 130])
        self.assertEqual(sorted(statuses()), [0, 1, 2, 3, 4, 130])

    def test_help_that_cannot_be_written_is_not_good(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([DRIVER, "--help"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output: cannot be written to", done.stderr)

    def test_errors_that_cannot_be_written_keep_their_status(self):
        with open("/dev/full", "w") as full:
            for words in (["lst"], ["run", "quik"], ["--verson"]):
                self.assertEqual(subprocess.run([DRIVER, *words], stderr=full).returncode, 2)

    def test_version_says_what_was_built(self):
        first, *rest = self.good("--version").splitlines()
        self.assertRegex(first, r"^breakeven \d+\.\d+\.\d+$")
        said = dict(line.split(": ", 1) for line in rest)
        self.assertEqual(self.good("-V"), self.good("--version"))
        for library in ("fmt", "nlohmann_json", "CLI11", "SQLite", "Boost"):
            self.assertRegex(said["libraries"], rf"\b{library} \d+\.\d+")
        self.assertRegex(said["build"], r"^\w+, \w+ \d+")
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=SOURCE, capture_output=True, text=True)
        if head.returncode == 0:
            commit = said["commit"].removesuffix("-dirty")
            self.assertRegex(commit, r"^[0-9a-f]{12,}$")
        else:
            self.assertEqual(said["commit"], "unknown: no git checkout")


if __name__ == "__main__":
    unittest.main()
