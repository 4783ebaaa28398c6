"""Tests that Python backends do and report extra work on request: without a framework, through the worker's own
loop."""

import os
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

from backend_program import WORKER, BackendProgram, use_python_with_numpy
from breakeven_worker.backend import Failed, Prepared
from breakeven_worker.extra_work import VARIABLE, extra_work, with_extra_work

PROGRAM = textwrap.dedent(f"""
    import sys
    sys.path.insert(0, {str(WORKER)!r})
    from breakeven_worker.backend import Backend
    from breakeven_worker.serve import serve

    serve(lambda threads: Backend("nothing", "1", libraries={{"nothing": "2"}}, operations=[]))
""")


class Counted(Prepared):
    algorithm = "counting"

    def __init__(self):
        self.runs = 0

    def run(self):
        self.runs += 1

    def take_losses(self):
        return [1.0]


class ExtraWorkTest(unittest.TestCase):
    def greeting(self, asked):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "breakeven-backend-nothing"
            program.write_text(PROGRAM)
            with mock.patch.dict(os.environ, {VARIABLE: asked}):
                backend = BackendProgram([sys.executable, program])
        self.addCleanup(backend.kill)
        return backend.hello

    def test_is_told_in_the_greeting(self):
        self.assertEqual(self.greeting("0.05")["libraries"], {"nothing": "2", "extra work": "5 %"})
        self.assertEqual(self.greeting("")["libraries"], {"nothing": "2"})

    def test_what_is_no_share_is_refused(self):
        for asked in ("x", "0", "-1", "11", "nan"):
            hello = self.greeting(asked)
            self.assertEqual((hello["ok"], hello["status"]), (False, "failed"))
            self.assertIn(f"{VARIABLE}={asked}: must be a number above 0", hello["reason"])
            with mock.patch.dict(os.environ, {VARIABLE: asked}), self.assertRaises(Failed):
                extra_work()

    def test_on_a_device_is_more_runs(self):
        prepared = Counted()
        more = with_extra_work(prepared, 0.25, on_host=False)
        for _ in range(8):
            more.run()
        self.assertEqual(prepared.runs, 10)

    def test_on_the_host_is_beside_the_runs(self):
        prepared = Counted()
        more = with_extra_work(prepared, 0.5, on_host=True)
        more.run()  # finds out how long one takes
        before = prepared.runs
        for _ in range(8):
            more.run()
        self.assertEqual(prepared.runs - before, 8)
        with mock.patch("breakeven_worker.extra_work._loop") as loop:
            more.run()
        loop.assert_called_once()

    def test_on_the_host_is_measured_again_when_threads_have_been_placed(self):
        more = with_extra_work(Counted(), 0.5, on_host=True)
        with mock.patch("breakeven_worker.extra_work._seconds_of_step", return_value=1e-6) as step:
            for measured in (1, 2, 2, 2):
                more.run()
                more.run()
                self.assertEqual(step.call_count, measured)
                more.take_losses()  # ends a sample
                self.assertEqual(step.call_count, measured, "beside a sample it would pass for the driver's own cost")

    def test_leaves_the_rest_to_the_case(self):
        for on_host in (False, True):
            more = with_extra_work(Counted(), 0.5, on_host)
            self.assertEqual((more.algorithm, more.measures_latency, more.take_losses()), ("counting", False, [1.0]))


if __name__ == "__main__":
    use_python_with_numpy()
    unittest.main()
