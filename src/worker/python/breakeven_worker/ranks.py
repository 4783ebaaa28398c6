"""Ranks: processes that compute one case together, started by a launcher such as mpirun or srun.

Each has a connection to the driver, which asks it as it asks a program that is alone. Between requests all of them block
in the kernel. What a case exchanges goes through its framework, and so do the few values on which ranks agree.
"""

import functools
import json
import os
import select
import socket
import statistics
import sys
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

_PATIENCE = 60  # seconds until NCCL must have connected the ranks
_BEAT = 1  # seconds between the signs of life: empty lines
_BEATS_WITHOUT_DRIVER = 10  # until this process ends, too
_NOTICED = 1  # seconds within which the driver has noticed the end of another rank
_BY_ANOTHER = "another rank refuses it"  # as the driver knows it


def rank_arguments(arguments):
    """The number of ranks, and how the driver is reached: `--ranks N --driver PORT:TOKEN:ADDRESS,ADDRESS` among a
    program's arguments. One rank without them."""
    given = dict(zip(arguments, arguments[1:]))
    if "--ranks" not in given:
        return 1, ""
    count, driver = given["--ranks"], given.get("--driver", "")
    if not count.isdecimal() or int(count) < 1 or (int(count) > 1 and driver.count(":") != 2):
        raise Failed("the arguments must be `--ranks N --driver PORT:TOKEN:ADDRESS,ADDRESS`")
    return int(count), driver


def rank_number(environment, count):
    """The number of this rank, which its launcher says, of `count` ranks."""
    name = next((name for name in _NUMBERS if name in environment), None)
    if name is None:
        raise Failed(f"no launcher says which rank this is: none of {', '.join(_NUMBERS)} is set")
    started = environment.get(_NUMBERS[name] or "")
    if started is not None and started != str(count):
        raise Failed(f"the launcher has started {started} ranks instead of {count}: write {{ranks}} in --launcher")
    return int(environment[name])


def places_on_hosts(hosts):
    """For each rank its index among the ranks on its host, and how many these are. hosts: their names, by rank."""
    return [(hosts[:rank].count(host), hosts.count(host)) for rank, host in enumerate(hosts)]


def cpus_of_place(cpus, index, threads):
    """The CPUs of the rank with this index on its host: the next `threads` of the list, which begins again after its
    last."""
    return sorted({cpus[(index * threads + thread) % len(cpus)] for thread in range(threads)})


