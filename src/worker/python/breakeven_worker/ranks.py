"""Ranks: processes that compute one case together, started by a launcher such as mpirun or srun.

Rank 0 answers the driver. It hands each request to the other ranks over a control channel of TCP, and combines their
answers with its own. Between requests all of them block in the kernel. What a case itself exchanges goes through its
framework, not through this channel.
"""

import array
import fcntl
import functools
import json
import os
import select
import socket
import statistics
import subprocess
import sys
import termios
import threading
import time
from contextlib import contextmanager, nullcontext

from .backend import Failed

# The variables in which launchers say a rank's number, and how many ranks they have started.
_NUMBERS = {
    "OMPI_COMM_WORLD_RANK": "OMPI_COMM_WORLD_SIZE",
    "PMIX_RANK": None,
    "PMI_RANK": "PMI_SIZE",
    "SLURM_PROCID": "SLURM_STEP_NUM_TASKS",
}
# Variables that have the same value in all ranks of a job, and another one in other jobs.
_JOBS = ("PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid", "SLURM_JOB_ID")

_LOOPBACK = "127.0.0.1"
_PATIENCE = 60  # seconds until all ranks must be connected
_INTRODUCTION = 5  # seconds until one that has connected must have said who it is
_WATCHED = 0.3  # seconds within which _watch() has noticed the end of another rank
_BEAT = 1  # seconds between the signs of life of a working rank: empty lines
# Beats that may be missing: a library's call that does not release Python's lock keeps a rank from showing them.
_MISSING_BEATS = 20
_BEATS_ALONE = 10  # that a request may last after the end of the driver
_ABORTED = ["aborted", None]
_IMBALANCE = 1.25  # times the median rank's computation from which others wait for a rank
_LAST_WORDS = 0.1  # seconds in which a rank's last words are read
_FEWEST_SAMPLES = 5  # samples of a case before a rank is called late
_LATE_SHARE = 0.05  # of a sample, which they wait at least


def requested_ranks(arguments):
    """The number of ranks, and the port of rank 0's control channel: `--ranks N --port P` among a program's arguments.
    One rank without them."""
    found = dict.fromkeys(("--ranks", "--port"), "")
    for name, value in zip(arguments, arguments[1:]):
        if name in found:
            found[name] = value
    if not found["--ranks"]:
        return 1, 0
    try:
        count, port = int(found["--ranks"]), int(found["--port"] or 0)
    except ValueError:
        count = port = 0
    if count < 1 or (count > 1 and not 0 < port < 65536):
        raise Failed("the arguments must be `--ranks N --port P`, with a number of ranks and a free port")
    return count, port


def rank_number(environment, count):
    """The number of this rank, which its launcher says, of `count` ranks."""
    name = next((name for name in _NUMBERS if name in environment), None)
    if name is None:
        raise Failed(f"no launcher says which rank this is: none of {', '.join(_NUMBERS)} is set")
    started = environment.get(_NUMBERS[name] or "")
    if started is not None and started != str(count):
        raise Failed(f"the launcher has started {started} ranks instead of {count}: write {{ranks}} in --launcher")
    return int(environment[name])


def address_of_rank_0(environment, count, first_host=None):
    """The address at which the other ranks find rank 0. first_host(node_list) is the first of Slurm's list of hosts."""
    if environment.get("MASTER_ADDR"):
        return environment["MASTER_ADDR"]
    on_this_host = environment.get("OMPI_COMM_WORLD_LOCAL_SIZE", environment.get("MPI_LOCALNRANKS"))
    if on_this_host is None:  # srun
        one_host = environment.get("SLURM_STEP_NUM_NODES", environment.get("SLURM_NNODES")) == "1"
        nodes = environment.get("SLURM_STEP_NODELIST", environment.get("SLURM_JOB_NODELIST"))
    else:
        # A daemon of mpirun is a step of Slurm's, too, but without the host on which mpirun and rank 0 are.
        one_host = on_this_host == str(count)
        nodes = environment.get("SLURM_JOB_NODELIST")
    if one_host:
        return _LOOPBACK
    host = nodes and (first_host or _first_host)(nodes)
    if not host:
        raise Failed("the ranks are on several hosts: set MASTER_ADDR to rank 0's host")
    return host


