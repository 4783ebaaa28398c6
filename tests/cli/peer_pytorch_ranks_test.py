"""Tests that two ranks under mpirun train with PyTorch as one process does; skipped without either."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import time
import unittest

from backend_program import (
    BUILD,
    FASHION_MNIST,
    MPIRUN_ENVIRONMENT,
    BackendProgram,
    infer,
    is_alive,
    mpirun_is_open_mpi,
    skip,
    skip_unless_available,
    train,
)

PROGRAM = BUILD / "breakeven-backend-pytorch"
STEPS = 100


def case_of(network, ranks, batch=64, dtype="f32", **parameters):
    case = train(network, batch, dtype)
    case["parameters"] |= {"ranks": ranks, **parameters}
    return case


class PytorchRanksTest(unittest.TestCase):
    def launch(self, program=PROGRAM, ranks=2):
        for _ in range(3):
            with socket.create_server(("127.0.0.1", 0)) as taken:
                port = taken.getsockname()[1]
            command = ["mpirun", "-np", ranks, "--bind-to", "none", program, "--ranks", ranks, "--port", port]
            backend = BackendProgram(command, threads=2, environment=MPIRUN_ENVIRONMENT)
            self.addCleanup(backend.kill)
            if "cannot listen on port" not in backend.hello.get("reason", ""):  # somebody has taken it meanwhile
                break
        return backend

    def single(self):
        backend = BackendProgram([PROGRAM])
        self.addCleanup(backend.kill)
        return backend

    def trained(self, backend, case):
        """What a program answers: the evidence of a case, and the losses of its first steps."""
        ready = backend.ask(request="prepare", **case)
        self.assertTrue(ready["ok"], ready)
        shown = backend.ask(request="verify", elements=list(range(0, 640, 7)))
        sample = backend.ask(request="sample", iterations=STEPS)
        self.assertEqual(sample["losses"][:3], shown["losses"])
        self.assertEqual(len(sample["losses"]), STEPS)
        return ready["algorithm"], shown, sample

    def assert_close(self, got, wanted, relative):
        self.assertEqual(len(got), len(wanted))
        size = max(map(abs, wanted))
        for one, other in zip(got, wanted):
            self.assertLessEqual(abs(one - other), relative * max(size, abs(other)))

    def test_two_ranks_train_as_one(self):
        ranks, alone = self.launch(), self.single()
        self.assertEqual([rank["threads"] for rank in ranks.hello["ranks"]], [1, 1])
        # From about step 70 on LeNet's losses depend on roundoff, also those of one process: where two pixels of a
        # window are almost the same, max-pooling passes the gradient to either.
        for network, compared, settings, words in (
            ("mlp", STEPS, {}, "DistributedDataParallel, gloo"),
            ("mlp", STEPS, {"overlap": False}, "one all_reduce after backward, gloo"),
            ("mlp", STEPS, {"deterministic": True}, "DistributedDataParallel"),
            ("lenet", 50, {}, "DistributedDataParallel"),
        ):
            with self.subTest(network, **settings):
                algorithm, shown, sample = self.trained(ranks, case_of(network, 2, **settings))
                _, expected, expected_sample = self.trained(alone, case_of(network, 1, **settings))
                self.assertIn(words, algorithm)
                for part in ("elements", "projections"):
                    self.assert_close(shown[part], expected[part], 1e-6)
                self.assert_close(sample["losses"][:compared], expected_sample["losses"][:compared], 1e-5)
                self.assertGreater(sample["communication_seconds"], 0)
                self.assertLess(sample["communication_seconds"], sample["seconds"])
                self.assertNotIn("communication_seconds", expected_sample)
        self.assertEqual(ranks.quit(), 0)

    def test_epochs(self):
        ranks, alone = self.launch(), self.single()
        epochs = []
        for backend, count in ((ranks, 2), (alone, 1)):
            backend.ask(request="prepare", **case_of("mlp", count, batch=512))
            epochs.append(backend.ask(request="epoch"))
        self.assert_close(epochs[0]["losses"], epochs[1]["losses"], 1e-4)
        self.assertAlmostEqual(epochs[0]["accuracy"], epochs[1]["accuracy"], delta=0.002)

    def test_refusals(self):
        ranks = self.launch()
        for case, words in (
            (case_of("mlp", 2, batch=65), "2 ranks cannot share evenly"),
            (case_of("mlp", 3), "3 ranks, and a launcher has started 2"),
            ({**infer("mlp", 4), "parameters": {**infer("mlp", 4)["parameters"], "ranks": 2}}, "infer in one process"),
        ):
            answer = ranks.ask(request="prepare", **case)
            self.assertFalse(answer["ok"])
            self.assertIn(words, answer["reason"])
        self.assertEqual(self.trained(ranks, case_of("mlp", 2))[2]["iterations"], STEPS)
        compiled = self.launch(BUILD / "breakeven-backend-pytorch-compiled")
        self.assertEqual(compiled.ask(request="prepare", **case_of("mlp", 2))["status"], "unsupported")

    def test_a_rank_that_is_killed_ends_all(self):
        for request in (None, {"request": "sample", "iterations": 100_000}):
            ranks = self.launch()
            ranks.ask(request="prepare", **case_of("mlp", 2))
            self.expect_end(ranks, request, signal.SIGKILL, 10, "has ended\n")


    def test_a_rank_that_is_stopped_ends_all(self):
        ranks = self.launch()
        ranks.ask(request="prepare", **case_of("mlp", 2))
        request = {"request": "sample", "iterations": 100_000}
        self.expect_end(ranks, request, signal.SIGSTOP, 50, "has shown no sign of life for 20 s")

    def expect_end(self, ranks, request, signalled, seconds, words):
        """Sends rank 1 a signal, during the request if there is one: all ranks must end in time, with these words about
        it."""
        if request:
            ranks._process.stdin.write(json.dumps(request) + "\n")
            ranks._process.stdin.flush()
            time.sleep(1)
        pids = [rank["pid"] for rank in ranks.hello["ranks"]]
        os.kill(pids[1], signalled)
        self.assertNotEqual(ranks._process.wait(timeout=seconds), 0)
        ranks._errors.seek(0)
        self.assertIn(f"rank 1 on {socket.gethostname()} {words}", ranks._errors.read())
        self.assertFalse([pid for pid in pids if is_alive(pid)])


if __name__ == "__main__":
    if not mpirun_is_open_mpi():
        skip("there is no mpirun of Open MPI")
    if not pathlib.Path(FASHION_MNIST).exists():
        skip("needs dataset-fashion-mnist")
    skip_unless_available(PROGRAM)
    unittest.main()
