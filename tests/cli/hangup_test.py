"""Tests that results are saved if the terminal disappears during a run, as when an ssh connection is lost."""

import json
import os
import pathlib
import pty
import signal
import tempfile
import time

from backend_program import BUILD, SIMULATED

CASES = 4


def start(folder):
    """Starts the driver as the leader of a session with its own terminal. Returns its process and the terminal's other
    end."""
    backends = folder / "backends"
    backends.mkdir()
    (backends / "breakeven-backend-a").symlink_to(SIMULATED)
    product = {"op": "matmul", "m": [8 * (i + 1) for i in range(CASES)], "n": "m", "k": "m", "dtype": "f32"}
    config = {"backends": ["a"], "measure": {"max_seconds": 1}, "workloads": [product]}
    (folder / "config.json").write_text(json.dumps(config))
    process, terminal = pty.fork()
    if process == 0:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
        os.environ["TERM"] = "xterm"
        os.environ["BREAKEVEN_BACKENDS"] = str(backends)
        os.environ["BREAKEVEN_SIMULATED"] = f"log={folder}/log,noise=1,seed=5,spin=1,fixed=1e-3"
        os.chdir(folder)
        arguments = ["run", "config.json", "--out", "out.json", "--precision", "0.001"]
        os.execv(BUILD / "breakeven", ["breakeven", *arguments])
    return process, terminal


def wait_for_sample_of(folder, case):
    end = time.monotonic() + 60
    log = folder / "log"
    while not log.exists() or f"sample {case}" not in log.read_text():
        assert time.monotonic() < end, "the run did not get as far"
        time.sleep(0.01)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    process, terminal = start(folder)
    wait_for_sample_of(folder, "matmul/m=16/")
    os.close(terminal)
    _, status = os.waitpid(process, 0)
    assert os.waitstatus_to_exitcode(status) == 130, f"ended with {os.waitstatus_to_exitcode(status)}"
    result = json.loads((folder / "out.json").read_text())
    assert result["complete"] is False
    statuses = [case["status"] for case in result["cases"]]
    assert statuses == ["ok"] + ["interrupted"] * (CASES - 1), statuses
