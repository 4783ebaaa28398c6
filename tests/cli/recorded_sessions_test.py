"""Tests that the current driver works with programs of earlier commits, as recorded in tests/recorded."""

import json
import os
import subprocess
import sys
import unittest

from backend_program import BUILD, SOURCE, FolderTest

FOLDER = SOURCE / "tests" / "recorded"
RECORDINGS = sorted(FOLDER.glob("*.jsonl"))


def date_of(recording):
    return json.loads(recording.read_text().splitlines()[0])["date"]


def exchanges(recording):
    return [json.loads(line) for line in recording.read_text().splitlines()[1:]]


def greeting(recording):
    return exchanges(recording)[0]["answer"]


def by_name(recordings):
    """The last recording of each backend."""
    return {greeting(recording)["name"]: recording for recording in recordings}


def prepared(recording, op):
    """The parameters of each recorded case, and the program's answer."""
    for e in exchanges(recording):
        if isinstance(e["request"], dict) and e["request"]["request"] == "prepare" and e["request"]["op"] == op:
            yield e["request"]["parameters"], e["answer"]


def workloads(recording):
    """The config's workloads that the recorded program supports."""
    for workload in json.loads((FOLDER / "config.json").read_text())["workloads"]:
        given = {"dtype": "f32", **workload}
        transfer = given.setdefault("transfer", "resident")
        for parameters, answer in prepared(recording, given.pop("op")):
            matches = answer.get("transfer", "resident") == transfer
            if answer["ok"] and matches and given.items() <= {"transfer": transfer, **parameters}.items():
                yield workload
                break


