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
    folder_until,
    infer,
    is_alive,
    mpirun_is_open_mpi,
    skip,
    skip_unless_available,
    train,
)
from launched_ranks import LaunchedRanks, mpirun

PROGRAM = BUILD / "breakeven-backend-pytorch"
STEPS = 100


def case_of(network, ranks, batch=64, dtype="f32", **parameters):
    case = train(network, batch, dtype)
    case["parameters"] |= {"ranks": ranks, **parameters}
    return case


class PytorchRanksTest(unittest.TestCase):
    def launch(self, program=PROGRAM):
        """Two ranks, and the answers to their hello."""
        ranks = LaunchedRanks(mpirun(program, 2, MPIRUN_ENVIRONMENT), 2)
        self.addCleanup(ranks.processes[0].wait)
        self.addCleanup(ranks.leave)
        return ranks, ranks.start(threads=2)

    def single(self):
        backend = BackendProgram([PROGRAM])
        self.addCleanup(backend.kill)
        return backend

    def trained(self, ask, case):
        """What a program answers: the evidence of a case, and the losses of its first steps."""
        ready = ask(request="prepare", **case)
        self.assertTrue(ready["ok"], ready)
        shown = ask(request="verify", elements=list(range(0, 640, 7)))
        sample = ask(request="sample", iterations=STEPS)
        self.assertEqual(sample["losses"][:3], shown["losses"])
        self.assertEqual(len(sample["losses"]), STEPS)
        return ready["algorithm"], shown, sample

    def of_both(self, ranks):
        """Asks both ranks, which must show the same."""

        def ask(**request):
            first, second = ranks.ask(**request)
            self.assertEqual(first.get("losses"), second.get("losses"))
            self.assertEqual(first.get("elements"), second.get("elements"))
            return first

        return ask

    def assert_close(self, got, wanted, relative):
        self.assertEqual(len(got), len(wanted))
        size = max(map(abs, wanted))
        for one, other in zip(got, wanted):
            self.assertLessEqual(abs(one - other), relative * max(size, abs(other)))

    def test_two_ranks_train_as_one(self):
        (ranks, hellos), alone = self.launch(), self.single()
        self.assertEqual([hello["ranks"][0]["threads"] for hello in hellos], [1, 1])
        # From about step 70 on LeNet's losses depend on roundoff, also those of one process: where two pixels of a
        # window are almost the same, max-pooling passes the gradient to either.
        for network, compared, settings, words in (
            ("mlp", STEPS, {}, "DistributedDataParallel, gloo"),
            ("mlp", STEPS, {"overlap": False}, "one all_reduce after backward, gloo"),
            ("mlp", STEPS, {"deterministic": True}, "DistributedDataParallel"),
            ("lenet", 50, {}, "DistributedDataParallel"),
        ):
            with self.subTest(network, **settings):
                algorithm, shown, sample = self.trained(self.of_both(ranks), case_of(network, 2, **settings))
                _, expected, expected_sample = self.trained(alone.ask, case_of(network, 1, **settings))
                self.assertIn(words, algorithm)
                for part in ("elements", "projections"):
                    self.assert_close(shown[part], expected[part], 1e-6)
                self.assert_close(sample["losses"][:compared], expected_sample["losses"][:compared], 1e-5)
                self.assertGreater(sample["communication_seconds"], 0)
                self.assertLess(sample["communication_seconds"], sample["seconds"])
                self.assertNotIn("communication_seconds", expected_sample)
        self.assertEqual(ranks.ask(request="quit"), [{"ok": True}] * 2)
        self.assertEqual(ranks.processes[0].wait(timeout=30), 0)

    def test_epochs(self):
        (ranks, _), alone = self.launch(), self.single()
        epochs = []
        for ask, count in ((self.of_both(ranks), 2), (alone.ask, 1)):
            ask(request="prepare", **case_of("mlp", count, batch=512))
            epochs.append(ask(request="epoch"))
        self.assert_close(epochs[0]["losses"], epochs[1]["losses"], 1e-4)
        self.assertAlmostEqual(epochs[0]["accuracy"], epochs[1]["accuracy"], delta=0.002)

    def test_refusals(self):
        ranks, _ = self.launch()
        for case, words in (
            (case_of("mlp", 2, batch=65), "2 ranks cannot share evenly"),
            (case_of("mlp", 3), "3 ranks, and a launcher has started 2"),
            ({**infer("mlp", 4), "parameters": {**infer("mlp", 4)["parameters"], "ranks": 2}}, "infer in one process"),
        ):
            for answer in ranks.ask(request="prepare", **case):
                self.assertFalse(answer["ok"])
                self.assertIn(words, answer["reason"])
        self.assertEqual(self.trained(self.of_both(ranks), case_of("mlp", 2))[2]["iterations"], STEPS)
        compiled, _ = self.launch(BUILD / "breakeven-backend-pytorch-compiled")
        for answer in compiled.ask(request="prepare", **case_of("mlp", 2)):
            self.assertEqual(answer["status"], "unsupported")

    def test_one_that_is_killed_is_named(self):
        """By the driver, during a step: PyTorch itself would wait for it."""
        folder = folder_until(self.addCleanup)
        rank = folder / "rank"
        rank.write_text(f'#!/bin/bash\necho $$ >{folder}/pid-$OMPI_COMM_WORLD_RANK\nexec "$@"\n')
        rank.chmod(0o755)
        workload = {"op": "train", "network": "mlp", "batch": 64, "ranks": 2, "epochs": 1000}
        config = folder / "config.json"
        config.write_text(json.dumps({"backends": ["pytorch"], "workloads": [workload]}))
        command = [BUILD / "breakeven", "run", config, "--out", folder / "out.json", "--seconds", "1"]
        launcher = f"mpirun -np {{ranks}} --bind-to none {rank}"
        run = subprocess.Popen([*command, "--launcher", launcher, "--quiet"], env=os.environ | MPIRUN_ENVIRONMENT)
        self.addCleanup(run.kill)
        while run.poll() is None and self.cpu_seconds(folder / "pid-1") < 20:
            time.sleep(0.1)
        os.kill(int((folder / "pid-1").read_text()), signal.SIGKILL)
        self.assertEqual(run.wait(timeout=60), 4)
        reason = json.loads((folder / "out.json").read_text())["cases"][0]["reason"]
        self.assertIn(f"rank 1 on {socket.gethostname()} has ended", reason)
        self.assertFalse([path for path in folder.glob("pid-*") if is_alive(int(path.read_text()))])

    @staticmethod
    def cpu_seconds(pid_file):
        """The CPU time of the process whose number is in a file; 0 until there is one."""
        try:
            stat = pathlib.Path(f"/proc/{int(pid_file.read_text())}/stat").read_text()
        except (OSError, ValueError):
            return 0
        fields = stat.rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    if not mpirun_is_open_mpi():
        skip("there is no mpirun of Open MPI")
    if not pathlib.Path(FASHION_MNIST).exists():
        skip("needs dataset-fashion-mnist")
    skip_unless_available(PROGRAM)
    unittest.main()
