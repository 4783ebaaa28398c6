"""Backends that report other times than have passed, on good clocks and on bad ones."""

import json
import os
import re
import subprocess
import unittest

from backend_program import BUILD, SOURCE, FolderTest
from lying_backends import Trial, add_program, lying_backend

CLOCK = BUILD / "tests" / "planted_faults" / "planted-clock.so"


class LyingBackendsTest(FolderTest):
    """bench/lying_backends.py has the whole table."""

    def expect_failure(self, outcome):
        result, status, reason = outcome
        self.assertIn(result, ("failed", "incomparable"))
        self.assertEqual(status, 4)
        self.assertIn("times in a row", reason)

    def test_a_factor_of_three_is_found_from_whichever_sample_on(self):
        for first in (1, 5):
            for call in (1e-5, 1e-2):
                with self.subTest(first=first, call=call):
                    self.expect_failure(Trial(BUILD, self.folder, seconds=0.3).run(3.0, first, call))

    def test_no_factor_is_too_large(self):
        for factor in (1e3, 1e12, 1e300):
            with self.subTest(factor=factor):
                self.expect_failure(Trial(BUILD, self.folder, seconds=0.3).run(factor, 5, 1e-3))

    def test_calls_that_last_as_long_as_the_driver_looks(self):
        self.expect_failure(Trial(BUILD, self.folder, seconds=0.3).run(3.0, 1, 1.0))

    def test_no_gate_passes(self):
        for factor in (3.0, 1e9):
            with self.subTest(factor=factor):
                self.expect_failure(Trial(BUILD, self.folder, seconds=0.3).gate(factor, 5, 1e-3))

    def test_an_honest_one_is_believed(self):
        for device in ("cpu", "gpu"):
            for call in (1e-5, 1e-2):
                with self.subTest(device=device, call=call):
                    self.assertEqual(Trial(BUILD, self.folder, seconds=0.3).run(1.0, 1, call, device), ("ok", 0, ""))

    def test_further_runs_for_the_device_s_clock_hide_nothing(self):
        """A neighbour that slows one sample as much hides it, and does not in one run after another."""
        for call in (1e-3, 0.3):
            with self.subTest(call=call):
                for _ in range(4):
                    result, _, reason = Trial(BUILD, self.folder, seconds=0.3).run(3.0, 1, call, "gpu")
                    if result == "failed":
                        break
                self.assertEqual(result, "failed")
                self.assertRegex(reason, "reported at most .* with device_seconds, and without it took .*")

    def test_a_device_s_clock_excuses_no_other_lie(self):
        """What it reports without further runs is too short as well, by a factor that alone is believed."""
        answer = '{"iterations": count, "seconds": seconds, "device_seconds": seconds} if request.get("device_seconds", True) else {"iterations": count, "seconds": truth / 1.8}'
        for _ in range(4):  # as above
            result, _, reason = Trial(BUILD, self.folder, seconds=0.3).run(3.2, 1, 1e-3, "gpu", answer)
            if result == "failed":
                break
        self.assertEqual(result, "failed", reason)

    def test_latencies_that_were_not_requested_excuse_nothing(self):
        answer = '{"iterations": count, "seconds": seconds, "latencies": [seconds] * count}'
        self.expect_failure(Trial(BUILD, self.folder, seconds=0.3).run(10.0, 1, 1e-5, answer=answer))

    def test_a_pretended_clock_excuses_nothing(self):
        answer = '{"iterations": count, "seconds": seconds if Example.samples > 9 else [50, 100, 150][Example.samples % 3] / count}'
        self.expect_failure(Trial(BUILD, self.folder, seconds=0.3).run(100.0, 10, 1e-3, answer=answer))

    def test_what_contradicts_a_time_is_left_out(self):
        answer = '{"iterations": count, "seconds": seconds, "cpu_seconds": 1e6, "communication_seconds": 0.5, "joules": 1e-300}'
        self.assertEqual(Trial(BUILD, self.folder, seconds=0.3).run(1.0, 1, 1e-3, answer=answer), ("ok", 0, ""))
        case = json.loads((self.folder / "r.json").read_text())["cases"][0]
        self.assertEqual([case.get(name) for name in ("cpu_seconds", "communication_seconds", "joules")], [None] * 3)
        self.assertRegex("; ".join(case["warnings"]), "cpu_seconds of 1e\\+06 is left out: an iteration takes 0.00.* s")


# A backend program between the driver and another one, which changes its answers.
PROXY = """#!/usr/bin/env python3
import json, subprocess, sys
inner = subprocess.Popen([{program!r}, *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
for line in sys.stdin:
    print(line, end="", file=inner.stdin, flush=True)
    answer, request = json.loads(inner.stdout.readline()), json.loads(line)
    if request["request"] == {request!r}:
        {change}
    print(json.dumps(answer), flush=True)
sys.exit(inner.wait())
"""


