"""Tests how ranks in Python find each other, and how their answers become one."""

import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import textwrap
import time
import types
import unittest
from unittest import mock

from backend_program import BUILD, WORKER, FolderTest, train, use_python_with_numpy

from breakeven_worker import ranks
from breakeven_worker.backend import Failed
from breakeven_worker.ranks import Stragglers, address_of_rank_0, combine, cpus_of_place, rank_number, requested_ranks

HOSTS = ["a", "a", "b"]

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
        ranks._MISSING_BEATS, ranks._BEATS_ALONE = 5, 2

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
            return {{"elements": own_ranks().gather(own_ranks().number) or []}}

    def prepare(case, seed):
        with own_ranks().in_agreement():
            if does("refuses"):
                raise Failed("no room")
        return Case()

    def make_backend(threads):
        operations = [Operation("train", ["f32"], prepare, in_ranks=True), Operation("infer", ["f32"], prepare)]
        libraries = {{"lib": "2" if does("differs") else "1"}}
        gpu = "GPU-1" if "gpu" in sys.argv else f"GPU-{{own_ranks().number}}" if "gpus" in sys.argv else ""
        device = "gpu" if gpu else "cpu"
        return Backend("odd", "1", libraries=libraries, operations=operations, device=device, device_id=gpu)

    serve(make_backend, on_gpu="gpus" in sys.argv)
