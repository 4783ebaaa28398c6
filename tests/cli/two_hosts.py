"""Two hosts on this machine: network namespaces with names of their own, joined by a link whose speed can be limited.
mpirun reaches them through an agent that takes the place of ssh. Needs root, and Linux's ip and tc."""

import os
import stat
import subprocess

NETWORK = "10.77.31."
BRIDGE = "breakeven0"

# Called as ssh is: HOST COMMAND... Each host has one CPU of this machine, as long as there are two.
_AGENT = """#!/bin/bash
address=$1; shift
host=breakeven-${address##*.}
cpu=$(( (${address##*.} - 2) % $(nproc --all) ))
exec ip netns exec "$host" unshare --uts bash -c 'hostname "$1"; shift; exec taskset -c "$1" bash -c "$2"' x "$host" "$cpu" "$*"
"""


class TwoHosts:
    """With `with`: makes the hosts, and removes them at the end. Raises PermissionError or FileNotFoundError if that is
    impossible here."""

    def __init__(self, folder):
        self._agent = os.path.join(folder, "agent")
        with open(self._agent, "w", encoding="utf-8") as file:
            file.write(_AGENT)
        os.chmod(self._agent, stat.S_IRWXU)

    def __enter__(self):
        if os.geteuid() != 0:
            raise PermissionError("only root can make network namespaces")
        self._remove()
        try:
            _call(f"ip link add {BRIDGE} type bridge")
            _call(f"ip addr add {NETWORK}1/24 dev {BRIDGE}")
            _call(f"ip link set {BRIDGE} up")
            for number in (2, 3):
                host = f"breakeven-{number}"
                _call(f"ip netns add {host}")
                _call(f"ip link add {_outside(number)} type veth peer name eth0 netns {host}")
                _call(f"ip link set {_outside(number)} master {BRIDGE} up")
                _call(f"ip -n {host} addr add {NETWORK}{number}/24 dev eth0")
                _call(f"ip -n {host} link set eth0 up")
                _call(f"ip -n {host} link set lo up")
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_):
        self._remove()

    def limit(self, rate):
        """Limits what each host sends: "100mbit"; None: no limit. Raises PermissionError without the kernel's tbf."""
        for number in (2, 3):
            subprocess.run(f"tc -n breakeven-{number} qdisc del dev eth0 root".split(), check=False, capture_output=True)
            if rate:
                _call(f"tc -n breakeven-{number} qdisc add dev eth0 root tbf rate {rate} burst 256kb latency 200ms")

    @property
    def launcher(self):
        """The command that starts two ranks, one on each host."""
        mca = {
            "plm_rsh_agent": self._agent,
            "btl": "tcp,self",
            "btl_tcp_if_include": f"{NETWORK}0/24",
            "oob_tcp_if_include": f"{NETWORK}0/24",
        }
        settings = " ".join(f"--mca {name} {value}" for name, value in mca.items())
        return f"mpirun -np {{ranks}} --bind-to none --host {NETWORK}2,{NETWORK}3 {settings}"

    @staticmethod
    def _remove():
        links = [f"ip link del {link}" for link in (_outside(2), _outside(3), BRIDGE)]
        for command in (*links, "ip netns del breakeven-2", "ip netns del breakeven-3"):
            subprocess.run(command.split(), check=False, capture_output=True)


def _outside(number):
    return f"breakeven{number}"


def _call(command):
    done = subprocess.run(command.split(), check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise PermissionError(f"{command}: {done.stderr.strip()}")
