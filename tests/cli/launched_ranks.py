"""Ranks of a program, which a test asks as the driver does."""

import json
import os
import socket
import subprocess


class LaunchedRanks:
    """The ranks that a command starts, each with a connection to this process. launch(arguments) starts processes that
    become the ranks, with these arguments, and returns them. `connected`: so many of the `count` ranks will connect."""

    def __init__(self, launch, count, connected=None):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            arguments = ["--ranks", str(count), "--driver", f"{listening.getsockname()[1]}:secret:127.0.0.1"]
            self.processes = launch(arguments)
            listening.settimeout(60)
            connections = [listening.accept()[0] for _ in range(connected or count)]
        told = [(connection, connection.makefile("r")) for connection in connections]
        told = [(json.loads(reader.readline()), connection, reader) for connection, reader in told]
        assert all(one["token"] == "secret" for one, _, _ in told), told
        told.sort(key=lambda rank: rank[0].get("rank", 0))
        self.introductions, self.connections, self._readers = zip(*told)

    def start(self, threads):
        """Sends the first request and returns the answers."""
        hosts = [one["host"] for one in self.introductions]
        places = {"hosts": hosts, "leader": "127.0.0.1", "leader_port": self.introductions[0].get("port", 0)}
        return self.ask(request="hello", protocol=1, threads=threads, **places)

    def send(self, **request):
        for connection in self.connections:
            connection.sendall(json.dumps(request).encode() + b"\n")

    def ask(self, **request):
        """The answers of all ranks; None of one that has ended."""
        self.send(**request)
        return [self.answer(rank) for rank in range(len(self.connections))]

    def answer(self, rank):
        line = "\n"
        while line == "\n":  # signs of life
            line = self._readers[rank].readline()
        return json.loads(line or "null")

    def leave(self):
        """Ends the connections, as the end of the driver does."""
        for reader, connection in zip(self._readers, self.connections):
            reader.close()
            connection.close()


def mpirun(program, count, environment, *more):
    """What starts ranks by mpirun, for LaunchedRanks."""

    def launch(arguments):
        command = ["mpirun", "-np", str(count), "--bind-to", "none", *more, program, *arguments]
        nothing = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)
        return [subprocess.Popen([str(part) for part in command], env=os.environ | environment, **nothing)]

    return launch
