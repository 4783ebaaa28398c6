"""A Slurm cluster on this machine, for tests: its own daemons, ports, key and folder, ended with the test."""

import contextlib
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

from backend_program import skip

PROGRAMS = ["munged", "slurmctld", "slurmd", "sbatch", "scontrol", "sinfo", "squeue"]
CPUS = 2  # of each node, whatever the machine has
CONFIG = """
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
SlurmctldPort={ports[0]}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmctldPidFile={folder}/slurmctld.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdSpoolDir={folder}/spool-%n
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmdLogFile={folder}/slurmd-%n.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
MailProg=/bin/true
ReturnToService=2
KillWait=5
"""


def program(name):
    """The path of a program, which Debian may have in a folder for root alone; None if it is missing."""
    return shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")


def missing_programs():
    return [name for name in PROGRAMS if program(name) is None]


def skip_without_slurm():
    if missing := missing_programs():
        remedy = "on Debian and Ubuntu: apt-get install slurmctld slurmd slurm-client munge"
        skip(f"no {', '.join(missing)}; {remedy}")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmCluster:
    """A cluster whose nodes are all this machine. `environment` is for programs that use it."""

    def __init__(self, folder, nodes, add_cleanup):
        self.folder, self.daemons = folder, []
        add_cleanup(self.end)
        folder.chmod(0o711)  # munged refuses a socket that not everyone can reach
        (folder / "state").mkdir()
        (folder / "key").write_bytes(os.urandom(128))
        (folder / "key").chmod(0o400)
        ports = free_ports(1 + len(nodes))
        host = socket.gethostname()
        text = CONFIG.format(folder=folder, host=host, ports=ports, user=pathlib.Path(folder).owner())
        for name, port in zip(nodes, ports[1:]):
            text += f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} "
            text += f"CPUs={CPUS} RealMemory=1024\n"
        (folder / "slurm.conf").write_text(f"{text}PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE\n")
        # Nothing here uses control groups, and this plugin starts without them. The one for v2 needs systemd.
        (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("SLURM", "SBATCH"))},
            "SLURM_CONF": str(folder / "slurm.conf"),
            "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin",
        }
        files = {
            "key-file": "key",
            "socket": "munge.socket",
            "pid-file": "munged.pid",
            "log-file": "munged.log",
            "seed-file": "munged.seed",
        }
        options = [f"--{option}={folder / name}" for option, name in files.items()]
        self.start("munged", "--foreground", "--num-threads=2", *options)
        self.wait_until(lambda: (folder / "munge.socket").exists())
        self.start("slurmctld", "-D")
        for name in nodes:
            (folder / f"spool-{name}").mkdir()
            self.start("slurmd", "-D", "-N", name)
        self.wait_until(lambda: self.run("sinfo", "-h", "-N", "-o", "%t").stdout.split() == ["idle"] * len(nodes))

    def start(self, name, *arguments):
        with (self.folder / f"{name}.output").open("ab") as output:
            daemon = subprocess.Popen(
                [program(name), *arguments],
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self.daemons.append(daemon)

    def wait_until(self, condition, seconds=30):
        ends = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > ends or any(daemon.poll() is not None for daemon in self.daemons):
                raise RuntimeError(f"the Slurm cluster is not where it should be:\n{self.logs()}")
            time.sleep(0.1)

    def run(self, *command, seconds=120, **environment):
        running = subprocess.Popen(
            list(map(str, command)),
            cwd=self.folder,
            env={**self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            out, error = running.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)  # and an sbatch that waits
            running.communicate()
            raise
        return subprocess.CompletedProcess(command, running.returncode, out, error)

    def logs(self):
        """The ends of what the daemons said."""
        files = sorted(self.folder.glob("*.output"))
        return "\n".join(f"{file.name}:\n{file.read_text(errors='replace')[-2000:]}" for file in files)

    def end(self):
        with contextlib.suppress(RuntimeError, subprocess.TimeoutExpired):  # jobs would outlive the daemons
            if len(self.daemons) > 1:
                self.run("scancel", "--user", self.folder.owner(), seconds=10)
                self.wait_until(lambda: not self.run("squeue", "-h", seconds=10).stdout, seconds=20)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
