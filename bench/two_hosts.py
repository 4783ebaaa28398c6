"""Two hosts on this machine: network namespaces with names of their own, joined by a link whose speed can be limited.
mpirun reaches them through an agent that takes the place of ssh. Needs root, and Linux's ip and tc."""

import os
import pathlib
import re
import stat
import subprocess

# Called as ssh is: HOST COMMAND... Each host has one CPU of this machine, as long as there are two.
_AGENT = """#!/bin/bash
address=$1; shift
host=PREFIX-${address##*.}
cpu=$(( (${address##*.} - 2) % $(nproc --all) ))
exec ip netns exec "$host" unshare --uts bash -c 'hostname "$1"; shift; exec taskset -c "$1" bash -c "$2"' x "$host" "$cpu" "$*"
"""


class TwoHosts:
    """With `with`: makes the hosts, and removes them at the end. Raises PermissionError or FileNotFoundError if that is
    impossible here. All names have this process's id, because tests of other checkouts may run at the same time."""

    def __init__(self, folder):
        pid = os.getpid()
        self._network = f"198.{18 + pid // 256 % 2}.{pid % 256}."  # of the range for benchmarks, which nobody routes
        self._bridge = _bridge(pid)
        self.names = {number: _host(pid, number) for number in (2, 3)}
        self._agent = os.path.join(folder, "agent")
        with open(self._agent, "w", encoding="utf-8") as file:
            file.write(_AGENT.replace("PREFIX", f"breakeven-{pid}"))
        os.chmod(self._agent, stat.S_IRWXU)

    def __enter__(self):
        if os.geteuid() != 0:
            raise PermissionError("only root can make network namespaces")
        _remove_those_of_ended_processes()
        try:
            _call(f"ip link add {self._bridge} type bridge")
            _call(f"ip addr add {self._network}1/24 dev {self._bridge}")
            _call(f"ip link set {self._bridge} up")
            for number, host in self.names.items():
                outside = _outside(os.getpid(), number)
                _call(f"ip netns add {host}")
                _call(f"ip link add {outside} type veth peer name eth0 netns {host}")
                _call(f"ip link set {outside} master {self._bridge} up")
                _call(f"ip -n {host} addr add {self._network}{number}/24 dev eth0")
                _call(f"ip -n {host} link set eth0 up")
                _call(f"ip -n {host} link set lo up")
        except BaseException:
            _remove(os.getpid())
            raise
        return self

    def __exit__(self, *_):
        _remove(os.getpid())

    def limit(self, rate):
        """Limits what each host sends: "100mbit"; None: no limit. Raises PermissionError without the kernel's tbf."""
        for host in self.names.values():
            subprocess.run(f"tc -n {host} qdisc del dev eth0 root".split(), check=False, capture_output=True)
            if rate:
                _call(f"tc -n {host} qdisc add dev eth0 root tbf rate {rate} burst 256kb latency 200ms")

    @property
    def launcher(self):
        """The command that starts two ranks, one on each host."""
        mca = {
            "plm_rsh_agent": self._agent,
            "btl": "tcp,self",
            "btl_tcp_if_include": f"{self._network}0/24",
            "oob_tcp_if_include": f"{self._network}0/24",
        }
        settings = " ".join(f"--mca {name} {value}" for name, value in mca.items())
        return f"mpirun -np {{ranks}} --bind-to none --host {self._network}2,{self._network}3 {settings}"


def _host(pid, number):
    return f"breakeven-{pid}-{number}"


def _outside(pid, number):
    return f"be{pid}-{number}"  # at most 15 characters, like every name of an interface


def _bridge(pid):
    return f"be{pid}"


def _remove(pid):
    links = [f"ip link del {link}" for link in (_outside(pid, 2), _outside(pid, 3), _bridge(pid))]
    for command in (*links, f"ip netns del {_host(pid, 2)}", f"ip netns del {_host(pid, 3)}"):
        subprocess.run(command.split(), check=False, capture_output=True)


def _remove_those_of_ended_processes():
    """Removes the hosts of tests that were killed."""
    folder = pathlib.Path("/run/netns")
    for name in [path.name for path in folder.iterdir()] if folder.exists() else []:
        found = re.fullmatch(r"breakeven-(\d+)-\d", name)
        if found and not pathlib.Path("/proc", found[1]).exists():
            _remove(found[1])


def _call(command):
    done = subprocess.run(command.split(), check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise PermissionError(f"{command}: {done.stderr.strip()}")
