"""Backend programs, one JSON object a line each way, and the cases to ask them for: for bench/ and tests/cli."""

import json
import os
import pathlib
import re
import subprocess
import tempfile

FASHION_MNIST = os.environ.get("BREAKEVEN_FASHION_MNIST", "/usr/share/datasets/fashion-mnist")
LIBRARY_VARIABLES = pathlib.Path(__file__).resolve().parents[1] / "src/host/library_variables.cpp"


class Program:
    """A running program that answers each line with one. Throws RuntimeError if it ends instead."""

    def __init__(self, command, environment=None):
        self._errors = tempfile.TemporaryFile("w+")  # not a pipe: a program that fills one would wait for its reader
        self._process = subprocess.Popen(
            [str(part) for part in command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=os.environ | (environment or {}),
        )

    def ask(self, **request):
        return self.send(json.dumps(request))

    def send(self, line):
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended: its output is read below
        answer = self._process.stdout.readline()
        if not answer:
            self._process.communicate()
            self._errors.seek(0)
            words = self._errors.read().strip().splitlines()
            self._errors.close()
            raise RuntimeError(words[-1] if words else f"ended with status {self._process.returncode}")
        return json.loads(answer)

    def kill(self):
        self._process.kill()
        self._process.communicate()
        self._errors.close()


class BackendProgram(Program):
    """The constructor sends the first request; `hello` is its answer."""

    def __init__(self, command, protocol=1, threads=1, environment=None):
        super().__init__(command, environment)
        self.hello = self.ask(request="hello", protocol=protocol, threads=threads)

    def quit(self):
        """Sends `quit` and returns the exit status. There must be no further output."""
        self.ask(request="quit")
        rest, _ = self._process.communicate(timeout=30)
        self._errors.close()
        assert rest == "", f"output after quit: {rest!r}"
        return self._process.returncode


def driver_environment(threads):
    """The variables that the driver sets for a backend program: threads, and how long idle ones may spin."""
    spins = re.findall(r'\.spin = "(\w+)",\s*\.short_spin = "(\w+)"', LIBRARY_VARIABLES.read_text())
    assert spins, f"{LIBRARY_VARIABLES} names no settings of spinning"
    return {"OMP_NUM_THREADS": str(threads), **dict(spins)}


def matmul(m, n, k, dtype="f32", batch=1, transpose_a=False, transpose_b=False, seed=1):
    """The members of `prepare` and `expect` with every parameter, as the driver sends them."""
    sizes = {"m": m, "n": n, "k": k, "batch": batch}
    flags = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    return {"op": "matmul", "parameters": {**sizes, **flags, "dtype": dtype}, "seed": seed}


def conv2d(n, c, h, w, k, r, s, direction, dtype="f32", stride=1, pad=0, dilation=1, groups=1, seed=1):
    sizes = {"n": n, "c": c, "h": h, "w": w, "k": k, "r": r, "s": s}
    steps = {"stride": stride, "stride_w": -1, "pad": pad, "pad_w": -1, "dilation": dilation, "groups": groups}
    return {"op": "conv2d", "parameters": {**sizes, **steps, "pass": direction, "dtype": dtype}, "seed": seed}


def train(network, batch, dtype="f32", optimizer="sgd", data=FASHION_MNIST, seed=1):
    own = {"optimizer": optimizer, "learning_rate": 0.0, "momentum": 0.9, "epochs": 0, "target_accuracy": 0.0}
    parameters = {**_network(network, batch), **own, "data": str(data), "dtype": dtype}
    resolved = {"learning_rate": 0.01 if optimizer == "sgd" else 0.001}
    return {"op": "train", "parameters": parameters, "seed": seed, "resolved": resolved}


def infer(network, batch, dtype="f32", data=FASHION_MNIST, seed=1):
    parameters = {**_network(network, batch), "data": str(data), "dtype": dtype}
    return {"op": "infer", "parameters": parameters, "seed": seed, "measures_latency": True}


def _network(network, batch):
    return {"network": network, "batch": batch, "width": 0, "heads": 0, "hidden": 0}
