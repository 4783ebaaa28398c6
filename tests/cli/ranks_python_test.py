"""Tests ranks in Python: how each finds its place and the driver, and what they agree on."""

import json
import os
import pathlib
import socket
import subprocess
import sys
import textwrap
import time
import types
import unittest
from unittest import mock

from backend_program import BUILD, WORKER, FolderTest, train, use_python_with_numpy
from launched_ranks import LaunchedRanks

from breakeven_worker import ranks
from breakeven_worker.backend import Failed
from breakeven_worker.ranks import cpus_of_place, rank_arguments, rank_number

# A training step lasts as long as the rank's number says, and a tenth of it is communication. What a rank does wrong is
# an argument: `RANK:WHAT`.
PROGRAM = textwrap.dedent(f"""
    import os, sys, time
    sys.path.insert(0, {str(WORKER)!r})
    from breakeven_worker.backend import Backend, Failed, Operation, Prepared
    from breakeven_worker import ranks
    from breakeven_worker.ranks import own_ranks
    from breakeven_worker.serve import serve

    if "impatient" in sys.argv:
        ranks._BEATS_WITHOUT_DRIVER = 2

    class Store:  # values as files of a folder

        def set(self, key, text):
            path = os.path.join(os.environ["STORE"], key.replace("/", "-"))
            with open(path + ".new", "w") as file:
                file.write(text)
            os.rename(path + ".new", path)

        def get(self, key):
            path = os.path.join(os.environ["STORE"], key.replace("/", "-"))
            while not os.path.exists(path):
                time.sleep(0.002)
            with open(path) as file:
                return file.read()

        def delete_key(self, key):
            os.remove(os.path.join(os.environ["STORE"], key.replace("/", "-")))

    def does(what):
        return f"{{own_ranks().number}}:{{what}}" in sys.argv

    class Case(Prepared):
        algorithm = "sleeps"

        def run(self):
            if does("throws"):
                raise ValueError("of no use")
            time.sleep(60 if does("never-ends") else 10 if does("lasts") else 0.01 + 0.02 * own_ranks().number)

        def start_together(self):
            own_ranks().wait_for_all()

        def take_communication_seconds(self):
            return 0.001

        def take_losses(self):
            return own_ranks().average([own_ranks().number])

        def show(self, elements):
            return {{"elements": own_ranks().exchange(own_ranks().number)}}

    def prepare(case, seed):
        with own_ranks().in_agreement():
            if does("refuses"):
                raise Failed("no room")
        return Case()

    def make_backend(threads):
        own_ranks().store = Store()
        operations = [Operation("train", ["f32"], prepare, in_ranks=True), Operation("infer", ["f32"], prepare)]
        gpu = f"GPU-{{own_ranks().number}}" if "gpus" in sys.argv else ""
        device = "gpu" if gpu else "cpu"
        return Backend("odd", "1", operations=operations, device=device, device_id=gpu)

    serve(make_backend, on_gpu="gpus" in sys.argv)
""")


class Launched(unittest.TestCase):
    def test_arguments(self):
        self.assertEqual(rank_arguments([]), (1, ""))
        self.assertEqual(rank_arguments(["other", "--ranks", "3", "--driver", "4567:t:a,b"]), (3, "4567:t:a,b"))
        for wrong in (["--ranks", "x"], ["--ranks", "2"], ["--ranks", "0"], ["--ranks", "2", "--driver", "4567"]):
            with self.assertRaisesRegex(Failed, "--ranks N --driver PORT"):
                rank_arguments(wrong)

    def test_the_first_variable_that_exists_says_the_rank(self):
        for environment, rank in (
            ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "4", "SLURM_PROCID": "0"}, 1),
            ({"PMIX_RANK": "2", "PMI_RANK": "3"}, 2),
            ({"PMI_RANK": "3", "PMI_SIZE": "4", "SLURM_PROCID": "0"}, 3),
            ({"SLURM_PROCID": "0", "SLURM_STEP_NUM_TASKS": "4"}, 0),
        ):
            self.assertEqual(rank_number(environment, 4), rank)
        with self.assertRaisesRegex(Failed, "OMPI_COMM_WORLD_RANK, PMIX_RANK, PMI_RANK, SLURM_PROCID"):
            rank_number({}, 4)
        with self.assertRaisesRegex(Failed, "started 8 ranks instead of 4"):
            rank_number({"PMI_RANK": "0", "PMI_SIZE": "8"}, 4)

    def test_places(self):
        self.assertEqual(ranks.places_on_hosts(["a", "b", "a"]), [(0, 2), (0, 1), (1, 2)])
        cpus = [0, 2, 4, 6, 1, 3, 5, 7]
        self.assertEqual([cpus_of_place(cpus, index, 3) for index in range(3)], [[0, 2, 4], [1, 3, 6], [0, 5, 7]])
        self.assertEqual(cpus_of_place([5], 1, 2), [5])


