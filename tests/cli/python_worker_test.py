"""Tests that the Python worker keeps memory that a case frees for its next iteration, and returns it after the case; that
it looks for the default data set in BREAKEVEN_FASHION_MNIST, and for others where the case says; and that it knows what
a library's error means, and which caches to flush."""

import json
import os
import subprocess
import sys
import textwrap
import unittest

from backend_program import WORKER, use_python_with_numpy

# Two blocks of different sizes in turn, like a network's activations. By default, glibc maps them again each time.
PROGRAM = textwrap.dedent(f"""
    import resource, sys
    sys.path.insert(0, {str(WORKER)!r})
    import numpy as np
    from breakeven_worker.host import keep_freed_memory, return_freed_memory

    def faults():
        return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    def resident_mib():
        return int(open("/proc/self/statm").read().split()[1]) * resource.getpagesize() >> 20

    def touch():
        for mib in (64, 96):
            np.empty(mib << 20, dtype=np.uint8)[:: resource.getpagesize()] = 1

    keep_freed_memory()
    touch()
    before = faults()
    for _ in range(10):
        touch()
    counted = faults() - before
    held = resident_mib()
    return_freed_memory()
    print(counted, held, resident_mib())
""")
DEFAULT = "/usr/share/datasets/fashion-mnist"
READ = "import sys; from breakeven_worker.dataset import read_images; read_images(sys.argv[1], 'test')"


# A GPU's library whose memory is full from the second run on.
BACKEND = textwrap.dedent(f"""
    import sys
    sys.path.insert(0, {str(WORKER)!r})
    from breakeven_worker import timing
    from breakeven_worker.backend import Backend, Operation, OutOfMemory, Prepared
    from breakeven_worker.serve import serve

    class Full(Exception):
        pass

    class Case(Prepared):
        def __init__(self, p):
            self.runs, self.most, self.reads_host = 0, p["most"], p["reads_host"]

        def run(self):
            self.runs += 1
            if self.runs > self.most:
                raise Full("no more")

        def show(self, elements):
            return {{"elements": []}}

        def flush(self):
            print("flushed the device", file=sys.stderr)
            return True

    def meaning_of(error):
        return OutOfMemory(f"the card says: {{error}}") if isinstance(error, Full) else None

    timing._flush_caches = lambda: print("flushed the host", file=sys.stderr)
    operation = Operation("read", ["f32"], lambda p, seed: Case(p))
    serve(lambda threads: Backend("full", "1", device="gpu", operations=[operation], meaning_of=meaning_of))
""")


# A GPU's library that answers each call with an error from the case with m = 2 on, as CUDA does with a lost context.
LOST = textwrap.dedent(f"""
    import sys
    sys.path.insert(0, {str(WORKER)!r})
    from breakeven_worker.backend import Backend, Operation, Prepared
    from breakeven_worker.devices import fails_twice
    from breakeven_worker.serve import serve

    lost, asked = False, 0

    def synchronize():
        global asked
        asked += 1
        if lost or asked == 1:  # the first call reports an error of earlier work
            raise RuntimeError("CUDA error: an illegal memory access was encountered")

    def prepare(p, seed):
        global lost
        lost = p["m"] == 2
        if p["m"] > 0:
            raise RuntimeError("CUDA error: an illegal memory access was encountered")
        return Prepared()

    operations = [Operation("matmul", ["f32"], prepare, refused={{"f16": "no kernel for Half"}})]
    is_lost = lambda: fails_twice(synchronize)
    serve(lambda threads: Backend("fragile", "1", device="gpu", operations=operations, is_lost=is_lost))
""")


# A GPU's library that has no room for the case with m = 1, which it finds out when half of the case is there.
FILLED = textwrap.dedent(f"""
    import sys
    sys.path.insert(0, {str(WORKER)!r})
    from breakeven_worker.backend import Backend, Operation, OutOfMemory, Prepared
    from breakeven_worker.serve import serve

    def prepare(p, seed):
        print("prepares", file=sys.stderr, flush=True)
        if p["m"] == 1:
            raise OutOfMemory("no room for the second operand")
        return Prepared()

    def release():
        print("releases", file=sys.stderr, flush=True)
        if sys.argv[1:]:
            raise RuntimeError("no such block")

    operations = [Operation("matmul", ["f32"], prepare)]
    serve(lambda threads: Backend("filled", "1", operations=operations, release=release))
""")


# A library that keeps a case, which refers to itself, until it is told to forget it.
KEEPING = textwrap.dedent(f"""
    import gc, sys, weakref
    sys.path.insert(0, {str(WORKER)!r})
    from breakeven_worker.backend import Backend, Operation, Prepared
    from breakeven_worker.serve import serve

    kept = []

    def prepare(p, seed):
        case = Prepared()
        case.itself = case
        weakref.finalize(case, print, "gone", file=sys.stderr, flush=True)
        kept.append(case)
        return case

    def release():
        print("releases,", gc.get_freeze_count() > 1000, file=sys.stderr, flush=True)

    gc.disable()
    operations = [Operation("matmul", ["f32"], prepare)]
    serve(lambda threads: Backend("keeping", "1", operations=operations, forget=kept.clear, release=release))
""")


