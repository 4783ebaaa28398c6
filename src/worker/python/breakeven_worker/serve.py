"""Answers requests, one JSON object per line. Standard output is reserved for the answers."""

import gc
import json
import math
import os
import signal
import sys

from . import host
from .backend import Case, Failed, OutOfMemory, Transfer, Unsupported
from .host import EnergyMeter, cpus_one_a_core_first, keep_freed_memory, return_freed_memory, stay_near_gpu
from .ranks import cpus_of_place, own_ranks
from .timing import may_race, take_sample

PROTOCOL = 1


def serve(make_backend, on_gpu=False):
    """The main loop of a backend program. make_backend(threads) is called when the driver says hello. Ranks are pinned
    to CPUs of their own, or with `on_gpu` to those near their GPU."""
    # If the driver is interrupted, the program ends at once, without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    ranks = own_ranks()
    keep_freed_memory()
    worker = _Worker(make_backend, on_gpu)
    for line in ranks.requests():
        answer = _respond(worker, line)
        if not answer["ok"] and worker.is_empty():
            _release_after_refusal(worker)
        try:
            ranks.answer(_to_line(answer))
        except OSError:  # the driver has ended
            os._exit(1)
        if worker.quit:
            break
    # All answers are sent. Libraries may take seconds to clean up, which is skipped.
    os._exit(0)


def refusal(status, reason):
    return {"ok": False, "status": status, "reason": reason}


def _release_after_refusal(worker):
    """Releases what a refused prepare has left. The next request may be to another program, which needs the memory."""
    try:
        worker.release()
    except Exception as e:  # the answer says what went wrong first
        print(f"release: {type(e).__name__}: {e}", file=sys.stderr, flush=True)


def _to_line(answer):
    """Converts an answer to JSON, which has no NaN, infinity or unpaired surrogate; numbers and file names may have
    them."""
    try:
        line = json.dumps(answer, allow_nan=False, ensure_ascii=False)
    except ValueError:
        line = json.dumps(refusal("failed", f"answered a number that JSON does not have: {str(answer)[:120]}"))
    return line.encode("utf-8", "replace").decode("utf-8")


def _respond(worker, line):
    try:
        return {"ok": True, **worker.answer(_parse(line))}
    except Unsupported as e:
        return refusal("unsupported", str(e))
    except (OutOfMemory, MemoryError) as e:
        return refusal("out_of_memory", str(e) or "an allocation failed")
    except Failed as e:
        return refusal("failed", str(e))
    except Exception as e:  # an exception of a library ends this case, but not the program
        _end_if_device_is_lost(worker, e)
        return refusal("failed", f"{type(e).__name__}: {e}")


def _end_if_device_is_lost(worker, error):
    """Ends the program if no later case could use the device. The driver starts another for the next case."""
    if worker.has_lost_its_device():
        worker.end(f"the device cannot be used any more after {type(error).__name__}: {error}")


def _parse(line):
    try:
        request = json.loads(line)
    except json.JSONDecodeError as e:
        raise Failed(f"not a JSON object: {e}") from None
    if not isinstance(request, dict):
        raise Failed(f"not a JSON object: {line[:120]!r}")
    return _Request(request)


class _Request(dict):
    """The JSON object of a request. The error for a missing field names it."""

    def __missing__(self, key):
        raise Failed(f"'{key}' is missing in {json.dumps(self)[:120]}")


def _refuse_beyond(available, needed, note):
    if needed > available:
        raise OutOfMemory(f"needs {needed / 2**30:.3g} GiB and {available / 2**30:.3g} GiB is available{note}")


def _collect_and_freeze():
    """Collects what is garbage, and lets no later collection traverse the rest. A framework has hundreds of thousands of
    objects, which take a collection a third of a second."""
    gc.collect()
    gc.freeze()


def numbers(values):
    """Converts to a list of floats, with null for NaN and infinity, which JSON does not have."""
    return [float(value) if math.isfinite(value) else None for value in values]