class ChangedAnswersTest(FolderTest):
    """Times besides those of samples."""

    def case_with(self, workload, request, change):
        add_program(self.folder / "programs", "openblas", PROXY.format(program=str(BUILD / "breakeven-backend-openblas"), request=request, change=change))
        (self.folder / "c.json").write_text(json.dumps({"measure": {"max_seconds": 0.3}, "workloads": [workload]}))
        subprocess.run(
            [BUILD / "breakeven", "run", "c.json", "--backends", "openblas", "--quiet", "--out", "r.json"],
            cwd=self.folder,
            env=dict(os.environ, BREAKEVEN_BACKENDS=str(self.folder / "programs")),
            capture_output=True,
        )
        return json.loads((self.folder / "r.json").read_text())["cases"][0]

    def test_iterations_one_by_one_take_as_long_as_together(self):
        inference = {"op": "infer", "network": "mlp", "batch": 1}
        for change, said in (
            ("answer['latencies'] = [l / 100 for l in answer['latencies']]", "for its iterations one by one"),
            ("answer['latencies'] = [l * 100 for l in answer['latencies']]", "for its iterations one by one"),
            ("answer['latencies'].pop()", "latencies for"),
        ):
            with self.subTest(change=change):
                case = self.case_with(inference, "sample", change)
                self.assertEqual(case["status"], "failed")
                self.assertIn(said, case["reason"])
        self.assertEqual(self.case_with(inference, "sample", "pass")["status"], "ok")

    def test_epochs_take_as_long_as_they_take(self):
        training = {"op": "train", "network": "mlp", "batch": 512, "epochs": 2}
        case = self.case_with(training, "epoch", "answer['seconds'] /= 100")
        self.assertEqual(case["status"], "failed")
        self.assertRegex(case["reason"], "reported .* s for an epoch and its evaluation that took .* s, 2 times in a row")
        self.assertEqual(self.case_with(training, "epoch", "pass")["status"], "ok")


class BadClockTest(FolderTest):
    def case_with(self, clock, whole_run=True):
        """The case of an honest backend with this setting of the planted clock, for the driver, too, or not."""
        add_program(self.folder / "programs", "liar", lying_backend("liar", 1.0, 1, 2e-4))
        (self.folder / "c.json").write_text(
            json.dumps({"measure": {"max_seconds": 0.3}, "workloads": [{"op": "matmul", "m": 4, "n": 4, "k": 4, "dtype": "f64"}]})
        )
        planted = {"LD_PRELOAD": str(CLOCK), "BREAKEVEN_CLOCK": clock}
        if not whole_run:
            inner = self.folder / "programs" / "breakeven-backend-liar"
            inner.rename(self.folder / "liar")
            settings = " ".join(f"{name}={value}" for name, value in planted.items())
            add_program(self.folder / "programs", "liar", f"#!/bin/sh\nexec env {settings} {self.folder / 'liar'}\n")
            planted = {}
        done = subprocess.run(
            [BUILD / "breakeven", "run", "c.json", "--backends", "liar", "--threads", "1", "--quiet", "--out", "r.json"],
            cwd=self.folder,
            env=dict(os.environ, BREAKEVEN_BACKENDS=str(self.folder / "programs"), **planted),
            capture_output=True,
            text=True,
        )
        case = json.loads((self.folder / "r.json").read_text())["cases"][0]
        self.assertEqual((done.returncode, case["status"]), (0, "ok"), (done.stderr, case["reason"]))
        return case

    def test_a_clock_that_steps_lengthens_samples(self):
        """On a slow machine so many samples end before they should that they are all taken again before the step is known."""
        for step in (1, 10):
            for whole_run in (True, False):
                with self.subTest(step=step, whole_run=whole_run):
                    case = self.case_with(f"step={1000 * step}", whole_run)
                    self.assertGreater(case["seconds"]["median"], 1e-4)
                    warnings = "; ".join(case["warnings"])
                    self.assertRegex(warnings, r"the clock (steps by \d+ ms|jumped in)")
                    if steps := re.search(r"the clock steps by (\d+) ms", warnings):
                        self.assertEqual(int(steps[1]) % step, 0, warnings)

    def test_a_reading_that_is_too_early_costs_a_sample(self):
        for whole_run in (True, False):
            with self.subTest(whole_run=whole_run):
                self.assertGreater(self.case_with("back=200", whole_run)["seconds"]["median"], 1e-4)


# What a later process of a program says otherwise, and how the driver tells.
OTHER_ANSWERS = {
    "name": ("other", "'name' is 'other'"),
    "version": ("2", "version 1 -> 2"),
    "role": ("arbiter", "role contender -> arbiter"),
    "device": ("gpu", "device cpu -> gpu"),
    "device_name": ("another", "device_name none -> another"),
    "device_id": ("GPU-1", "device_id none -> GPU-1"),
    "libraries": ({"openblas": "0.3.5"}, "openblas 0.3.21 -> 0.3.5"),
    "library_files": ({"openblas": "/opt/openblas.so"}, "file of openblas none -> /opt/openblas.so"),
    "kernels": ({"libraries": {"openblas": "0.3.21", "kernels": "Haswell"}}, "kernels none -> Haswell"),
    "simulated clock": ({"libraries": {"openblas": "0.3.21", "simulated clock": "yes"}}, "simulated clock"),
    "supports": ({"matmul": ["f64"]}, "matmul in f32, f64 -> in f64"),
    "file": (None, "was replaced"),
}


