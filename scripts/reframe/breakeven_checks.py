"""A check for ReFrame (https://reframe-hpc.readthedocs.io): measures configs with breakeven. It fails where a result is
wrong or missing, and logs how fast each case is on each backend.

    reframe -C scripts/reframe/settings.py -c scripts/reframe/breakeven_checks.py --system=breakeven:local \\
        -P config=quick,regression -S ceilings=ceilings.json --run

With results of configs/ceilings.json from the same machines, it also fails where no product, or no convolution, of a
dtype reaches `least_share` of its roofline. docs/cluster.md has more.
"""

import csv
import json
import os
import pathlib
import shlex

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.builtins import parameter, run_after, run_before, sanity_function, variable

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERIFIED = {"ok", "unsupported"}  # a backend need not offer every case
BANDWIDTHS = {"read", "triad", "copy"}
HAVE_REFERENCES = {"matmul", "conv2d"}  # networks reach less, by how much they do between products


def speed_of(case):
    """(number, unit) of a case that was measured; None if it has no time."""
    if case["status"] != "ok" or not case.get("seconds"):
        return None
    if case.get("samples_per_iteration"):
        return case["samples_per_iteration"] / case["seconds"]["median"], "images/s"
    for key, unit in [("gbps", "GB/s")] if case["op"] in BANDWIDTHS else [("gflops", "GFLOP/s")]:
        if case.get(key):
            return case[key], unit
    return case["seconds"]["median"], "s"


@rfm.simple_test
class BreakevenCheck(rfm.RunOnlyRegressionTest):
    descr = "Measures a config with breakeven"
    config = parameter(["quick"], type=str)  # names or paths; -P config=A,B replaces them
    driver = variable(str, value=str(ROOT / "build" / "breakeven"))
    options = variable(str, value="")  # of `breakeven run`
    ceilings = variable(str, value="")  # a result file of configs/ceilings.json, or a folder with one of each node
    least_share = variable(float, value=0.3)  # of the roofline; in results/ the best reach 0.31 to 1.9

    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    sourcesdir = None
    exclusive_access = True  # neighbours spoil timings
    num_tasks = 1
    tags = {"performance", "breakeven"}

    @run_after("init")
    def describe_the_run(self):
        config = os.path.abspath(self.config) if os.path.exists(self.config) else self.config
        driver = shlex.quote(self.driver)
        self.executable = driver
        self.executable_opts = ["run", shlex.quote(config), "--out", "result.json", self.options]
        self.postrun_cmds = ["echo $? >status"]
        if self.ceilings:
            ceilings = shlex.quote(os.path.abspath(self.ceilings))
            ceilings += "/*.json" if os.path.isdir(self.ceilings) else ""
            self.postrun_cmds += [f"{driver} report result.json {ceilings} --csv shares.csv"]

    def result(self):
        return json.loads(pathlib.Path(self.stagedir, "result.json").read_text())

    def best_shares(self):
        """How much of its roofline the best case of each operation and dtype reaches: {"matmul f32": 0.8}."""
        best, table, result = {}, pathlib.Path(self.stagedir, "shares.csv"), self.result()
        for row in csv.DictReader(table.read_text().splitlines() if table.exists() else []):
            is_of_this_run = (row["created"], row["machine"]) == (result["created"], result["host"].get("machine", result["host"]["name"]))
            if row["roofline_share"] and is_of_this_run:
                name = f"{row['op']} {row['dtype']}"
                best[name] = max(best.get(name, 0), float(row["roofline_share"]))
        return best

    @sanity_function
    def every_case_is_verified(self):
        status = pathlib.Path(self.stagedir, "status").read_text().strip()
        if not pathlib.Path(self.stagedir, "result.json").exists():
            return sn.assert_true(False, msg=f"breakeven measured nothing (status {status}); rfm_job.err says why")
        result = self.result()
        cases = result["cases"]
        bad = [case for case in cases if case["status"] not in VERIFIED]
        named = "; ".join(f"{c['id']} on {c['backend']} is {c['status']}: {c.get('reason', '')}" for c in bad)
        no_ceilings = f"{self.ceilings} has no ceilings of {result['host']['name']}; run configs/ceilings.json there"
        return sn.all([
            sn.assert_false(bad, msg=named),
            sn.assert_true(result["complete"], msg="the run was interrupted, so result.json lacks cases"),
            sn.assert_eq(status, "0", msg=f"breakeven ended with status {status}; rfm_job.err says why"),
            sn.assert_true(any(map(speed_of, cases)), msg="no backend could measure any case"),
            sn.assert_true(self.best_shares() or not self.ceilings, msg=no_ceilings),
        ])  # fmt: skip

    @run_before("performance")
    def read_the_speeds(self):
        def add(name, number, unit):
            self.perf_variables[name] = sn.make_performance_function(sn.defer(number), unit)

        for case in self.result()["cases"]:
            if speed := speed_of(case):
                add(f"{case['id']} {case['backend']}", *speed)
        if self.ceilings:
            references = {}
            for name, share in self.best_shares().items():
                add(f"{name} of its roofline", 100 * share, "%")
                if name.split()[0] in HAVE_REFERENCES:
                    references[f"{name} of its roofline"] = (100, self.least_share - 1, None, "%")
            self.reference = {self.current_partition.fullname: references}