class RecordedSessionsTest(FolderTest):
    def add(self, side, name, command):
        program = self.folder / side / f"breakeven-backend-{name}"
        program.parent.mkdir(exist_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" {command}\n')
        program.chmod(0o755)
        return program

    def add_recording(self, side, name, recording):
        return self.add(side, name, f'"{FOLDER / "replay"}" "{recording}" "{name}"')

    def breakeven(self, *arguments, backends=""):
        return subprocess.run(
            [BUILD / "breakeven", *arguments],
            env={**os.environ, "BREAKEVEN_BACKENDS": str(self.folder / backends)},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=240,
        )

    def gate(self, config, *options):
        out = self.folder / "verdicts.json"
        sides = ["--base", "base", "--head", "head", "--threads", "1"]
        ran = self.breakeven("gate", config, *sides, "--out", out, *options)
        return ran, json.loads(out.read_text())["cases"]

    def config(self, backends, workloads, **measure):
        path = self.folder / "config.json"
        path.write_text(json.dumps({"backends": backends, "measure": {"max_seconds": 0.2, **measure}, "workloads": workloads}))
        return path

    def test_devices_shows_them(self):
        for recording in RECORDINGS:
            self.add_recording("backends", recording.stem, recording)
        ran = self.breakeven("devices", "--json", backends="backends")
        shown = {b["name"]: b for b in json.loads(ran.stdout)["backends"]}
        for recording in RECORDINGS:
            with self.subTest(recording.stem):
                backend, said = shown[recording.stem], greeting(recording)
                self.assertTrue(backend["available"], backend["reason"])
                libraries = {**said.get("libraries", {}), "simulated clock": "recorded"}
                self.assertEqual(backend["libraries"], libraries)
                for key in ("version", "supports"):
                    self.assertEqual(backend[key], said.get(key, {}))

    def test_they_keep_the_protocol(self):
        for recording in by_name(sorted(RECORDINGS, key=date_of, reverse=True)).values():  # the oldest of each
            with self.subTest(recording.stem):
                ran = self.breakeven("conformance", self.add_recording("backends", "old", recording))
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_run_measures_them(self):
        for recording in RECORDINGS:
            with self.subTest(recording.stem):
                # Its name comes after `reference`, so that the old reference backend is not compared with itself.
                self.add_recording("backends", "then", recording)
                options = ["--backends", "then", "--threads", "1", "--out", "-"]
                ran = self.breakeven("run", FOLDER / "config.json", *options, backends="backends")
                for case in json.loads(ran.stdout)["cases"]:
                    told = [(p, a) for p, a in prepared(recording, case["op"]) if p.items() <= case["params"].items()]
                    if not told:
                        self.assertEqual((case["status"], case["reason"]), ("unsupported", f"then has no {case['op']}"))
                        continue
                    parameters, answer = max(told, key=lambda t: len(t[0]))
                    transfer = parameters.get("transfer", "resident")
                    if not answer["ok"]:
                        self.assertEqual((case["status"], case["reason"]), (answer["status"], answer["reason"]))
                    elif answer.get("transfer", "resident") != transfer:
                        self.assertEqual(case["status"], "unsupported", case["reason"])
                    else:
                        self.assertEqual(case["status"], "ok", case["reason"])

    def test_gate_finds_no_change_where_both_sides_are_one_recording(self):
        for recording in by_name(sorted(RECORDINGS, key=date_of, reverse=True)).values():  # the oldest of each
            with self.subTest(recording.stem):
                for side in ("base", "head"):
                    self.add_recording(side, "old", recording)
                ran, cases = self.gate(self.config(["old"], list(workloads(recording))))
                self.assertEqual([(c["id"], c["reason"]) for c in cases if c["verdict"] != "same"], [])
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)

    def test_gate_compares_what_both_have(self):
        newest = by_name(sorted(RECORDINGS, key=date_of))
        for recording in RECORDINGS:
            head = newest[greeting(recording)["name"]]
            if head == recording:
                continue
            with self.subTest(f"{recording.stem} and {head.stem}"):
                self.add_recording("base", "it", recording)
                self.add_recording("head", "it", head)
                _, cases = self.gate(self.config(["it"], list(workloads(recording))))
                self.assertNotEqual(cases, [])
                self.assertEqual([(c["id"], c["reason"]) for c in cases if c["verdict"] == "incomparable"], [])

    def test_gate_compares_a_running_program_with_a_recorded_one(self):
        recordings = list(FOLDER.glob("*-example.jsonl"))
        self.assertTrue(recordings)
        for recording in recordings:
            with self.subTest(recording.stem):
                self.add_recording("base", "example", recording)
                self.add("head", "example", f'"{SOURCE / "docs" / "example-backend.py"}"')
                # Next to other tests the machine may never reach its own speed in this half a minute.
                config = self.config(["example"], list(workloads(recording)), own_speed="ignored")
                _, cases = self.gate(config, "--seconds", "0.02", "--minutes", "0.5")
                self.assertNotEqual(cases, [])
                for case in cases:
                    self.assertEqual((case["base_status"], case["head_status"]), ("ok", "ok"), case["reason"])
                    self.assertIsNotNone(case["ratio"])

    def test_an_operation_that_the_base_did_not_have_is_new(self):
        old = next(r for r in RECORDINGS if "copy" not in greeting(r)["supports"])
        new = next(r for r in RECORDINGS if "copy" in greeting(r)["supports"])
        self.add_recording("base", "it", old)
        self.add_recording("head", "it", new)
        ran, cases = self.gate(self.config(["it"], [{"op": "copy", "direction": "within", "bytes": 64}]))
        self.assertEqual([(c["presence"], c["head_status"]) for c in cases], [("only_head", "ok")])
        self.assertEqual(cases[0]["reason"], "it has no copy in the base")
        self.assertEqual(ran.returncode, 4, ran.stdout)

    def test_a_program_of_a_later_protocol_is_named_and_the_rest_is_kept(self):
        recording = RECORDINGS[0]
        refusal = {"ok": False, "status": "failed", "reason": "this program speaks protocol 2, not 1: use a later one"}
        words = "speaks protocol 2, and this driver 1; use a driver that is at least as new as the program"
        answers = {
            "goes ahead": ({**greeting(recording), "protocol": 2}, words),
            "refuses": (refusal, refusal["reason"]),
        }
        for later_side in ("base", "head"):
            for how, (hello, words) in answers.items():
                with self.subTest(f"{later_side} {how}"):
                    first, _, *rest = recording.read_text().splitlines()
                    exchange = {**exchanges(recording)[0], "answer": hello}
                    later = self.folder / "later.jsonl"
                    later.write_text("\n".join([first, json.dumps(exchange), *rest]) + "\n")
                    for side in ("base", "head"):
                        self.add_recording(side, "same", recording)
                        self.add_recording(side, "later", later if side == later_side else recording)
                    ran, cases = self.gate(self.config(["same", "later"], list(workloads(recording))[:1]))
                    self.assertEqual(ran.returncode, 4, ran.stdout + ran.stderr)
                    self.assertIn(f"the {later_side} has no later: ", ran.stderr)
                    self.assertIn(words, ran.stderr)
                    verdicts = {c["backend"]: c for c in cases}
                    self.assertEqual(verdicts["same"]["verdict"], "same")
                    self.assertEqual(verdicts["later"]["verdict"], "incomparable")
                    self.assertIn(words, verdicts["later"]["reason"])
                    self.assertEqual(verdicts["later"][f"{later_side}_status"], "failed")


if __name__ == "__main__":
    unittest.main()