class AnotherProgramTest(FolderTest):
    """A program that answers in a later process as another one."""

    def add(self, folder, name, change, changes_at, crashes_at):
        """Adds a program that answers otherwise from its process number `changes_at` on, where 1 is the first that the driver starts. Its
        process number `crashes_at` crashes in its third sample."""
        source = (SOURCE / "docs" / "example-backend.py").read_text()
        value, _ = OTHER_ANSWERS[change]
        changed = value if isinstance(value, dict) and "libraries" in value else {change: value}
        hello = f"""
        count = os.path.getsize({str(self.folder / "count")!r})
        open({str(self.folder / "count")!r}, "a").write("x")
        Example.crashes = count + 1 == {crashes_at}
        answer = {{"protocol": 1, "name": {name!r}, "version": "1", "libraries": {{"openblas": "0.3.21"}},
                   "supports": {{"matmul": ["f32", "f64"]}}}}
        if count + 1 >= {changes_at}:
            {'open(sys.argv[0], "a").write("# changed")' if change == "file" else f"answer.update({changed!r})"}
        return answer
"""
        lines = source.splitlines(keepends=True)
        begin = next(i for i, line in enumerate(lines) if '"name": "example"' in line)
        lines[begin] = hello
        text = "".join(lines).replace(
            "        count, start = request",
            "        self.samples = getattr(self, 'samples', 0) + 1\n        if Example.crashes and self.samples == 3: os._exit(1)\n        count, start = request",
        )
        add_program(folder, name, text)
        (self.folder / "count").write_text("")

    def breakeven(self, *arguments):
        environment = dict(os.environ, BREAKEVEN_BACKENDS=str(self.folder / "programs"))
        return subprocess.run([BUILD / "breakeven", *arguments, "--threads", "1", "--quiet"], cwd=self.folder, env=environment, capture_output=True, text=True)

    def run_cases(self, launches, sizes):
        workload = {"op": "matmul", "m": sizes, "n": 4, "k": 4, "dtype": "f64"}
        (self.folder / "c.json").write_text(json.dumps({"measure": {"max_seconds": 0.1, "launches": launches}, "workloads": [workload]}))
        self.breakeven("run", "c.json", "--backends", "mine", "--out", "r.json")
        return json.loads((self.folder / "r.json").read_text())["cases"]

    def test_it_fails_the_case_at_whatever_moment(self):
        # The process that is asked who it is goes on to measure.
        moments = {"a later launch": (3, 0, 3, [4]), "after a crash": (2, 1, 1, [3, 4])}
        for change, (_, said) in OTHER_ANSWERS.items():
            for moment, (changes_at, crashes_at, launches, sizes) in moments.items():
                if moment != "a later launch" and change not in ("version", "libraries", "file"):
                    continue  # identity_test.cpp has them all
                with self.subTest(change=change, moment=moment):
                    self.add(self.folder / "programs", "mine", change, changes_at, crashes_at)
                    case = self.run_cases(launches, sizes)[-1]
                    self.assertEqual(case["status"], "failed")
                    self.assertIn(said, case["reason"])

    def test_it_passes_no_gate(self):
        (self.folder / "c.json").write_text(
            json.dumps({"measure": {"max_seconds": 0.1, "own_speed": "ignored"}, "workloads": [{"op": "matmul", "m": 4, "n": 4, "k": 4, "dtype": "f64"}]})
        )
        for change in ("libraries", "device_name"):
            with self.subTest(change=change):
                add_program(self.folder / "base", "mine", (SOURCE / "docs" / "example-backend.py").read_text().replace('"example"', '"mine"'))
                self.add(self.folder / "head", "mine", change, 2, 0)
                done = self.breakeven("gate", "c.json", "--base", "base", "--head", "head", "--minutes", "1", "--out", "v.json")
                case = json.loads((self.folder / "v.json").read_text())["cases"][0]
                self.assertEqual((done.returncode, case["verdict"], case["head_status"]), (4, "incomparable", "failed"))
                self.assertIn("answered as another program in launch 1", case["reason"])

    def test_what_may_differ_does_not_matter(self):
        OTHER_ANSWERS["warnings"] = (["slow today"], "")
        self.addCleanup(OTHER_ANSWERS.pop, "warnings")
        self.add(self.folder / "programs", "mine", "warnings", 3, 0)
        self.assertEqual([case["status"] for case in self.run_cases(3, [4])], ["ok"])


if __name__ == "__main__":
    unittest.main()