class Alone:
    """The only rank."""

    number, count = 0, 1
    index_on_host, count_on_host = 0, 1
    host = socket.gethostname()

    def requests(self):
        """The requests, one a line. To be called once."""
        # Libraries may print to standard output at any time: theirs becomes standard error.
        self._out = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
        return sys.stdin

    def answer(self, line):
        print(line, file=self._out, flush=True)

    def end(self, reason, in_every_case=False):
        """Ends all ranks. `in_every_case`: those of any other case would end for this reason, too."""
        print(reason, file=sys.stderr, flush=True)
        os._exit(1)

    def together(self):
        """The context of work in which ranks wait for each other. An exception of one ends all."""
        return nullcontext()

    def exchange(self, value):
        """The values of all ranks, in their order, for all of them. They must be of JSON."""
        return [value]

    # What follows is made of these.

    def part_of(self, batch):
        """This rank's rows of a batch."""
        return slice(self.number * batch // self.count, (self.number + 1) * batch // self.count)

    def largest(self, value):
        """The largest value of all ranks."""
        return max(self.exchange(value)) if self.count > 1 else value

    def average(self, values):
        """The averages over all ranks of each of `values`."""
        return [statistics.fmean(of_ranks) for of_ranks in zip(*self.exchange(values))] if self.count > 1 else values

    def wait_for_all(self):
        """Returns when all ranks have called this."""
        if self.count > 1:
            self.exchange(None)

    @contextmanager
    def in_agreement(self):
        """The context of work that each rank does by itself. If one of them throws, all do."""
        error = None
        try:
            yield
        except Exception as e:
            error = e
        agreed = self.count == 1 or all(self.exchange(error is None))
        if error is not None:
            raise error
        if not agreed:
            raise Failed(_BY_ANOTHER)


class Rank(Alone):
    """One of several ranks. The backend sets `store`, through which they exchange values: with set(key, text), get(key),
    which waits until the key is set and returns text or bytes, and delete_key(key)."""

    store = None

    def __init__(self, connection, number, count):
        self.number, self.count = number, count
        self._connection = connection
        self._sending = threading.Lock()
        self._exchanged = 0
        threading.Thread(target=self._show_signs_of_life, daemon=True).start()

    def take_places(self, hosts, leader, port):
        """Takes what the driver's hello says: the host of each rank, and an address and a free port of rank 0."""
        self.index_on_host, self.count_on_host = places_on_hosts(hosts)[self.number]
        self.leader, self.leader_port = leader, port

    def requests(self):
        return self._connection.makefile("r", encoding="utf-8", errors="replace")

    def answer(self, line):
        with self._sending:
            self._connection.sendall(line.encode() + b"\n")

    def end(self, reason, in_every_case=False):
        # The driver takes a line; NCCL's errors have several.
        words = {"reason": " ".join(reason.split()), "last": True, "in_every_case": in_every_case}
        try:
            self.answer(json.dumps({"ok": False, "status": "failed", **words}))
        except OSError:
            pass  # the driver has ended
        super().end(reason)

    @contextmanager
    def together(self):
        try:
            yield
        except Exception as e:
            time.sleep(_NOTICED)  # if the cause is that another rank has ended, that is what the driver is to say
            self.end(str(e) if isinstance(e, Failed) else f"{type(e).__name__}: {e}")

    def exchange(self, value):
        count, self._exchanged = self._exchanged, self._exchanged + 1
        self.store.set(f"{count}/{self.number}", json.dumps(value))
        values = [json.loads(self.store.get(f"{count}/{rank}")) for rank in range(self.count)]
        if count > 0:  # all have read the last values, as they have set these
            self.store.delete_key(f"{count - 1}/{self.number}")
        return values

    def _show_signs_of_life(self):
        """Counts beats, so that time in which this process was stopped does not count."""
        ended = select.poll()
        ended.register(self._connection, select.POLLRDHUP)
        missed = 0
        while missed <= _BEATS_WITHOUT_DRIVER:
            time.sleep(_BEAT)
            missed += bool(ended.poll(0))
            try:
                self.answer("")
            except OSError:
                pass  # it has ended, as poll() says
        self.end("the driver has ended")


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
    limit = threading.Timer(seconds, ranks.end, [waits_in_vain], {"in_every_case": True})
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
    """The ranks of this program, connected with the driver at the first call."""
    try:
        count, driver = rank_arguments(sys.argv[1:])
    except Failed as e:
        sys.exit(f"breakeven: {e}")
    return Alone() if count == 1 else connect(driver, count)


def connect(driver, count):
    """Connects this rank with the driver. Ends the program if that is impossible, or it cannot be a rank."""
    port, token, addresses = driver.split(":")
    connection = _reach(addresses.split(","), int(port))
    introduction = {"token": token, "host": socket.gethostname(), "pid": os.getpid(), "beats": True}
    try:
        number = rank_number(os.environ, count)
        introduction |= {"rank": number, "port": _free_port() if number == 0 else 0}
    except Failed as e:
        number = None
        introduction["fault"] = str(e)
    connection.sendall(json.dumps(introduction).encode() + b"\n")
    if number is None:
        sys.exit(0)  # it has been told: with another status, a launcher would say something, too
    return Rank(connection, number, count)


def _reach(addresses, port):
    for address in addresses:
        try:
            connection = socket.create_connection((address, port), timeout=3)
        except OSError as e:
            why = f"{address} port {port}: {e}"
            continue
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Otherwise a rank whose host cannot be reached any more would end after a quarter of an hour.
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 20_000)
        return connection
    return sys.exit(f"breakeven: this rank cannot connect to the driver: {why}")


def _free_port():
    with socket.create_server(("", 0)) as taken:
        return taken.getsockname()[1]