class PythonServeTest(unittest.TestCase):
    def sample(self, cache="warm", **parameters):
        """The answer to a sample of one iteration, with standard error."""
        case = {"dtype": "f32", "most": 1000, "reads_host": False, **parameters}
        requests = [
            {"request": "hello", "protocol": 1, "threads": 1},
            {"request": "prepare", "op": "read", "parameters": case, "seed": 1, "cache": cache, "measures_latency": True},
            {"request": "sample", "iterations": 1},
        ]
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        done = subprocess.run([sys.executable, "-c", BACKEND], input=lines, capture_output=True, text=True)
        return json.loads(done.stdout.splitlines()[-1]), done.stderr

    def test_an_error_of_the_library_keeps_its_meaning_after_prepare(self):
        answer, _ = self.sample(most=1)
        self.assertEqual(
            answer, {"ok": False, "status": "out_of_memory", "reason": "the card says: no more"}
        )

    def prepare_all(self, *cases):
        """The answers to these cases until the program ends, with its exit status and standard error."""
        lines = json.dumps({"request": "hello", "protocol": 1, "threads": 1}) + "\n"
        for case in cases:
            request = {"request": "prepare", "op": "matmul", "parameters": {"dtype": "f32"} | case, "seed": 1}
            lines += json.dumps(request) + "\n"
        done = subprocess.run([sys.executable, "-c", LOST], input=lines, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines()[1:]], done.returncode, done.stderr

    def order_of_events(self, requests, *arguments):
        """What FILLED does, with its answers as "ok" or their reason."""
        hello = {"request": "hello", "protocol": 1, "threads": 1}
        lines = "".join(json.dumps(request) + "\n" for request in [hello, *requests])
        command = [sys.executable, "-c", FILLED, *arguments]
        done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        events = []
        for line in done.stdout.splitlines()[1:]:
            answer = json.loads(line) if line.startswith("{") else None
            events.append(line if answer is None else "ok" if answer["ok"] else answer["reason"])
        return events

    def test_what_a_refused_prepare_has_left_is_released_before_its_answer(self):
        full, fits = (
            {"request": "prepare", "op": "matmul", "parameters": {"dtype": "f32", "m": m}, "seed": 1} for m in (1, 2)
        )
        refused = ["prepares", "releases", "no room for the second operand"]
        self.assertEqual(self.order_of_events([full]), refused)
        wrong = {"request": "sample", "iterations": 0}
        kept = ["prepares", "ok", "'iterations' is 0 and must be at least 1"]
        self.assertEqual(self.order_of_events([fits, wrong]), kept)
        nothing_left = [full, {"request": "release"}, {"request": "dance"}]
        self.assertEqual(self.order_of_events(nothing_left), [*refused, "ok", "unknown request 'dance'"])

    def test_a_released_case_is_collected_before_memory_is_returned(self):
        prepare = {"request": "prepare", "op": "matmul", "parameters": {"dtype": "f32"}, "seed": 1}
        requests = [{"request": "hello", "protocol": 1, "threads": 1}, prepare, {"request": "release"}, prepare, prepare]
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        done = subprocess.run([sys.executable, "-c", KEEPING], input=lines, capture_output=True, text=True)
        self.assertEqual(done.stderr.splitlines(), ["gone", "releases, True"] * 2)

    def test_a_release_that_fails_does_not_hide_the_reason(self):
        full = {"request": "prepare", "op": "matmul", "parameters": {"dtype": "f32", "m": 1}, "seed": 1}
        events = self.order_of_events([full], "fails")
        self.assertEqual(events[-2:], ["release: RuntimeError: no such block", "no room for the second operand"])

    def test_a_lost_device_ends_the_program(self):
        answers, status, error = self.prepare_all({"m": 1}, {"m": 0}, {"m": 2}, {"m": 0})
        self.assertEqual([answer["ok"] for answer in answers], [False, True])
        self.assertIn("illegal memory access", answers[0]["reason"])
        self.assertEqual(status, 1)
        self.assertIn("the device cannot be used any more after RuntimeError: CUDA error", error)

    def test_a_type_that_the_library_refuses_is_unsupported_with_its_words(self):
        answers, _, _ = self.prepare_all({"m": 0, "dtype": "f16"}, {"m": 0, "dtype": "f64"})
        reasons = [answer["reason"] for answer in answers]
        self.assertEqual(reasons[0], "fragile has no matmul in f16 on this machine: no kernel for Half")
        self.assertEqual(reasons[1], "fragile has no matmul in f64 on this machine")

    def test_data_in_host_memory_is_flushed_from_both_caches(self):
        answer, flushed = self.sample("cold")
        self.assertTrue(answer["ok"], answer)
        self.assertNotIn("the host", flushed)
        for parameters in ({"reads_host": True}, {"transfer": "each"}):
            _, flushed = self.sample("cold", **parameters)
            self.assertIn("flushed the device\nflushed the host", flushed)
        self.assertEqual(self.sample(reads_host=True)[1], "")


class PythonMemoryTest(unittest.TestCase):
    def run_program(self, **variables):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")} | variables
        done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [int(figure) for figure in done.stdout.split()]

    def test_freed_memory_is_reused_until_it_is_returned(self):
        faults, held, left = self.run_program()
        self.assertLess(faults, 100)
        self.assertLess(left, held - 64)

    def test_what_the_user_has_set_stays(self):
        self.assertGreater(self.run_program(MALLOC_MMAP_THRESHOLD_="131072")[0], 1000)


class PythonDatasetTest(unittest.TestCase):
    def missing(self, folder):
        """The place where it looked for the folder's files, none of which exist."""
        environment = {**os.environ, "BREAKEVEN_FASHION_MNIST": "/not/here", "PYTHONPATH": str(WORKER)}
        return subprocess.run([sys.executable, "-c", READ, folder], env=environment, capture_output=True, text=True).stderr

    def test_the_default_one_is_where_the_environment_says(self):
        self.assertIn("/not/here/t10k-images-idx3-ubyte: there is no such file", self.missing(DEFAULT))

    def test_another_one_is_where_the_case_says(self):
        self.assertIn("/nor/here/t10k-images-idx3-ubyte: there is no such file", self.missing("/nor/here"))


if __name__ == "__main__":
    use_python_with_numpy()
    unittest.main()