def _first_host(nodes):
    try:
        listed = subprocess.run(["scontrol", "show", "hostnames", nodes], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return listed.stdout.partition("\n")[0].strip()


def places_on_hosts(hosts):
    """For each rank its index among the ranks on its host, and how many these are. hosts: their names, by rank."""
    return [(hosts[:rank].count(host), hosts.count(host)) for rank, host in enumerate(hosts)]


def cpus_of_place(cpus, index, threads):
    """The CPUs of the rank with this index on its host: the next `threads` of the list, which begins again after its
    last."""
    return sorted({cpus[(index * threads + thread) % len(cpus)] for thread in range(threads)})


def combine(answers, hosts):
    """The answer of all ranks together, of the answer of each, in their order."""
    refused = _combine_refusals(answers, hosts) or _refuse_differences(answers, hosts)
    if refused is not None:
        return refused
    answers = [_with_waiting(answer, answers) for answer in answers]
    combined = dict(answers[0])
    for key, rule in _RULES.items():
        values = [answer.get(key) for answer in answers]
        if key == "joules":  # a host's counter counts for all its ranks
            values = [value for value, (index, _) in zip(values, places_on_hosts(hosts)) if index == 0]
        if None not in values:
            combined[key] = rule(values)
        else:
            combined.pop(key, None)
    warnings = [text for answer in answers for text in answer.get("warnings", [])]
    if warnings:
        combined["warnings"] = list(dict.fromkeys(warnings))
    return combined


def _with_waiting(answer, answers):
    """The answer to a sample with the time in communication until the slowest rank is done."""
    if answer.get("communication_seconds") is None:
        return answer
    waiting = max(other["seconds"] for other in answers) - answer["seconds"]
    return answer | {"communication_seconds": answer["communication_seconds"] + waiting}


# How the values of all ranks become one; other values are those of rank 0.
_RULES = {
    "seconds": max,
    "evaluation_seconds": max,
    "device_seconds": max,
    "cpu_seconds": sum,
    "joules": sum,
    "communication_seconds": statistics.fmean,
    "ranks": lambda lists: [rank for ranks in lists for rank in ranks],
    "unreadable": lambda dicts: {name: why for reasons in reversed(dicts) for name, why in reasons.items()},
    "supports": lambda dicts: {op: _in_all(dtypes, [d.get(op, []) for d in dicts]) for op, dtypes in dicts[0].items()},
}


def _in_all(items, lists):
    return [item for item in items if all(item in found for found in lists)]


def _who(rank, hosts):
    return f"rank {rank} on {hosts[rank]}"


def _combine_refusals(answers, hosts):
    """The first refusal that has a reason, with the rank, unless all refuse for the same reason."""
    refusals = {rank: answer for rank, answer in enumerate(answers) if not answer["ok"]}
    for rank, answer in refusals.items():
        if answer["reason"]:
            if all(other == answer for other in answers):
                return answer
            return {**answer, "reason": f"{_who(rank, hosts)}: {answer['reason']}"}
    return next(iter(refusals.values()), None)


def _refuse_differences(answers, hosts):
    """Refuses a hello of ranks that are not of the same software, share a GPU, or have GPUs of different models; None
    if all is well."""
    if "libraries" not in answers[0]:
        return None

    def software(answer):
        return {"breakeven": answer["version"], **answer["libraries"]}

    def refusal(reason):
        return {"ok": False, "status": "failed", "reason": reason}

    expected, gpus = software(answers[0]), {}
    for rank, answer in enumerate(answers):
        found = software(answer)
        for name in {**expected, **found}:
            if found.get(name) != expected.get(name):
                have, others = found.get(name, "none"), expected.get(name, "none")
                return refusal(f"{_who(rank, hosts)} has {name} {have}, and {_who(0, hosts)} has {others}")
        gpu = answer.get("device_id")
        if gpu and gpu in gpus:
            one_a_gpu = "one rank a GPU (mpirun on several hosts: --map-by ppr:N:node for N GPUs each)"
            return refusal(f"{_who(rank, hosts)} computes on the same GPU as rank {gpus[gpu]}, {gpu}: {one_a_gpu}")
        gpus[gpu] = rank
        model, of_first = answer.get("device_name"), answers[0].get("device_name")
        if answer.get("device", "cpu") != "cpu" and model != of_first:
            alike = "ranks must not differ: CUDA_VISIBLE_DEVICES chooses GPUs of one model"
            return refusal(f"{_who(rank, hosts)} computes on {model}, and rank 0 on {of_first}; {alike}")
    return None


def cpu_warnings(hellos, hosts):
    """Warns of ranks that compute on CPUs of another model than rank 0."""
    models = [hello.get("device_name") for hello in hellos]
    other = next((rank for rank, model in enumerate(models) if model != models[0]), None)
    if other is None or hellos[0].get("device", "cpu") != "cpu":
        return []
    slower = "a step takes as long as the slower one needs"
    return [f"{_who(other, hosts)} computes on {models[other]}, and rank 0 on {models[0]}: {slower}"]


class Stragglers:
    """Finds a rank that computes for longer than the others, which wait for it, in most samples of a case."""

    def __init__(self, hosts):
        self._hosts = hosts
        self.forget()

    def forget(self):
        self._samples, self._late = 0, [0] * len(self._hosts)

    def warnings(self, answers):
        """Notes a sample's answers, one of each rank, and returns the warnings so far."""
        if any(answer.get("communication_seconds") is None for answer in answers):
            return []
        computing = [answer["seconds"] - answer["communication_seconds"] for answer in answers]
        median = statistics.median_low(computing)  # of two, the faster one
        longest = max(answer["seconds"] for answer in answers)
        self._samples += 1
        for rank, seconds in enumerate(computing):
            self._late[rank] += seconds > _IMBALANCE * median and seconds - median > _LATE_SHARE * longest
        if self._samples < _FEWEST_SAMPLES:
            return []
        return [
            f"{_who(rank, self._hosts)} computes more than {_IMBALANCE}x as long as the median rank: "
            "the others wait for it"
            for rank, late in enumerate(self._late)
            if 2 * late > self._samples
        ]


class Alone:
    """The only rank."""

    number, count = 0, 1
    index_on_host, count_on_host = 0, 1

    def __init__(self):
        self.hosts = [socket.gethostname()]

    def requests(self):
        """The requests, one a line, for all ranks."""
        return sys.stdin

    def combined(self, answer):
        """The answer of all ranks. Others than rank 0 learn only whether it is a refusal."""
        return answer

    def gather(self, value):
        """The values of all ranks, in their order, for rank 0; None for the others. They must be of JSON."""
        return [value]

    def broadcast(self, value):
        """The value of rank 0."""
        return value

    def leave(self):
        """Called before a rank ends, while the others still answer."""

    def end(self, reason):
        """Ends all ranks. Standard error then has the reason."""
        print(reason, file=sys.stderr, flush=True)
        os._exit(1)

    def together(self):
        """The context of work in which ranks wait for each other. An exception of one ends all."""
        return nullcontext()

    # What follows is made of these.

    def part_of(self, batch):
        """This rank's rows of a batch."""
        return slice(self.number * batch // self.count, (self.number + 1) * batch // self.count)

    def exchange(self, value):
        """The values of all ranks, in their order, for all of them."""
        return self.broadcast(self.gather(value))

    def largest(self, value):
        """The largest value of all ranks, for all of them."""
        return max(self.exchange(value)) if self.count > 1 else value

    def average(self, values):
        """The averages over all ranks of each of `values`, for rank 0; none for the others."""
        if self.count == 1:
            return values
        return [statistics.fmean(of_ranks) for of_ranks in zip(*(self.gather(values) or []))]

    def wait_for_all(self):
        """Returns when all ranks have called this."""
        if self.count > 1:
            self.exchange(None)

    @contextmanager
    def in_agreement(self):
        """The context of work that each rank does by itself. If one of them throws, all do: the others a refusal
        without a reason."""
        error = None
        try:
            yield
        except Exception as e:
            error = e
        agreed = self.count == 1 or all(self.exchange(error is None))
        if error is not None:
            raise error
        if not agreed:
            raise Failed("")


def _line(message):
    return json.dumps(message).encode() + b"\n"


class _Connection:
    """A connection to another rank. Each message is a line of JSON."""

    def __init__(self, connected):
        self._socket = connected
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # A host that has vanished is noticed after a minute.
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in ((socket.TCP_KEEPIDLE, 30), (socket.TCP_KEEPINTVL, 10), (socket.TCP_KEEPCNT, 3)):
            self._socket.setsockopt(socket.IPPROTO_TCP, option, value)
        self._reader = self._socket.makefile("rb")
        self._sending = threading.Lock()
        self._aborted = False  # the other's last words have been read
        self._lines = 0  # that have been received

    def send(self, message):
        self._send_line(_line(message))

    def beat(self):
        """Shows the other that this rank works."""
        self._send_line(b"\n")

    def _send_line(self, line):
        with self._sending:
            self._socket.sendall(line)

    def receive(self, most=-1):
        """The next message. Signs of life are none."""
        while True:
            line = self._reader.readline(most)
            if not line.endswith(b"\n"):
                raise ConnectionError("the connection was closed")
            self._lines += 1
            if line != b"\n":
                message = json.loads(line)
                self._aborted = self._aborted or message == _ABORTED
                return message

    def heard(self):
        """Differs from its last value if anything has arrived since, read or not."""
        unread = array.array("i", [0])
        fcntl.ioctl(self._socket, termios.FIONREAD, unread)
        return self._lines, unread[0]

    def has_aborted(self):
        """True if the other's last words are that it has aborted."""
        if self._aborted:
            return True
        try:
            unread = self._socket.recv(1 << 16, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError:
            return False
        return unread.endswith(_line(_ABORTED))

    def fileno(self):
        return self._socket.fileno()

    def use_timeout(self, seconds):
        self._socket.settimeout(seconds)

    def close(self):
        self._reader.close()
        self._socket.close()


class _Connected(Alone):
    """One of several ranks. connections: by the number of the rank."""

    def __init__(self, number, address, hosts, connections):
        self.number, self.count, self.address, self.hosts = number, len(hosts), address, hosts
        self.index_on_host, self.count_on_host = places_on_hosts(hosts)[number]
        self._connections = connections
        self._stragglers = Stragglers(hosts)
        self._cpu_warnings = []
        self._leaving = False
        self._works = threading.Event()  # set while a request is served
        self._ending = threading.Lock()
        threading.Thread(target=self._watch, daemon=True).start()

    def leave(self):
        self._leaving = True

    def combined(self, answer):
        answers = self._gather("answer", answer)
        answer = self._combine(answers) if answers else None
        ok = self.broadcast(answer and answer["ok"])
        return answer or {"ok": ok}

    def _combine(self, answers):
        together = combine(answers, self.hosts)
        if "libraries" in together:  # the answer to `hello`
            self._cpu_warnings = cpu_warnings(answers, self.hosts)
        elif "transfer" in together:  # that to `prepare`
            self._stragglers.forget()
        elif "seconds" in together and (more := [*self._cpu_warnings, *self._stragglers.warnings(answers)]):
            together["warnings"] = [*together.get("warnings", []), *more]
        return together

    def gather(self, value):
        return self._gather("value", value)

    @contextmanager
    def together(self):
        try:
            yield
        except Exception as e:
            time.sleep(_WATCHED)  # if the cause is that another rank has ended, _watch() says so
            self.end(str(e) if isinstance(e, Failed) else f"{type(e).__name__}: {e}")

    def end(self, reason):
        # The driver takes a line; NCCL's errors have several.
        self._end(f"{_who(self.number, self.hosts)}: {' '.join(reason.split())}")

    def _end(self, last_words):
        """Ends this process, and so the others, once."""
        self._ending.acquire()
        try:
            if last_words:
                os.write(2, f"{last_words}\n".encode())
        except OSError:
            pass  # the launcher has ended
        for connection in self._connections.values():
            try:
                connection.use_timeout(1)
                connection.send(_ABORTED)
            except OSError:
                pass  # it has ended, too
        os._exit(1)

    def _send(self, rank, what, value):
        try:
            self._connections[rank].send([what, value])
        except OSError:
            self._end_after(rank)

    def _receive(self, rank, what):
        """A message of a rank. Its kind is another than `what` if that rank or this one has skipped work of both."""
        try:
            got, value = self._connections[rank].receive()
        except (OSError, ValueError):
            self._end_after(rank)
        if [got, value] == _ABORTED:
            self._end("")
        if got != what:
            why = value.get("reason") if got == "answer" else "it waits for the other ranks, which answer"
            self._end(f"{_who(rank, self.hosts)}: {why}")
        return value

    def _end_after(self, rank):
        aborted = self._connections[rank].has_aborted()
        if not aborted:
            time.sleep(_LAST_WORDS)  # another thread may be reading them
            aborted = self._connections[rank].has_aborted()
        self._end("" if aborted else f"{_who(rank, self.hosts)} has ended")

    def _watch(self):
        """Ends this process if another rank's ends, also while a library waits for it."""
        ended = select.poll()
        ranks = {connection.fileno(): rank for rank, connection in self._connections.items()}
        for descriptor in ranks:
            ended.register(descriptor, select.POLLRDHUP)
        while not (found := ended.poll(1000 * _BEAT)):
            self._beat()
        descriptor, _ = found[0]
        if not self._leaving:
            self._end_after(ranks[descriptor])

    def _beat(self):
        """Called by _watch() every _BEAT seconds."""


def _has_hung_up(stream):
    """True if nobody can write to this pipe any more."""
    poll = select.poll()
    poll.register(stream, 0)
    return any(event & select.POLLHUP for _, event in poll.poll(0))


class _First(_Connected):
    def requests(self):
        self._silent = {rank: (None, 0) for rank in self._connections}  # what was heard last, and beats since
        self._beats_alone = 0  # since the driver has ended, in this request
        for number, line in enumerate(sys.stdin):
            self.broadcast(line)
            # Until the first is answered, libraries are loaded, for as long as that takes.
            if number > 0:
                self._works.set()
            yield line
            self._works.clear()
        self.leave()
        self.broadcast(None)
        self.gather(None)  # none of the others has seen this rank end before it knew

    def _beat(self):
        """Ends this process if another rank has shown no sign of life, or if the driver has ended, and the request does
        not end: ranks may wait for each other on their GPUs, for ever. Counts beats, so that time in which this process
        was stopped, too, does not count."""
        if not self._works.is_set():
            self._silent = dict.fromkeys(self._connections, (None, 0))
            self._beats_alone = 0
            return
        self._beats_alone += _has_hung_up(sys.stdin)
        if self._beats_alone > _BEATS_ALONE:
            self.end("nobody waits for its answer any more")
        for rank, (before, beats) in self._silent.items():
            heard = self._connections[rank].heard()
            self._silent[rank] = heard, beats + 1 if heard == before else 0
            if self._silent[rank][1] > _MISSING_BEATS:
                self._end(
                    f"{_who(rank, self.hosts)} has shown no sign of life for {_MISSING_BEATS * _BEAT} s: it is stopped, "
                    "or its host cannot be reached"
                )

    def _gather(self, what, value):
        return [value, *(self._receive(rank, what) for rank in range(1, self.count))]

    def broadcast(self, value):
        for rank in range(1, self.count):
            self._send(rank, "value", value)
        return value


class _Other(_Connected):
    def requests(self):
        while (line := self.broadcast(None)) is not None:
            self._works.set()
            yield line
            self._works.clear()
        self.leave()
        self.gather(None)

    def _beat(self):
        if self._works.is_set():
            try:
                self._connections[0].beat()
            except OSError:
                pass  # _watch() is told that the connection has ended

    def _gather(self, what, value):
        self._send(0, what, value)
        return None

    def broadcast(self, _value):
        return self._receive(0, "value")


@contextmanager
def connecting_by_nccl(ranks, visible_gpus):
    """The context of the first work in which NCCL connects the ranks. If that lasts too long, all ranks end: NCCL
    itself would wait for minutes, or for ever. An exception gets what may help, as in src/backends/cuda/device_ranks.cpp.
    """
    try:
        seconds = float(os.environ.get("BREAKEVEN_NCCL_SECONDS", ""))
    except ValueError:
        seconds = 0
    seconds = seconds if seconds > 0 else _PATIENCE
    waits_in_vain = (
        f"NCCL has not connected the ranks within {seconds:g} s: NCCL_SOCKET_IFNAME selects a network, "
        "NCCL_P2P_DISABLE=1 avoids what an IOMMU or ACS breaks, NCCL_DEBUG=INFO says more; "
        "BREAKEVEN_NCCL_SECONDS is the limit"
    )
    limit = threading.Timer(seconds, ranks.end, [waits_in_vain])
    limit.daemon = True
    limit.start()
    try:
        yield
    except Exception as e:
        if ranks.count_on_host == 1 or visible_gpus != 1:
            raise
        raise Failed(
            f"{type(e).__name__}: {e}; each rank sees one GPU, and NCCL may not reach those of the others: let each rank "
            "see all of its host (srun --gpu-bind=none), or set NCCL_P2P_DISABLE=1 and NCCL_CUMEM_ENABLE=0"
        ) from e
    finally:
        limit.cancel()


@functools.cache
def own_ranks():
    """The ranks of this program, connected at the first call."""
    count, port = requested_ranks(sys.argv[1:])
    if count == 1:
        return Alone()
    number = rank_number(os.environ, count)
    address = address_of_rank_0(os.environ, count)
    job = next((os.environ[name] for name in _JOBS if name in os.environ), "")
    return connect(number, count, address, port, job)


def speaks_protocol():
    """True on rank 0, and where no launcher says which rank this is."""
    return next((os.environ[name] for name in _NUMBERS if name in os.environ), "0") == "0"


def connect(number, count, address, port, job, patience=_PATIENCE):
    """Connects a rank with the others of its job."""
    deadline = time.monotonic() + patience
    if number > 0:
        first = _reach_rank_0(address, port, deadline)
        first.send({"job": job, "rank": number, "host": socket.gethostname()})
        try:
            hosts = first.receive()
        except (OSError, ValueError):
            raise Failed(f"{address}:{port} is not rank 0 of this job") from None
        return _Other(number, address, hosts, {0: first})
    others = _accept_others(count, address, port, job, deadline)
    hosts = [socket.gethostname(), *(others[rank][1] for rank in range(1, count))]
    connections = {rank: connection for rank, (connection, _) in others.items()}
    for connection in connections.values():
        connection.send(hosts)
    return _First(0, address, hosts, connections)


def _reach_rank_0(address, port, deadline):
    while True:
        try:
            connected = socket.create_connection((address, port), timeout=_INTRODUCTION)
            connected.settimeout(None)
            return _Connection(connected)
        except OSError as e:
            if time.monotonic() > deadline:
                raise Failed(f"rank 0 is not at {address}:{port} ({e}): set MASTER_ADDR to its host") from None
        time.sleep(0.05)


def _accept_others(count, address, port, job, deadline):
    """The connection and host of each other rank. Connections of anyone else are closed."""
    others = {}
    try:
        listening = socket.create_server((_LOOPBACK if address == _LOOPBACK else "", port), backlog=count)
    except OSError as e:
        raise Failed(f"rank 0 on {socket.gethostname()} cannot listen on port {port}: {e}") from None
    with listening:
        while len(others) < count - 1:
            try:
                listening.settimeout(max(0.001, deadline - time.monotonic()))
                connection = _Connection(listening.accept()[0])
            except (TimeoutError, socket.timeout):  # two errors before Python 3.10
                for connection, _ in others.values():
                    connection.close()
                missing = ", ".join(str(rank) for rank in range(1, count) if rank not in others)
                raise Failed(f"rank {missing} of {count} has not connected to port {port} in time") from None
            rank, host = _introduced(connection, job)
            if rank in range(1, count) and rank not in others:
                others[rank] = connection, host
            else:
                connection.close()
    return others


def _introduced(connection, job):
    """The rank and the host that a connection says it is; None if it is not of this job."""
    try:
        connection.use_timeout(_INTRODUCTION)
        said = connection.receive(1 << 12)
        connection.use_timeout(None)
        return (said["rank"], str(said["host"])) if said["job"] == job else (None, None)
    except (OSError, ValueError, TypeError, KeyError):
        return None, None
