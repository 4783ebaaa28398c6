"""Tests that the worker's loop in Python answers every line with one line, whatever it or a library contains."""

import json
import sys
import textwrap
import unittest

from backend_program import WORKER, BackendProgram, FolderTest, matmul, use_python_with_numpy

PROGRAM = textwrap.dedent(f"""
    import sys
    sys.path.insert(0, {str(WORKER)!r})
    from breakeven_worker.backend import Backend, Epoch, Failed, Operation, Prepared
    from breakeven_worker.serve import serve

    class Odd(Prepared):
        def run(self):
            print("a library prints")

        def show(self, elements):
            raise Failed("half of a character: \\udcff, and one: \\u00b5")

        def train_epoch(self):
            return Epoch(float("nan"), 1.0, 0.5, [])

    class Counted(Prepared):
        runs = 0

        def run(self):
            self.runs += 1

        def show(self, elements):
            raise Failed(f"{{self.runs}} runs")

    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    operation = Operation("matmul", ["f32"], lambda parameters, seed: Counted() if sys.argv[1:] else Odd())
    serve(lambda threads: Backend("odd", "1", libraries={{}}, operations=[operation], device=device))
""")


class PythonLoopTest(FolderTest):
    def setUp(self):
        super().setUp()
        program = self.folder / "breakeven-backend-odd"
        program.write_text(PROGRAM)
        self.command = [sys.executable, program]
        self.backend = self.prepared()

    def prepared(self, *arguments):
        backend = BackendProgram([*self.command, *arguments])
        self.addCleanup(backend.kill)
        self.assertTrue(backend.ask(request="prepare", **matmul(2, 2, 2), measures_latency=bool(arguments))["ok"])
        return backend

    def assert_refused(self, answer, *words):
        self.assertEqual((answer["ok"], answer["status"]), (False, "failed"))
        for word in words:
            self.assertIn(word, answer["reason"])

    def test_a_number_that_json_does_not_have_is_refused(self):
        self.assert_refused(self.backend.ask(request="epoch"), "a number that JSON does not have", "'seconds': nan")
        self.assertEqual(self.backend.quit(), 0)

    def test_text_that_is_no_unicode_is_answered(self):
        self.assert_refused(self.backend.ask(request="verify", elements=[0]), "half of a character: ?, and one: µ")
        self.assertEqual(self.backend.quit(), 0)

    def test_what_a_library_prints_is_no_answer(self):
        self.assertEqual(self.backend.ask(request="sample", iterations=2)["iterations"], 2)
        self.assertEqual(self.backend.quit(), 0)

    def test_latencies_on_a_device_begin_with_an_iteration_that_is_not_timed(self):
        for device, options, runs in (("gpu", {}, 4), ("cpu", {}, 3), ("gpu", {"device_seconds": False}, 3)):
            with self.subTest(device=device, **options):
                backend = self.prepared(device)
                self.assertEqual(len(backend.ask(request="sample", iterations=3, **options)["latencies"]), 3)
                self.assertIn(f"{runs} runs", backend.ask(request="verify", elements=[0])["reason"])

    def test_odd_lines_are_refused(self):
        lines = ["", "x", "[1]", "[" * 100_000, "{}", json.dumps({"request": ["hello"]}), '{"request": "sample"}']
        lines += ['{"request": "sample", "iterations": "2"}', '{"request": "quit2"}', "\x00", '{"request": "\\ud800"}']
        for line in lines:
            self.assert_refused(self.backend.send(line))
        self.assertEqual(self.backend.quit(), 0)


if __name__ == "__main__":
    use_python_with_numpy()
    unittest.main()
