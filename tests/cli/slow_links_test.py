"""Tests ranks on two hosts: the link between them decides how much of a training step is communication."""

import json
import os
import shutil
import subprocess
import tempfile
import unittest

from backend_program import BUILD, FASHION_MNIST, FolderTest, skip
from two_hosts import TwoHosts

ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class LinksTest(FolderTest):
    def run_on(self, hosts, workloads, name):
        """The results of training on the two hosts, by case id."""
        config = self.folder / f"{name}.json"
        measure = {"max_seconds": 0.5, "own_speed": "ignored", "launcher": hosts.launcher}
        config.write_text(json.dumps({"backends": ["openblas"], "measure": measure, "workloads": workloads}))
        out = self.folder / f"{name}-out.json"
        command = [BUILD / "breakeven", "run", config, "--out", out, "--threads", "1", "--quiet"]
        done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False)
        cases = json.loads(out.read_text())["cases"]
        self.assertEqual(done.returncode, 0, (done.stderr, [case["reason"] for case in cases]))
        return {case["id"]: case for case in cases}

    def test_a_slower_link_takes_more_of_a_step(self):
        training = {"op": "train", "network": "mlp", "batch": [64, 1024], "dtype": "f32"}
        found = {}
        with TwoHosts(self.folder) as hosts:
            for rate in ("full", "1gbit", "100mbit"):
                hosts.limit(None if rate == "full" else rate)
                names = list(hosts.names.values())
                ranks = [1, 2] if rate == "100mbit" else 2  # no link slows one rank down
                found[rate] = self.run_on(hosts, [training | {"ranks": ranks}], rate)
        shares, gains = {}, {}
        for rate, cases in found.items():
            for batch in (64, 1024):
                one = found["100mbit"][f"train/network=mlp/batch={batch}/f32"]
                two = cases[f"train/network=mlp/batch={batch}/ranks=2/f32"]
                self.assertEqual(two["status"], "ok", two["reason"])
                self.assertEqual([r["host"] for r in two["conditions"]["ranks"]], names)
                shares[rate, batch] = two["communication_seconds"] / two["seconds"]["median"]
                gains[rate, batch] = one["seconds"]["median"] / two["seconds"]["median"]
        # An MLP's gradients are 2.7 MB: about 0.2 s at 100 Mbit/s, beside a computation of some milliseconds.
        self.assertGreater(shares["100mbit", 64], 0.5)
        self.assertGreater(shares["100mbit", 64], shares["full", 64])
        # A larger batch computes for longer and exchanges as much: it is what makes the second host pay.
        self.assertLess(gains["100mbit", 64], 1)
        self.assertGreater(gains["100mbit", 1024], gains["100mbit", 64])
        report = subprocess.run(
            [BUILD / "breakeven", "report", self.folder / "100mbit-out.json"], capture_output=True, text=True, check=True
        )
        said = " ".join(report.stdout.split())
        self.assertRegex(said, r"on 2 ranks with OpenBLAS: [^;]* of ideal[^;]*; \d+(\.\d+)? % of a step is communication")

    def test_a_rank_behind_a_link_that_breaks_is_named(self):
        training = {"op": "train", "network": "mlp", "batch": 64, "ranks": 2, "epochs": 1000, "dtype": "f32"}
        with TwoHosts(self.folder) as hosts:
            launcher = self.breaking_launcher(hosts.names[3])
            config = self.folder / "broken.json"
            measure = {"max_seconds": 0.1, "launcher": hosts.launcher.replace("mpirun", str(launcher), 1)}
            config.write_text(json.dumps({"backends": ["openblas"], "measure": measure, "workloads": [training]}))
            out = self.folder / "broken-out.json"
            command = [BUILD / "breakeven", "run", config, "--out", out, "--quiet"]
            done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, check=False, timeout=100)
        self.assertEqual(done.returncode, 4, done.stderr)
        case = json.loads(out.read_text())["cases"][0]
        self.assertIn(hosts.names[3], case["reason"])

    def breaking_launcher(self, host):
        """A program that does what mpirun does, and breaks the link of `host` when ranks have computed for three seconds."""
        launcher = self.folder / "launch"
        launcher.write_text(
            f"""#!/bin/bash
            computed() {{
              for rank in $(pgrep -f 'breakeven-backend-openblas --ranks'); do awk '{{print $14 + $15}}' /proc/$rank/stat; done
            }}
            (until computed 2>/dev/null | grep -qE '^([3-9][0-9]{{2}}|[0-9]{{4,}})$'; do sleep 0.1; done; ip -n {host} link set eth0 down) &
            exec mpirun "$@"
            """
        )
        launcher.chmod(0o700)
        return launcher


def impossible_here():
    for program in ("mpirun", "ip", "tc"):
        if shutil.which(program) is None:
            return f"no {program}"
    if not os.path.exists(FASHION_MNIST):
        return "no Fashion-MNIST"
    try:
        with tempfile.TemporaryDirectory() as folder, TwoHosts(folder) as hosts:
            hosts.limit("1gbit")
    except (PermissionError, FileNotFoundError) as error:
        return str(error)
    return ""


if __name__ == "__main__":
    if why := impossible_here():
        skip(why)
    unittest.main()