""")


class Launched(unittest.TestCase):
    def test_arguments(self):
        self.assertEqual(requested_ranks([]), (1, 0))
        self.assertEqual(requested_ranks(["other", "--ranks", "3", "--port", "4567"]), (3, 4567))
        for wrong in (["--ranks", "x"], ["--ranks", "2"], ["--ranks", "0"], ["--ranks", "2", "--port", "70000"]):
            with self.assertRaisesRegex(Failed, "--ranks N --port P"):
                requested_ranks(wrong)

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

    def test_address_of_rank_0(self):
        first = {"n[3-4]": "n3"}.get
        for environment, address in (
            ({"MASTER_ADDR": "x", "OMPI_COMM_WORLD_LOCAL_SIZE": "4"}, "x"),
            ({"OMPI_COMM_WORLD_LOCAL_SIZE": "4"}, "127.0.0.1"),
            ({"MPI_LOCALNRANKS": "4"}, "127.0.0.1"),
            ({"SLURM_STEP_NUM_NODES": "1", "SLURM_NNODES": "2"}, "127.0.0.1"),
            ({"SLURM_NNODES": "1"}, "127.0.0.1"),
            ({"SLURM_STEP_NUM_NODES": "2", "SLURM_STEP_NODELIST": "n[3-4]"}, "n3"),
            # A daemon of mpirun that Slurm has started on the second node, where two of four ranks are.
            (
                {
                    "OMPI_COMM_WORLD_LOCAL_SIZE": "2",
                    "SLURM_STEP_NUM_NODES": "1",
                    "SLURM_STEP_NODELIST": "n4",
                    "SLURM_JOB_NODELIST": "n[3-4]",
                },
                "n3",
            ),
        ):
            self.assertEqual(address_of_rank_0(environment, 4, first), address)
        for environment in ({}, {"OMPI_COMM_WORLD_LOCAL_SIZE": "2"}):
            with self.assertRaisesRegex(Failed, "set MASTER_ADDR to rank 0's host"):
                address_of_rank_0(environment, 4)

    def test_places(self):
        self.assertEqual(ranks.places_on_hosts(["a", "b", "a"]), [(0, 2), (0, 1), (1, 2)])
        cpus = [0, 2, 4, 6, 1, 3, 5, 7]
        self.assertEqual([cpus_of_place(cpus, index, 3) for index in range(3)], [[0, 2, 4], [1, 3, 6], [0, 5, 7]])
        self.assertEqual(cpus_of_place([5], 1, 2), [5])


class Combined(unittest.TestCase):
    def combine(self, *answers, hosts=HOSTS):
        return combine([{"ok": True, **answer} for answer in answers], hosts)

    def sample(self, *of_ranks):
        """The combination of the seconds, and of them those of communication, of each rank."""
        names = ("seconds", "communication_seconds")
        return self.combine(*(dict(zip(names, values)) for values in of_ranks), hosts=["h"] * len(of_ranks))

    def test_a_sample(self):
        answers = [
            {"iterations": 3, "seconds": 1.0, "cpu_seconds": 0.5, "joules": 10.0, "losses": [1.0], "warnings": ["w"]},
            {"iterations": 3, "seconds": 3.0, "cpu_seconds": 0.5, "joules": 11.0, "losses": [], "warnings": ["w", "v"]},
            {"iterations": 3, "seconds": 2.0, "cpu_seconds": 1.0, "joules": 5.0, "losses": []},
        ]
        combined = {"ok": True, "iterations": 3, "seconds": 3.0, "cpu_seconds": 2.0, "joules": 15.0, "losses": [1.0]}
        self.assertEqual(self.combine(*answers), {**combined, "warnings": ["w", "v"]})
        self.assertNotIn("joules", self.combine(*answers[:2], {**answers[2], "joules": None}))

    def test_a_rank_that_computes_longer(self):
        def warnings(*samples):
            stragglers = Stragglers(["h"] * len(samples[0]))
            names = ("seconds", "communication_seconds")
            said = [stragglers.warnings([dict(zip(names, values)) for values in of_ranks]) for of_ranks in samples]
            return said[-1]

        late = [(1.0, 0.3), (1.0, 0.0), (1.0, 0.3)]
        even = [(1.0, 0.3)] * 3
        words = "rank 1 on h computes more than 1.25x as long as the median rank: the others wait for it"
        self.assertEqual(warnings(*[late] * 5), [words])
        self.assertEqual(warnings(*[late] * 4), [], "too few samples")
        self.assertEqual(warnings(*[late, even] * 5), [], "only in half of them")
        self.assertAlmostEqual(self.sample(*late)["communication_seconds"], 0.2)
        self.assertIn("rank 0 on h computes more", warnings(*[[(1.0, 0.0), (1.0, 0.5)]] * 5)[0])
        for never in ([(1.0, 0.3), (1.0, 0.2)], [(1.0, 0.9), (1.0, None)], [(1.0, 0.99), (1.0, 0.95)]):
            self.assertEqual(warnings(*[never] * 5), [])
        self.assertNotIn("communication_seconds", self.sample((1.0, 0.9), (1.0, None)))

    def refusal(self, *reasons):
        refused = {"ok": False, "status": "failed"}
        said = [{"ok": True} if reason is None else {**refused, "reason": reason} for reason in reasons]
        return combine(said, HOSTS).get("reason")

    def test_refusals(self):
        self.assertEqual(self.refusal(None, "no room", None), "rank 1 on a: no room")
        self.assertEqual(self.refusal("", "", "no room"), "rank 2 on b: no room")
        self.assertEqual(self.refusal("no room", "no room", "less room"), "rank 0 on a: no room")
        self.assertEqual(self.refusal("no room", "no room", "no room"), "no room")
        self.assertIsNone(self.refusal(None, None, None))

    def hello(self, version="1", library="2", gpu="", supports=("f32",)):
        libraries, supported = {"lib": library} if library else {}, {"train": list(supports)}
        said = {"version": version, "libraries": libraries, "device_id": gpu, "supports": supported}
        return {**said, "ranks": [{"device_id": gpu}], "unreadable": {"joules": gpu}}

    def test_hellos(self):
        combined = self.combine(self.hello(gpu="0", supports=("f32", "bf16")), self.hello(gpu="1"), self.hello(gpu="2"))
        self.assertEqual(combined["ranks"], [{"device_id": "0"}, {"device_id": "1"}, {"device_id": "2"}])
        self.assertEqual((combined["supports"], combined["unreadable"]), ({"train": ["f32"]}, {"joules": "0"}))
        self.assertTrue(self.combine(self.hello(), self.hello(), self.hello())["ok"])
        for other, words in (
            (self.hello("3"), "rank 2 on b has breakeven 3, and rank 0 on a has 1"),
            (self.hello(library="4"), "rank 2 on b has lib 4, and rank 0 on a has 2"),
            (self.hello(library=None), "rank 2 on b has lib none, and"),
            (self.hello(gpu="GPU-1"), "rank 2 on b computes on the same GPU as rank 1, GPU-1"),
        ):
            refused = self.combine(self.hello(gpu="GPU-0"), self.hello(gpu="GPU-1"), other)
            self.assertFalse(refused["ok"])
            self.assertIn(words, refused["reason"])

    def test_models(self):
        def hellos(device, *models):
            return [{**self.hello(gpu=str(rank)), "device": device, "device_name": m} for rank, m in enumerate(models)]

        self.assertTrue(self.combine(*hellos("gpu", "H100", "H100", "H100"))["ok"])
        refused = self.combine(*hellos("gpu", "H100", "H100", "A100"))
        self.assertIn("rank 2 on b computes on A100, and rank 0 on H100; ranks must not differ", refused["reason"])
        self.assertTrue(self.combine(*hellos("cpu", "EPYC 1", "EPYC 1", "EPYC 2"))["ok"])
        warnings = ranks.cpu_warnings(hellos("cpu", "EPYC 1", "EPYC 1", "EPYC 2"), HOSTS)
        self.assertIn("rank 2 on b computes on EPYC 2, and rank 0 on EPYC 1: ", *warnings)
        self.assertEqual(ranks.cpu_warnings(hellos("cpu", "EPYC 1", "EPYC 1"), HOSTS), [])
        self.assertEqual(ranks.cpu_warnings(hellos("gpu", "H100", "A100"), HOSTS), [])


class ConnectingByNccl(unittest.TestCase):
    def connect(self, work, on_host=2, visible=8):
        said = []
        with ranks.connecting_by_nccl(types.SimpleNamespace(count_on_host=on_host, end=said.append), visible):
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


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Connected(FolderTest):
    """Tests of real processes, which the test itself launches."""

    variables = {}  # more of the ranks' environment

    def setUp(self):
        super().setUp()
        self.program = self.folder / "breakeven-backend-odd"
        self.program.write_text(PROGRAM)

    def start(self, *arguments, count=2, job="j"):
        self.started = {"arguments": arguments, "count": count, "job": job}
        self.port = free_port()
        self.ranks = [self.start_one(rank, count, job, arguments) for rank in range(count)]

    def start_one(self, rank, count, job, arguments):
        variables = {"PMI_RANK": str(rank), "MPI_LOCALNRANKS": str(count), "SLURM_JOB_ID": job, **self.variables}
        command = [sys.executable, self.program, "--ranks", str(count), "--port", str(self.port), *arguments]
        stdin = subprocess.PIPE if rank == 0 else subprocess.DEVNULL
        pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        process = subprocess.Popen(command, env=os.environ | variables, **pipes)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def ask(self, **request):
        first = self.ranks[0]
        first.stdin.write(json.dumps(request) + "\n")
        first.stdin.flush()
        return json.loads(first.stdout.readline() or "null")  # None if it has ended

    def hello(self, **more):
        answer = self.ask(request="hello", protocol=1, threads=2, **more)
        if "cannot listen on port" in (answer or {}).get("reason", ""):  # somebody has taken it meanwhile
            self.start(*self.started["arguments"], count=self.started["count"], job=self.started["job"])
            answer = self.ask(request="hello", protocol=1, threads=2, **more)
        return answer

    def prepare(self, op="train", ranks=2):
        case = train("mlp", 4)
        case["parameters"]["ranks"] = ranks
        return self.ask(request="prepare", **{**case, "op": op})

    def ended(self):
        """The exit statuses of all ranks, which must end within seconds, and what they have said."""
        outputs = [process.communicate(timeout=30) for process in self.ranks]
        self.assertEqual([out for out, _ in outputs], [""] * len(outputs))
        return [process.returncode for process in self.ranks], [errors for _, errors in outputs]

    def test_a_whole_conversation(self):
        self.start()
        hello = self.hello()
        host = socket.gethostname()
        self.assertEqual([(r["host"], r["threads"]) for r in hello["ranks"]], [(host, 1)] * 2)
        self.assertEqual([rank["pid"] for rank in hello["ranks"]], [process.pid for process in self.ranks])
        cpus = [rank["cpus"] for rank in hello["ranks"]]
        self.assertEqual([len(of_rank) for of_rank in cpus], [1, 1])
        if len(os.sched_getaffinity(0)) > 1:
            self.assertNotEqual(*cpus)
        for process, of_rank in zip(self.ranks, cpus):
            self.assertEqual(sorted(os.sched_getaffinity(process.pid)), of_rank)
        self.assertEqual(self.prepare(), {"ok": True, "algorithm": "sleeps", "transfer": "resident"})
        self.assertEqual(self.ask(request="verify", elements=[])["elements"], [0, 1])
        sample = self.ask(request="sample", iterations=2)
        self.assertGreater(sample["seconds"], 0.03)
        self.assertEqual(sample["losses"], [0.5])
        self.assertGreaterEqual(sample["communication_seconds"], 0.0005)  # and until the slower one is done
        self.assertNotIn("warnings", sample)
        for _ in range(4):
            sample = self.ask(request="sample", iterations=2)
        self.assertIn(f"rank 1 on {host} computes", sample["warnings"][0])
        self.prepare()
        self.assertNotIn("warnings", self.ask(request="sample", iterations=2), "it is another case")
        self.assertEqual(self.ask(request="quit"), {"ok": True})
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
            self.start("gpus")
            self.assertEqual([rank["cpus"] for rank in self.hello()["ranks"]], places)
            for process, place in zip(self.ranks, places):
                self.assertEqual(sorted(os.sched_getaffinity(process.pid)), place or cpus)
            self.assertEqual(self.ask(request="quit"), {"ok": True})

    def test_a_request_does_not_outlast_the_driver_for_long(self):
        self.start("impatient", "0:never-ends", "1:never-ends")
        self.hello()
        self.prepare()
        self.ranks[0].stdin.write('{"request": "sample", "iterations": 1}\n')
        self.ranks[0].stdin.close()
        self.ranks[0].stdin = None
        begun = time.monotonic()
        words = f"rank 0 on {socket.gethostname()}: nobody waits for its answer any more\n"
        self.assertEqual(self.ended(), ([1, 1], [words, ""]))
        self.assertLess(time.monotonic() - begun, 30)

    def test_the_end_of_input_ends_all(self):
        self.start(count=3)
        self.assertEqual(len(self.hello()["ranks"]), 3)
        self.ranks[0].stdin.close()
        self.ranks[0].stdin = None
        self.assertEqual(self.ended(), ([0, 0, 0], ["", "", ""]))

    def test_requests_are_refused_together(self):
        self.start("1:refuses")
        self.hello()
        refused = self.prepare()
        self.assertEqual(refused["reason"], f"rank 1 on {socket.gethostname()}: no room")
        self.assertEqual(self.ask(request="sample", iterations=1)["reason"], "nothing is prepared")
        self.assertEqual(self.prepare(ranks=3)["reason"], "the case is for 3 ranks, and a launcher has started 2")
        self.assertEqual(self.prepare("infer")["status"], "unsupported")
        self.assertEqual(self.ask(request="quit"), {"ok": True})
        self.assertEqual(self.ended()[0], [0, 0])

    def test_hellos_of_different_ranks_are_refused(self):
        for argument, words in (("1:differs", "has lib 2, and rank 0"), ("gpu", "the same GPU as rank 0, GPU-1")):
            self.start(argument)
            self.assertIn(words, self.hello()["reason"])

    def test_an_exception_of_one_during_work_ends_all(self):
        self.start("1:throws")
        self.hello()
        self.prepare()
        self.assertIsNone(self.ask(request="sample", iterations=1))
        self.assertEqual(self.ended(), ([1, 1], ["", f"rank 1 on {socket.gethostname()}: ValueError: of no use\n"]))

    def test_one_that_is_killed_ends_all(self):
        for killed, other in ((1, 0), (0, 1)):
            for request in (None, {"request": "sample", "iterations": 1}):  # between requests, and during one
                with self.subTest(killed=killed, request=request):
                    self.start("0:never-ends", "1:never-ends")
                    self.hello()
                    self.prepare()
                    if request:
                        self.ranks[0].stdin.write(json.dumps(request) + "\n")
                        self.ranks[0].stdin.flush()
                        time.sleep(0.3)
                    self.ranks[killed].kill()
                    statuses, errors = self.ended()
                    self.assertEqual((statuses[killed], statuses[other]), (-signal.SIGKILL, 1))
                    self.assertEqual(errors[other], f"rank {killed} on {socket.gethostname()} has ended\n")

    def test_one_that_is_stopped_ends_all(self):
        self.start("impatient", "0:never-ends", "1:never-ends")
        self.hello()
        self.prepare()
        self.ranks[0].stdin.write('{"request": "sample", "iterations": 1}\n')
        self.ranks[0].stdin.flush()
        self.ranks[1].send_signal(signal.SIGSTOP)
        self.assertEqual(self.ranks[0].wait(timeout=40), 1)  # and not after the 60 seconds of the sample
        self.ranks[1].send_signal(signal.SIGCONT)  # as mpirun does with the others
        host = socket.gethostname()
        self.assertIn(f"rank 1 on {host} has shown no sign of life for 5 s: it is stopped, or", self.ended()[1][0])

    def test_one_that_lasts_is_alive(self):
        self.start("impatient", "1:lasts")
        self.hello()
        self.prepare()
        self.assertTrue(self.ask(request="sample", iterations=1)["ok"])

    def test_idle_ranks_take_no_time(self):
        self.start()
        self.hello()
        # Polling ranks would take up to 200 in every second. On a busy machine the start may last into the first.
        self.assertLessEqual(min(self.ticks_in_a_second() for _ in range(3)), 40)

    def ticks_in_a_second(self):
        before = sum(map(self.ticks, self.ranks))
        time.sleep(1)
        return sum(map(self.ticks, self.ranks)) - before

    @staticmethod
    def ticks(process):
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])  # user and system

    def test_strangers_are_sent_away(self):
        self.port, count = free_port(), 2
        self.ranks = [self.start_one(0, count, "j", ())]
        for words in (b"GET / HTTP/1.1\r\n\r\n", b'{"job": "other", "rank": 1, "host": "h"}\n', b"1\n", b"x" * 9999):
            with self.connected() as stranger:
                stranger.sendall(words)
                try:
                    self.assertEqual(stranger.recv(1), b"")
                except ConnectionResetError:
                    pass  # closed before it had read all
        self.ranks.append(self.start_one(1, count, "j", ()))
        self.assertTrue(self.hello()["ok"])

    def connected(self):
        for _ in range(100):
            try:
                return socket.create_connection(("127.0.0.1", self.port), timeout=10)
            except ConnectionRefusedError:
                time.sleep(0.1)
        return self.fail("rank 0 does not listen")

    def test_without_a_launcher_all_is_refused(self):
        variables = {name: value for name, value in os.environ.items() if not name.endswith(("_RANK", "_PROCID"))}
        command = [sys.executable, self.program, "--ranks", "2", "--port", "4"]
        done = subprocess.run(command, input='{"request": "hello"}\n', env=variables, capture_output=True, text=True)
        self.assertIn("no launcher says which rank", json.loads(done.stdout)["reason"])


if __name__ == "__main__":
    use_python_with_numpy()
    unittest.main()