class _Worker:
    def __init__(self, make_backend, on_gpu=False):
        self.quit = False
        self._ranks = own_ranks()
        self._on_gpu = on_gpu
        self._make_backend = make_backend
        self._backend = None
        self._prepared = None
        self._is_released = True
        self._seed = None
        self._cold = False

    def answer(self, request):
        kind = request["request"]
        method = getattr(self, f"_on_{kind}", None)
        if method is None:
            raise Failed(f"unknown request {kind!r}")
        try:
            return method(request)
        except Exception as e:
            meaning = self._backend and self._backend.meaning_of(e)
            if meaning is None:
                raise
            raise meaning from None

    def _on_hello(self, request):
        if request["protocol"] != PROTOCOL:
            versions = f"protocol {PROTOCOL}, not {request['protocol']}"
            raise Failed(f"this program speaks {versions}: use programs and driver of one version")
        if request["threads"] < 1:
            raise Failed("'threads' must be at least 1")
        threads, place = request["threads"], {}
        if self._ranks.count > 1:
            self._ranks.take_places(request["hosts"], request["leader"], request["leader_port"])
            threads, place = self._take_place(threads)
        self._threads = threads
        backend = self._backend = self._make_backend(threads)
        _collect_and_freeze()
        if place and self._on_gpu:
            place["cpus"] = stay_near_gpu(backend.device_id)
        unreadable = dict(backend.unreadable)
        if backend.device != "cpu":
            if not backend.device_id:  # if the device is known, the driver reads its counter
                unreadable["joules"] = "which device it is, and so whose energy to read, is not known"
        elif EnergyMeter().unreadable:
            unreadable["joules"] = EnergyMeter().unreadable
        return {
            "protocol": PROTOCOL,
            "name": backend.name,
            "version": backend.version,
            "role": "contender",
            "device": backend.device,
            "device_name": backend.device_name,
            "device_id": backend.device_id,
            "libraries": backend.libraries,
            "library_files": backend.library_files,
            "supports": {operation.op: operation.dtypes for operation in backend.operations},
            "unreadable": unreadable,
            **({"takes_threads": True} if self._takes_threads() else {}),
            **({"ranks": [{**place, "device_id": backend.device_id}]} if place else {}),
        }

    def _takes_threads(self):
        return self._backend.use_threads is not None and self._backend.device == "cpu" and self._ranks.count == 1

    def _take_place(self, threads_of_host):
        """Pins this rank to its own CPUs, before a library starts threads; not on a GPU, which needs more threads than
        compute. Returns its number of threads and what the answer says about it."""
        ranks, cpus = self._ranks, []
        threads = max(1, threads_of_host // ranks.count_on_host)
        if not self._on_gpu:
            cpus = cpus_of_place(cpus_one_a_core_first(), ranks.index_on_host, threads)
            try:
                os.sched_setaffinity(0, cpus)
            except OSError:  # the kernel refuses, as in some containers
                cpus = []
        return threads, {"host": ranks.host, "pid": os.getpid(), "threads": threads, "cpus": cpus}

    def _on_prepare(self, request):
        if self._backend is None:
            raise Failed("the first request must be hello")
        self.release()
        threads = request.get("threads", self._threads)
        if not 1 <= threads <= self._threads:
            raise Failed(f"'threads' is {threads} and must be from 1 to {self._threads}, as hello gave")
        if self._takes_threads():
            self._backend.use_threads(threads)
        op, case = request["op"], Case({**request["parameters"], **request.get("resolved", {})})
        case.memory_bytes = request.get("memory_bytes", 0)
        dtype = case["dtype"]
        for operation in self._backend.operations:
            if operation.op == op and dtype in operation.dtypes:
                self._check_ranks(operation, case.get("ranks", 1))
                with self._ranks.in_agreement():
                    self._check_memory(operation, case)
                self._is_released = False
                prepared = operation.prepare(case, request["seed"])
                prepared.measures_latency = request.get("measures_latency", False)
                self._transfer = Transfer.of(case)
                self._cold = request.get("cache", "warm") == "cold"
                if self._cold:
                    prepared.flush()  # allocates what the flushes of samples need
                self._prepared = prepared
                gc.collect()  # samples do not pay for what preparing has left
                ready = {"algorithm": self._prepared.algorithm, "transfer": self._transfer.policy}
                sets = self._prepared.operand_sets
                return ready | {"operand_sets": sets} if sets > 1 else ready
        why = [f": {o.refused[dtype]}" for o in self._backend.operations if o.op == op and dtype in o.refused]
        raise Unsupported(f"{self._backend.name} has no {op} in {dtype} on this machine{''.join(why)}")

    def _check_ranks(self, operation, wanted):
        if wanted > 1 and not operation.in_ranks:
            raise Unsupported(f"{self._backend.name} computes {operation.op} in one process, without ranks")
        if wanted != self._ranks.count:
            raise Failed(f"the case is for {wanted} ranks, and a launcher has started {self._ranks.count}")

    def _check_memory(self, operation, case):
        """Refuses a case that needs too much memory before it allocates any, because a machine that overcommits grants
        memory that it does not have and then kills processes."""
        backend = self._backend
        racing = operation.racing if may_race(case) else 1
        _refuse_beyond(backend.available_memory(), operation.copies * racing * case.memory_bytes, backend.memory_note)
        if backend.device != "cpu":
            _refuse_beyond(host.available_memory(), operation.copies_on_host(case) * case.memory_bytes, " on the host")

    def _on_expect(self, _):
        raise Unsupported("only the reference backend says what is right")

    def _on_verify(self, request):
        prepared = self._ready()
        with self._ranks.together(), prepared.context():
            evidence = prepared.show(request["elements"])
        return {part: numbers(values) for part, values in evidence.items()}

    def _on_sample(self, request):
        iterations = request["iterations"]
        if iterations < 1:
            raise Failed(f"'iterations' is {iterations} and must be at least 1")
        on_host = self._backend.device == "cpu"
        exactly = request.get("device_seconds") is False
        prepared = self._ready()
        with self._ranks.together():
            sample = take_sample(prepared, iterations, self._transfer, self._cold, on_host, exactly)
        return {key: numbers(value) if isinstance(value, list) else value for key, value in sample.items()}

    def _on_epoch(self, _):
        prepared = self._ready()
        with self._ranks.together():
            epoch = prepared.train_epoch()
        return {
            "seconds": epoch.seconds,
            "evaluation_seconds": epoch.evaluation_seconds,
            "accuracy": epoch.accuracy,
            "losses": numbers(epoch.losses),
        }

    def _on_release(self, _):
        self.release()
        return {}

    def _on_quit(self, _):
        self.quit = True
        return {}

    def end(self, reason):
        """Ends this program, and with it all ranks."""
        self._ranks.end(reason)

    def has_lost_its_device(self):
        return self._backend is not None and self._backend.is_lost()

    def _ready(self):
        if self._prepared is None:
            raise Failed("nothing is prepared")
        return self._prepared

    def is_empty(self):
        return self._prepared is None

    def release(self):
        """Releases what a case has left, once."""
        if self._is_released:
            return
        self._prepared = None
        if self._backend is not None:
            self._backend.forget()
        _collect_and_freeze()
        if self._backend is not None:
            self._backend.release()
        return_freed_memory()
        self._is_released = True
