"""Tests every subcommand in a bad environment: streams that are closed or full, limits on files, memory and
descriptors, missing folders and locales, allocations and writes that fail. Whatever happens, it ends with a documented
status and a message of its own: never by a signal, never with the text of an exception."""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time
import unittest

from backend_program import BUILD, SIMULATED, SOURCE, folder_until

DRIVER = BUILD / "breakeven"
FAILING = BUILD / "tests" / "planted_faults" / "failing-calls.so"
DOCUMENTED = {0, 1, 2, 3, 4}
NOT_OURS = ("terminate called", "what():", "exception", "std::", "Aborted", "Segmentation")
MIB = 1 << 20


class Surroundings:
    """The environment of a command."""

    def __init__(self, name, prepare=None, out=None, err=None, environment=None, closed=()):
        self.name, self.prepare, self.out, self.err = name, prepare, out, err
        self.environment, self.closed = environment or {}, closed

    def takes_output(self):
        return self.out is None and 1 not in self.closed


def limit(what, value):
    return lambda: resource.setrlimit(what, (value, value))


WELL = Surroundings("as usual")
STREAMS = [
    Surroundings("stdin closed", closed=(0,)),
    Surroundings("stdout closed", closed=(1,)),
    Surroundings("stderr closed", closed=(2,)),
    Surroundings("stdout and stderr closed", closed=(1, 2)),
    Surroundings("all closed", closed=(0, 1, 2)),
    Surroundings("stdout full", out="/dev/full"),
    Surroundings("stderr full", err="/dev/full"),
    Surroundings("both full", out="/dev/full", err="/dev/full"),
]
PLACES = [
    Surroundings("TMPDIR missing", environment={"TMPDIR": "/no/such/folder"}),
    Surroundings("HOME missing", environment={"HOME": None, "TMPDIR": None}),
    Surroundings("locale C", environment={"LC_ALL": "C"}),
    Surroundings("locale C.UTF-8", environment={"LC_ALL": "C.UTF-8"}),
    Surroundings("locale de_DE", environment={"LC_ALL": "de_DE.UTF-8"}),
]
FILES = [Surroundings(f"files of {size} bytes", limit(resource.RLIMIT_FSIZE, size)) for size in (0, 512)]
DESCRIPTORS = [Surroundings(f"{count} descriptors", limit(resource.RLIMIT_NOFILE, count)) for count in (4, 8, 16)]
MEMORY = [Surroundings(f"{size} MiB of memory", limit(resource.RLIMIT_AS, size * MIB)) for size in (48, 64, 96, 160)]


class SurroundingsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = folder_until(cls.addClassCleanup)
        (cls.folder / "backends").mkdir()
        for name in "ab":
            (cls.folder / "backends" / f"breakeven-backend-{name}").symlink_to(SIMULATED)
        product = {"op": "matmul", "m": [8], "n": "m", "k": "m", "dtype": "f32"}
        measure = {"max_seconds": 0.05, "timeout_seconds": 20}
        config = {"backends": ["a", "b"], "measure": measure, "workloads": [product]}
        cls.write("config.json", json.dumps(config))
        sizes = {"from": 8, "to": 32, "factor": 2}
        question = {"parameter": "m", "baseline": {"backends": ["a"]}, "challenger": {"backends": ["b"]}}
        cls.write(
            "question.json",
            json.dumps({"measure": measure, "threshold": question, "workloads": [dict(product, m=sizes)]}),
        )
        for command in (
            ["run", "config.json", "--out", "r.json"],
            ["compare", "r.json", "r.json", "--out", "v.json"],
            ["history", "add", "store", "r.json", "--commit", "c"],
        ):
            done = cls.launch(command)
            assert done.returncode == 0, (command, done)

    @classmethod
    def write(cls, name, text):
        (cls.folder / name).write_text(text)
        return cls.folder / name

    @classmethod
    def launch(cls, command, around=WELL, more=None, **options):
        environment = dict(os.environ, BREAKEVEN_BACKENDS=str(cls.folder / "backends"), TMPDIR=str(cls.folder))
        environment["BREAKEVEN_SIMULATED"] = "noise=0"
        for name, value in {**around.environment, **(more or {})}.items():
            environment.pop(name, None)
            if value is not None:
                environment[name] = value

        def prepare():
            if around.prepare:
                around.prepare()
            for descriptor in around.closed:
                os.close(descriptor)

        out, err = (open(path, "wb") if path else subprocess.PIPE for path in (around.out, around.err))
        try:
            return subprocess.run(
                [DRIVER, *command],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=environment,
                cwd=cls.folder,
                preexec_fn=prepare,
                timeout=120,
                **options,
            )
        finally:
            for stream in (out, err):
                if stream != subprocess.PIPE:
                    stream.close()

    def expect_orderly(self, done, *context):
        text = (done.stdout or b"") + (done.stderr or b"")
        self.assertIn(done.returncode, DOCUMENTED, (*context, text[-2000:]))
        for words in NOT_OURS:
            self.assertNotIn(words.encode(), done.stderr or b"", context)
        if done.returncode == 2 and done.stderr is not None and 2 not in context[1].closed:
            self.assertIn(b"breakeven", done.stderr, context)

    def commands(self):
        """All commands, each with the file that it writes, if any."""
        base = f"{self.folder}/backends:a"
        head = f"{self.folder}/backends:b"
        return [
            (["--help"], None),
            (["--version"], None),
            ([], None),
            (["nosuch"], None),
            (["list"], None),
            (["list", "nosuch.json"], None),
            (["list", "config.json", "--json"], None),
            (["list", "--schema"], None),
            (["help", "run"], None),
            (["man"], None),
            (["completion", "bash"], None),
            (["run", "config.json", "--out", "-"], None),
            (["run", "config.json", "--out", "out.json"], "out.json"),
            (["run", "config.json", "--out", "out.json", "--quiet"], "out.json"),
            (["run", "config.json", "--resume", "r.json", "--out", "resumed.json"], "resumed.json"),
            (["report", "r.json"], None),
            (["report", "v.json"], None),
            (["report", "nosuch.json"], None),
            (["report", "r.json", "--html", "page.html"], "page.html"),
            (["report", "r.json", "--csv", "-"], None),
            (["report", "r.json", "--list-charts"], None),
            (["compare", "r.json", "r.json"], None),
            (["compare", "r.json", "r.json", "--quiet", "--out", "verdicts.json"], "verdicts.json"),
            (["rank", "r.json", "r.json"], None),
            (["gate", "config.json", "--base", base, "--head", base, "--out", "gate.json"], "gate.json"),
            (["gate", "config.json", "--base", base, "--head", head, "--check"], None),
            (["threshold", "question.json", "--out", "found.json"], "found.json"),
            (["selftest", "config.json", "--backends", "a", "--minutes", "0.0001", "--out", "s.json"], "s.json"),
            (["history", "list", "store"], None),
            (["history", "check", "store", "--out", "check.json"], "check.json"),
            (["history", "accept", "store"], None),
            (["history", "add", "new-store", "r.json", "--commit", "d"], "new-store"),
            (["conformance", "nosuch"], None),
        ]

    def remove(self, written):
        if written:
            (self.folder / written).unlink(missing_ok=True)

    def litter(self):
        kept = {"backends", "config.json", "question.json", "r.json", "v.json", "store", "results"}
        return {path.name for path in self.folder.iterdir()} - kept

    def test_streams_and_places(self):
        for command, written in self.commands():
            self.remove(written)
            usual = self.launch(command)
            self.expect_orderly(usual, command, WELL)
            for around in STREAMS + PLACES:
                self.remove(written)
                done = self.launch(command, around)
                self.expect_orderly(done, command, around)
                lost = usual.stdout and not around.takes_output()
                self.assertEqual(done.returncode, 2 if lost else usual.returncode, (command, around.name, done))
                if lost and around.out and done.stderr:
                    self.assertIn(b"standard output: cannot be written to", done.stderr, (command, around.name))
                if written and not lost:
                    self.assertTrue((self.folder / written).exists(), (command, around.name))
            self.remove(written)

    def test_limits(self):
        limits = FILES + ([] if self.is_sanitized() else DESCRIPTORS + MEMORY)
        for command, written in self.commands():
            for around in limits:
                self.remove(written)
                done = self.launch(command, around)
                if done.returncode == 127:  # from the loader, which could not load the libraries
                    continue
                self.expect_orderly(done, command, around)
                parts = [name for name in self.litter() if ".part" in name or name.endswith(".lock")]
                self.assertEqual(parts, [], (command, around.name))
            self.remove(written)

    def test_what_was_measured_is_rescued(self):
        """Results are saved beside the file, in the folder of results, in TMPDIR, or at home; the message says
        where."""
        home = str(folder_until(self.addCleanup))
        commands = [["run", "config.json", "--out", "-"], ["run", "config.json", "--out", "/dev/full"]]
        base = f"{self.folder}/backends:a"
        commands.append(["gate", "config.json", "--base", base, "--head", base, "--out", "-"])
        commands.append(["gate", "config.json", "--base", base, "--head", base, "--out", "/dev/full"])
        commands.append(["threshold", "question.json", "--out", "-"])
        commands.append(["selftest", "config.json", "--backends", "a", "--minutes", "0.0001", "--out", "-"])
        for command in commands:
            full = Surroundings("full", out="/dev/full")
            done = self.launch(command, full, more={"TMPDIR": "/no/such/folder", "HOME": home})
            self.assertEqual(done.returncode, 2, (command, done))
            marker = b"what was measured is in "
            self.assertIn(marker, done.stderr, command)
            if command[-1] == "/dev/full":
                self.assertIn(b"/dev/full: cannot be written: No space left on device", done.stderr, command)
                self.assertTrue(pathlib.Path("/dev/full").is_char_device())
            path = done.stderr.split(marker)[1].split(b"\n")[0].decode()
            rescued = json.loads((self.folder / path).read_text())
            self.assertTrue(rescued["schema"].startswith("breakeven."), command)
            self.assertIn("results/", path)

    def measure_natively(self, around, **measure):
        """The only case of a run of a real backend on all threads."""
        self.write("triad.json", json.dumps({"measure": {"max_seconds": 0.1, **measure}, "workloads": [{"op": "triad", "bytes": 4 * MIB}]}))
        done = self.launch(["run", "triad.json", "--backends", "native", "--out", "t.json"], around, more={"BREAKEVEN_BACKENDS": None})
        (case,) = json.loads((self.folder / "t.json").read_text())["cases"]
        return done, case

    def test_placement_that_the_kernel_refuses_is_not_recorded(self):
        if not (BUILD / "breakeven-backend-native").exists() or len(os.sched_getaffinity(0)) == 1 or self.is_sanitized():
            return
        refused = Surroundings("pinning refused", environment={"LD_PRELOAD": str(FAILING), "BREAKEVEN_FAILING": "sched_setaffinity"})
        done, case = self.measure_natively(refused)
        self.assertEqual((done.returncode, case["conditions"]["cpus"]), (0, []))
        self.assertTrue(any("did not let its threads be held" in warning for warning in case["warnings"]), case["warnings"])
        done, case = self.measure_natively(refused, cache="cold")
        self.assertEqual((done.returncode, case["status"]), (4, "failed"))
        self.assertIn("caches cannot be flushed: the kernel lets no thread be held", case["reason"])

    def test_without_proc_that_is_the_cause(self):
        inside = ["unshare", "--mount", "--map-root-user", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
        if subprocess.run([*inside, "true"], capture_output=True).returncode != 0:
            return  # a container without the right to mount
        for command in (["run", "config.json"], ["devices"], ["conformance", "a"], ["threshold", "question.json"]):
            done = subprocess.run([*inside, DRIVER, *command], cwd=self.folder, capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 4, (command, done))
            self.assertIn("breakeven: /proc is not mounted: nothing can be measured without it", done.stderr, command)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_a_backend_without_the_right_to_run_says_so(self):
        (self.folder / "unpacked").mkdir()
        program = self.folder / "unpacked" / "breakeven-backend-openblas"
        program.write_bytes(SIMULATED.read_bytes())
        program.chmod(0o644)
        more = {"BREAKEVEN_BACKENDS": str(self.folder / "unpacked")}
        done = self.launch(["run", "config.json", "--backends", "openblas"], more=more)
        self.assertEqual(done.returncode, 4)
        self.assertIn(b"cannot be started: Permission denied; make it executable (chmod +x)", done.stderr)

    def test_a_program_killed_for_want_of_memory_says_so(self):
        group = pathlib.Path("/sys/fs/cgroup/memory", f"breakeven-test-{os.getpid()}")
        if self.is_sanitized():
            return
        try:
            group.mkdir()
        except OSError:
            return  # no cgroup of version 1, or no right to make one
        self.addCleanup(group.rmdir)
        (group / "memory.limit_in_bytes").write_text(f"{64 * MIB}")

        def enter():
            (group / "cgroup.procs").write_text(f"{os.getpid()}")

        limited = Surroundings("64 MiB", prepare=enter)
        command = ["run", "config.json", "--backends", "a", "--out", "h.json"]
        done = self.launch(command, limited, more={"BREAKEVEN_SIMULATED": "noise=0,fault=hog,at=prepare"})
        self.assertEqual(done.returncode, 4, done)
        (case,) = json.loads((self.folder / "h.json").read_text())["cases"]
        self.assertEqual(case["status"], "out_of_memory", case)
        self.assertIn("was killed by the kernel for want of memory (the cgroup's limit is 64 MiB)", case["reason"])

    def test_a_closed_stream_gets_nothing_that_was_meant_for_a_file(self):
        """A file that is opened later must not get the number of a closed stream."""
        closed = Surroundings("all closed", closed=(0, 1, 2))
        (self.folder / "good.json").unlink(missing_ok=True)
        self.launch(["run", "config.json", "--out", "good.json"], closed)
        self.assertEqual(json.loads((self.folder / "good.json").read_text())["complete"], True)
        (self.folder / "good.json").unlink()

    def test_standard_output_by_another_name(self):
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            done = self.launch(["run", "config.json", "--out", name])
            self.assertEqual(done.returncode, 0, (name, done.stderr))
            self.assertEqual(json.loads(done.stdout)["complete"], True)
            done = self.launch(["report", "r.json", "--csv", name])
            self.assertIn(b",a,", done.stdout)

    def test_no_name_is_no_file(self):
        before = self.litter()
        for command in (
            ["run", "config.json", "--out", ""],
            ["run", "config.json", "--resume", ""],
            ["selftest", "config.json", "--out", ""],
            ["report", "r.json", "--csv", ""],
            ["report", ""],
            ["history", "add", "", "r.json", "--commit", "c"],
        ):
            done = self.launch(command)
            self.assertEqual(done.returncode, 2, command)
            self.assertRegex(done.stderr, b"is empty", command)
        self.assertEqual(self.litter(), before)

    def test_a_store_is_a_file(self):
        """SQLite has special names under which nothing would be stored."""
        self.launch(["history", "add", ":memory:", "r.json", "--commit", "c"])
        self.assertTrue((self.folder / ":memory:").exists())
        (self.folder / ":memory:").unlink()
        os.mkfifo(self.folder / "pipe")
        done = self.launch(["history", "list", "pipe"])
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is no ordinary file", done.stderr)
        (self.folder / "pipe").unlink()

    def test_two_runs_do_not_write_one_file(self):
        slow = dict(os.environ, BREAKEVEN_BACKENDS=str(self.folder / "backends"))
        slow["BREAKEVEN_SIMULATED"] = "fault=hang,at=prepare"
        command = [DRIVER, "run", "config.json", "--out", "one/file.json"]
        first = subprocess.Popen(command, env=slow, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            lock = self.folder / "one" / ".file.json.lock"
            for _ in range(600):
                if lock.exists():
                    break
                time.sleep(0.05)
            for name in ("one/file.json", f"{self.folder}/one/../one/file.json"):
                done = self.launch(["run", "config.json", "--out", name])
                self.assertEqual(done.returncode, 2)
                self.assertIn(b"another run writes it", done.stderr)
                self.assertIn(b"file.json", done.stderr)
        finally:
            first.kill()
            first.wait()
        # A lock file left by a killed process does not block the next, which removes it.
        done = self.launch(["run", "config.json", "--out", "one/file.json"])
        self.assertEqual(done.returncode, 0, done)
        self.assertEqual([path.name for path in (self.folder / "one").iterdir()], ["file.json"])

    def test_a_lock_leaves_no_folder(self):
        done = self.launch(["run", "config.json", "--backends", "openbals", "--out", "new/folder/file.json"])
        self.assertEqual(done.returncode, 2)
        self.assertFalse((self.folder / "new").exists())

    def test_no_input_is_replaced(self):
        (self.folder / "shapes").mkdir()
        rows = {"source": "a test", "op": "matmul", "columns": ["m", "n", "k"], "rows": [[8, 8, 8]]}
        self.write("shapes/some.json", json.dumps(rows))
        workload = {"op": "matmul", "shapes": "shapes/some.json", "dtype": "f32"}
        self.write("shaped.json", json.dumps({"backends": ["a"], "workloads": [workload]}))
        os.link(self.folder / "r.json", self.folder / "hard.json")
        (self.folder / "soft.json").symlink_to("r.json")
        self.write("prices.json", "{}")
        base = f"{self.folder}/backends:a"
        cases = [
            (["report", "r.json", "--csv", "r.json"], "r.json"),
            (["report", "r.json", "--csv", "hard.json"], "r.json"),
            (["report", "r.json", "--csv", "soft.json"], "r.json"),
            (["report", "r.json", "--html", "./shapes/../r.json"], "r.json"),
            (["report", "soft.json", "--csv", "r.json"], "r.json"),
            (["report", "r.json", "--chart", "any=r.json"], "r.json"),
            (["compare", "r.json", "r.json", "--out", "hard.json"], "r.json"),
            (["rank", "r.json", "--prices", "prices.json", "--out", "prices.json"], "prices.json"),
            (["rank", "r.json", "--mix", "shaped.json", "--out", "shapes/some.json"], "shapes/some.json"),
            (["run", "config.json", "--out", "config.json"], "config.json"),
            (["run", "shaped.json", "--out", "shapes/some.json"], "shapes/some.json"),
            (["gate", "shaped.json", "--base", base, "--head", base, "--out", "shapes/some.json"], "shapes/some.json"),
            (["threshold", "question.json", "--out", "question.json"], "question.json"),
            (["selftest", "shaped.json", "--out", "shapes/some.json"], "shapes/some.json"),
            (["history", "check", "store", "--out", "store"], "store"),
        ]
        for command, kept in cases:
            before = (self.folder / kept).read_bytes()
            done = self.launch(command)
            self.assertEqual(done.returncode, 2, (command, done))
            self.assertIn(b"is an input of this command", done.stderr, command)
            self.assertEqual((self.folder / kept).read_bytes(), before, command)
        # Opened as by a shell.
        with open(self.folder / "r.json", "rb") as opened:
            command = [DRIVER, "report", "-", "--csv", "r.json"]
            done = subprocess.run(command, stdin=opened, capture_output=True, cwd=self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn(b"is an input of this command", done.stderr)
        # The earlier result is kept under a name that may also be an input.
        self.write("mine.json", "{}")
        (self.folder / "config.json").rename(self.folder / "mine.previous.json")
        try:
            done = self.launch(["run", "mine.previous.json", "--out", "mine.json"])
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"is an input of this command", done.stderr)
        finally:
            (self.folder / "mine.previous.json").rename(self.folder / "config.json")
        for name in ("hard.json", "soft.json", "prices.json", "shaped.json", "mine.json", "shapes/some.json"):
            (self.folder / name).unlink()
        (self.folder / "shapes").rmdir()

    def test_texts_from_files_give_no_orders(self):
        """Text from files must not control a terminal, or a CI system that reads the log."""
        hostile = "::error file=x::owned\u202e \x1b[2J\x9b2J ##[error]no ##vso[task.complete]\n::warning::too"
        config = json.loads((self.folder / "config.json").read_text())
        self.write("hostile.json", json.dumps(dict(config, title=hostile)))
        self.assertEqual(self.launch(["run", "hostile.json", "--out", "h.json"]).returncode, 0)
        result = json.loads((self.folder / "h.json").read_text())
        result |= {"warnings": [hostile], "notes": []}
        result["host"]["name"] = hostile
        result["cases"][0].update(status="failed", reason=hostile, label=hostile)
        self.write("h.json", json.dumps(result))
        broken = [
            self.write("key.json", json.dumps({hostile: 1, "workloads": []})),
            self.write("schema.json", json.dumps({"schema": hostile, "complete": True})),
            self.write("types.json", json.dumps({"schema": "breakeven.result/1", "cases": hostile, hostile: hostile})),
            self.write("text.json", '{"a": ' + hostile),
        ]
        commands = [["report", "h.json"], ["report", "h.json", "--markdown", "-"], ["report", "h.json", "--list-charts"]]
        commands += [["compare", "h.json", "h.json", "--annotations", "-"], ["list", "hostile.json"]]
        commands += [[command, str(path)] for path in broken for command in ("report", "list", "run")]
        commands += [["run", "config.json", "--out", hostile + "/"], ["run", "config.json", "--backends", hostile]]
        commands += [["report", hostile]]
        for command in commands:
            done = self.launch(command)
            self.expect_orderly(done, command, WELL)
            for line in (done.stdout + b"\n" + done.stderr).decode().split("\n"):
                if command[-2] != "--annotations" or done.returncode == 2:
                    self.assertFalse(line.strip().startswith("::"), (command, line))
                for order in ("\x1b", "\x9b", "\u202e", "##[", "##vso["):
                    self.assertNotIn(order, line, (command, line))
        for path in [*broken, self.folder / "hostile.json", self.folder / "h.json"]:
            path.unlink()

    def test_messages_are_short(self):
        long = "x" * 20_000
        files = [{"schema": long}, {"schema": "breakeven.result/1", long: 1}]
        files += [{long: 1, "workloads": []}, {"workloads": [{"op": long}]}]
        for number, document in enumerate(files):
            path = self.write(f"long{number}.json", json.dumps(document))
            self.write("bare.json", "{" + long)
            for command in (["report", path], ["list", path], ["report", "bare.json"], ["list", "bare.json"]):
                done = self.launch(command)
                self.assertEqual(done.returncode, 2)
                self.assertLess(max(map(len, done.stderr.split(b"\n"))), 600, command)
                self.assertNotIn(b"json.exception", done.stderr)
            path.unlink()
        (self.folder / "bare.json").unlink()

    def test_too_large_is_refused_before_it_is_read(self):
        with open(self.folder / "large.json", "wb") as file:
            file.truncate(300 * MIB)
        little = Surroundings("little memory", limit(resource.RLIMIT_AS, 200 * MIB))
        around = WELL if self.is_sanitized() else little
        for command in (["report", "large.json"], ["compare", "large.json", "r.json"], ["rank", "large.json"]):
            done = self.launch(command, around)
            self.assertEqual(done.returncode, 2)
            self.assertIn(b"large.json: is 300.0 MiB large, and at most 256 MiB are read", done.stderr)
        (self.folder / "large.json").unlink()

    def test_too_many_values_are_refused(self):
        self.write("ones.json", '{"schema": "breakeven.result/1", "cases": [' + "1," * 33_600_000 + "1]}")
        done = self.launch(["report", "ones.json"])
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, rb"ones\.json: .*more than 33 million values")
        (self.folder / "ones.json").unlink()

    def test_the_end_of_memory_names_the_file(self):
        if self.is_sanitized():
            self.skipTest("memory cannot be limited here: the driver is built with a sanitizer")
        result = json.loads((self.folder / "r.json").read_text())
        case = result["cases"][0]
        result["cases"] = [dict(case, backend=f"{case['backend']}{i}") for i in range(100_000)]
        self.write("big.json", json.dumps(result))
        little = Surroundings("little memory", limit(resource.RLIMIT_AS, 160 * MIB))
        for command in (["report", "big.json"], ["compare", "big.json", "big.json"], ["rank", "big.json", "r.json"]):
            done = self.launch(command, little)
            self.assertEqual(done.returncode, 2, (command, done))
            self.assertIn(b"big.json: does not fit into memory", done.stderr, command)
        (self.folder / "big.json").unlink()

    def test_large_files_are_read_in_little_memory(self):
        """No samples are kept for a report, and one case at a time is in memory as JSON: less than the text needs."""
        if self.is_sanitized():
            self.skipTest("memory cannot be limited here: the driver is built with a sanitizer")
        source = SOURCE / "results" / "xeon-avx512-2-cores" / "matmul.json"
        for name in ("large.json", "other.json"):
            subprocess.run(
                [sys.executable, SOURCE / "bench" / "many_rows.py", source, "10000", self.folder / name, "--host", name],
                check=True,
            )
        self.assertGreater((self.folder / "large.json").stat().st_size, 45 * MIB)
        little = Surroundings("little memory", limit(resource.RLIMIT_AS, 240 * MIB))
        for command in (
            ["report", "large.json", "--csv", "/dev/null"],
            ["report", "large.json"],
            ["rank", "large.json", "other.json"],
            ["compare", "large.json", "large.json", "--quiet"],
        ):
            done = self.launch(command, little)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
        for name in ("large.json", "other.json"):
            (self.folder / name).unlink()

    def is_sanitized(self):
        """A driver built with a sanitizer uses more address space than there is, and needs descriptors of its own:
        clang's check of virtual tables uses a pipe to find out which memory is readable."""
        return self.launch(["--version"], Surroundings("", limit(resource.RLIMIT_AS, 512 * MIB))).returncode != 0

    def failing(self, command, what, number):
        more = {"LD_PRELOAD": str(FAILING), "BREAKEVEN_FAILING": f"{what}={number}"}
        return self.launch(command, more=more)

    def skip_unless_failing_calls(self):
        self.assertTrue(FAILING.exists(), "it is built with cli-tests")
        if self.is_sanitized():
            self.skipTest("the library that makes calls fail does not go with sanitizers")
        self.assertEqual(self.failing(["--version"], "malloc", 0).returncode, 0)

    def test_the_nth_allocation_fails(self):
        self.skip_unless_failing_calls()
        numbers = sorted({*range(1, 30), *(int(30 * 1.2**i) for i in range(34))})
        page = ["report", "r.json", "--html", "page.html"]
        for command in (["compare", "r.json", "r.json"], page, ["list", "config.json"]):
            usual = self.launch(command).returncode
            for number in numbers:
                done = self.failing(command, "malloc", number)
                self.expect_orderly(done, command, WELL, number)
                self.assertIn(done.returncode, {usual, 2}, (command, number, done.stderr))
        self.remove("page.html")

    def test_the_nth_write_fails(self):
        """An earlier file is unchanged then, and no other file is left beside it."""
        self.skip_unless_failing_calls()
        for command, written in (
            (["report", "r.json", "--html", "page.html"], "page.html"),
            (["report", "r.json", "--csv", "table.csv"], "table.csv"),
            (["compare", "r.json", "r.json", "--out", "verdicts.json"], "verdicts.json"),
        ):
            for what in ("write", "fsync", "open", "rename", "a part only"):
                before = self.litter() | {written}
                self.write(written, "what was there")
                done = self.launch(command, FILES[1]) if what == "a part only" else self.failing(command, what, 1)
                text = (self.folder / written).read_text()
                with self.subTest(command=command, what=what):
                    self.expect_orderly(done, command, WELL)
                    self.assertEqual(done.returncode, 2)
                    self.assertRegex(done.stderr, b"File too large" if what == "a part only" else b"No space left on device")
                    self.assertEqual(text, "what was there")
                    self.assertEqual(self.litter(), before)
            self.remove(written)

    def test_a_run_outlives_any_failed_write(self):
        self.skip_unless_failing_calls()
        for what in ("write", "fsync", "open", "rename"):
            for number in range(1, 8):
                for name in ("out.json", "out.previous.json"):
                    self.remove(name)
                self.write("out.json", "what was there")
                done = self.failing(["run", "config.json", "--out", "out.json"], what, number)
                context = (what, number, done)
                self.expect_orderly(done, "run", WELL, context)
                rescued = list(self.folder.glob("out.rescued-*.json"))
                if b"cannot be written" in done.stderr and not rescued:  # detected before the measurement
                    self.assertEqual((self.folder / "out.json").read_text(), "what was there", context)
                    continue
                if done.returncode == 2:
                    self.assertIn(f"what was measured is in {rescued[0].resolve()}\n".encode(), done.stderr, context)
                kept = rescued[0] if rescued else self.folder / "out.json"
                self.assertEqual(json.loads(kept.read_text())["complete"], True, context)
                for path in rescued:
                    path.unlink()
                self.assertEqual((self.folder / "out.previous.json").read_text(), "what was there", context)
        for name in ("out.json", "out.previous.json"):
            self.remove(name)


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    unittest.main()