class ConnectingByNccl(unittest.TestCase):
    def connect(self, work, on_host=2, visible=8):
        said = []
        connected = types.SimpleNamespace(count_on_host=on_host, end=lambda why, in_every_case: said.append(why))
        with ranks.connecting_by_nccl(connected, visible):
            work()
        return said

    def test_a_connection_that_lasts_ends_all(self):
        with mock.patch.dict(os.environ, BREAKEVEN_NCCL_SECONDS="0.1"):
            self.assertIn("NCCL has not connected the ranks within 0.1 s: ", *self.connect(lambda: time.sleep(0.5)))
            self.assertEqual(self.connect(lambda: None), [])
            time.sleep(0.3)  # the limit is of the connection alone

    def test_ranks_that_see_one_gpu_each_are_told_what_helps(self):
        def fails():
            raise RuntimeError("invalid device ordinal")

        with self.assertRaisesRegex(Failed, "RuntimeError: invalid device ordinal; each rank .*--gpu-bind=none"):
            self.connect(fails, visible=1)
        for alone in ({"on_host": 1, "visible": 1}, {}):
            with self.assertRaisesRegex(RuntimeError, "invalid device ordinal$"):
                self.connect(fails, **alone)


class Connected(FolderTest):
    """Tests of real processes, which the test itself launches."""

    variables = {}  # more of the ranks' environment

    def setUp(self):
        super().setUp()
        self.program = self.folder / "breakeven-backend-odd"
        self.program.write_text(PROGRAM)

    def start(self, *wrong, count=2):
        """Starts ranks and returns their answers to hello."""

        def launch(arguments):
            return [self.start_one(rank, count, [*arguments, *wrong]) for rank in range(count)]

        self.ranks = LaunchedRanks(launch, count)
        self.addCleanup(self.ranks.leave)
        self.assertEqual([one["rank"] for one in self.ranks.introductions], list(range(count)))
        return self.ranks.start(threads=2)

    def start_one(self, rank, count, arguments):
        folder = self.folder / "store"
        folder.mkdir(exist_ok=True)
        variables = {"PMI_RANK": str(rank), "PMI_SIZE": str(count), "STORE": str(folder), **self.variables}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen([sys.executable, self.program, *arguments], env=os.environ | variables, **pipes)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def ask(self, **request):
        return self.ranks.ask(**request)

    def prepare(self, op="train", ranks=2):
        case = train("mlp", 4)
        case["parameters"]["ranks"] = ranks
        return self.ask(request="prepare", **{**case, "op": op})

    def ended(self):
        """The exit statuses of all ranks, which must end within seconds, and what they have said."""
        outputs = [process.communicate(timeout=30) for process in self.ranks.processes]
        self.assertEqual([out for out, _ in outputs], [""] * len(outputs))
        return [process.returncode for process in self.ranks.processes], [errors for _, errors in outputs]

    def test_a_whole_conversation(self):
        hellos = self.start()
        host = socket.gethostname()
        places = [hello["ranks"][0] for hello in hellos]
        self.assertEqual([(place["host"], place["threads"]) for place in places], [(host, 1)] * 2)
        self.assertEqual([place["pid"] for place in places], [process.pid for process in self.ranks.processes])
        cpus = [place["cpus"] for place in places]
        self.assertEqual([len(of_rank) for of_rank in cpus], [1, 1])
        if len(os.sched_getaffinity(0)) > 1:
            self.assertNotEqual(*cpus)
        for process, of_rank in zip(self.ranks.processes, cpus):
            self.assertEqual(sorted(os.sched_getaffinity(process.pid)), of_rank)
        self.assertEqual(self.prepare(), [{"ok": True, "algorithm": "sleeps", "transfer": "resident"}] * 2)
        self.assertEqual([shown["elements"] for shown in self.ask(request="verify", elements=[])], [[0, 1]] * 2)
        fast, slow = self.ask(request="sample", iterations=2)
        self.assertGreater(slow["seconds"], 0.03)
        self.assertLess(fast["seconds"], slow["seconds"])
        self.assertEqual((fast["losses"], slow["losses"]), ([0.5], [0.5]))
        self.assertEqual(fast["communication_seconds"], 0.0005)
        self.assertEqual(self.ask(request="quit"), [{"ok": True}] * 2)
        self.assertEqual(self.ended(), ([0, 0], ["", ""]))

    def test_ranks_stay_near_their_gpus(self):
        cpus = sorted(os.sched_getaffinity(0))
        if len(cpus) < 2:
            self.skipTest("there is one CPU")
        near = {"GPU-0": [cpus[1]], "GPU-1": [cpus[0]]}
        for script, places in (({"near_cpus": near}, [[cpus[1]], [cpus[0]]]), ({}, [[], []])):
            self.variables = {
                "LD_LIBRARY_PATH": str(BUILD / "tests/fake_nvml/fake_nvml"),
                "FAKE_NVML": json.dumps(script),
            }
            self.assertEqual([hello["ranks"][0]["cpus"] for hello in self.start("gpus")], places)
            for process, place in zip(self.ranks.processes, places):
                self.assertEqual(sorted(os.sched_getaffinity(process.pid)), place or cpus)
            self.assertEqual(self.ask(request="quit"), [{"ok": True}] * 2)

    def test_a_request_does_not_outlast_the_driver_for_long(self):
        self.start("impatient", "0:never-ends", "1:never-ends")
        self.prepare()
        self.ranks.send(request="sample", iterations=1)
        self.ranks.leave()
        begun = time.monotonic()
        words = "the driver has ended\n"
        self.assertEqual(self.ended(), ([1, 1], [words, words]))
        self.assertLess(time.monotonic() - begun, 30)

    def test_the_end_of_the_driver_ends_all(self):
        self.assertEqual(len(self.start(count=3)), 3)
        self.ranks.leave()
        self.assertEqual(self.ended(), ([0, 0, 0], ["", "", ""]))

    def test_requests_are_refused_together(self):
        self.start("1:refuses")
        self.assertEqual([one["reason"] for one in self.prepare()], ["another rank refuses it", "no room"])
        for answer in self.ask(request="sample", iterations=1):
            self.assertEqual(answer["reason"], "nothing is prepared")
        for answer in self.prepare(ranks=3):
            self.assertEqual(answer["reason"], "the case is for 3 ranks, and a launcher has started 2")
        self.assertEqual([one["status"] for one in self.prepare("infer")], ["unsupported"] * 2)
        self.assertEqual(self.ask(request="quit"), [{"ok": True}] * 2)
        self.assertEqual(self.ended()[0], [0, 0])

    def test_an_exception_of_one_during_work_is_its_last_word(self):
        self.start("1:throws", "0:never-ends")
        self.prepare()
        self.ranks.send(request="sample", iterations=1)
        last = {"ok": False, "status": "failed", "reason": "ValueError: of no use", "last": True, "in_every_case": False}
        self.assertEqual(self.ranks.answer(1), last)
        self.assertEqual(self.ranks.processes[1].wait(timeout=30), 1)

    def test_one_that_works_shows_that_it_is_alive(self):
        self.start("1:lasts")
        self.prepare()
        self.ranks.send(request="sample", iterations=1)
        self.ranks.connections[1].settimeout(5)
        self.assertEqual(self.ranks.connections[1].recv(1), b"\n")

    def test_idle_ranks_take_no_time(self):
        self.start()
        # Polling ranks would take up to 200 in every second. On a busy machine the start may last into the first.
        self.assertLessEqual(min(self.ticks_in_a_second() for _ in range(3)), 40)

    def ticks_in_a_second(self):
        before = sum(map(self.ticks, self.ranks.processes))
        time.sleep(1)
        return sum(map(self.ticks, self.ranks.processes)) - before

    @staticmethod
    def ticks(process):
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])  # user and system

    def test_without_a_launcher_the_driver_is_told_why(self):
        def launch(arguments):
            variables = {name: value for name, value in os.environ.items() if not name.endswith(("_RANK", "_PROCID"))}
            return [subprocess.Popen([sys.executable, self.program, *arguments], env=variables)]

        ranks = LaunchedRanks(launch, 2, connected=1)
        self.addCleanup(ranks.leave)
        self.assertIn("no launcher says which rank", ranks.introductions[0]["fault"])
        self.assertEqual(ranks.processes[0].wait(timeout=30), 0)

    def test_a_driver_that_cannot_be_reached_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
        command = [sys.executable, self.program, "--ranks", "2", "--driver", f"{port}:secret:127.0.0.1"]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"breakeven: this rank cannot connect to the driver: 127.0.0.1 port {port}: ", done.stderr)


if __name__ == "__main__":
    use_python_with_numpy()
    unittest.main()
