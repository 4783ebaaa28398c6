"""Tests scripts/prices-from-skypilot on a catalogue with SkyPilot's columns, and `rank` on its output."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from backend_program import BUILD, SOURCE

COLUMNS = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"
INFO = "\"{'Gpus': [{'Name': 'H100', 'Manufacturer': 'NVIDIA', 'Count': 1.0, 'MemoryInfo': {'SizeInMiB': 81920}}]}\""
CATALOGUE = f"""{COLUMNS}
cpu-4,,,4.0,16.0,0.2,west,,0.05
cpu-4,,,4.0,16.0,0.3,east,,
gpu-1-h100,H100,1.0,26.0,225.0,2.5,west,{INFO},1.25
gpu-1-h100,H100,1.0,26.0,225.0,2.4,east,{INFO},
gpu-8-h100,H100,8,208.0,1800.0,16,east,{INFO},
gpu-1-free,H100,1.0,26.0,225.0,,east,{INFO},
gpu-1-l4,L4,1.0,4.0,16.0,0.7,east,,
"""
NAME = "NVIDIA H100 80GB HBM3"


def run(catalogue, *more):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "vms.csv")
        path.write_text(catalogue)
        usual = ["--source", "a page", "--date", "2026-10-01"]
        command = [sys.executable, SOURCE / "scripts" / "prices-from-skypilot", path, *usual, *more]
        return subprocess.run(command, capture_output=True, text=True)


def result(host, device, backend, seconds):
    """As little as a result file can have."""
    case = {
        "id": "x", "op": "unknown", "params": {}, "dtype": "f32", "backend": backend, "device": device, "status": "ok",
        "verify": {"error": 0, "tolerance": 0, "correct": True, "elements": 1},
        "seconds": {"median": seconds, "ci_low": 0.99 * seconds, "ci_high": 1.01 * seconds, "iterations": 1,
                    "samples": [0.99 * seconds, seconds, 1.01 * seconds], "launches": [3]},
    }  # fmt: skip
    return {
        "schema": "breakeven.result/1", "complete": True, "tool": {}, "host": {"name": host, "cpu": "A CPU"}, "config": {},
        "backends": [{"name": backend, "available": True, "device": device, "device_name": NAME}], "cases": [case],
    }  # fmt: skip


class PricesFromSkyPilot(unittest.TestCase):
    def test_cheapest_region_and_price_by_gpu(self):
        done = run(CATALOGUE, "--gpu", f"H100={NAME}", "--host", "cpu-4=build-7")
        self.assertEqual(done.returncode, 0, done.stderr)
        prices = json.loads(done.stdout)["prices"]
        self.assertEqual(
            [(p["name"], p.get("device"), p.get("host"), p["per_hour"]) for p in prices],
            [
                ("cpu-4, west", None, "build-7", 0.2),
                ("gpu-1-h100, east", NAME, None, 2.4),
                ("gpu-8-h100, one of 8 GPUs, east", NAME, None, 2.0),
            ],
        )
        self.assertEqual({(p["currency"], p["source"], p["date"]) for p in prices}, {("USD", "a page", "2026-10-01")})

    def test_one_region_and_spot(self):
        west = json.loads(run(CATALOGUE, "--gpu", f"H100={NAME}", "--region", "west").stdout)["prices"]
        self.assertEqual([p["per_hour"] for p in west], [2.5])
        spot = json.loads(run(CATALOGUE, "--gpu", f"H100={NAME}", "--spot").stdout)["prices"]
        self.assertEqual([p["per_hour"] for p in spot], [1.25])

    def test_rank_reads_it(self):
        prices = run(CATALOGUE, "--gpu", f"H100={NAME}", "--host", "cpu-4=build-7").stdout
        with tempfile.TemporaryDirectory() as folder:
            files = {"prices": json.loads(prices), "cpu": result("build-7", "cpu", "onednn", 1), "gpu": result("g", "gpu", "cuda", 0.01)}
            paths = {name: pathlib.Path(folder, f"{name}.json") for name in files}
            for name, content in files.items():
                paths[name].write_text(json.dumps(content))
            command = [BUILD / "breakeven", "rank", paths["cpu"], paths["gpu"], "--prices", paths["prices"], "--by", "cost", "--out", "-"]
            done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        ranking = json.loads(done.stdout)["rankings"][0]
        self.assertEqual(ranking["ranking"][0]["device"], NAME)
        self.assertEqual(ranking["ranking"][0]["rent"]["per_hour"], 2.0)
        self.assertAlmostEqual(ranking["payback"][0]["busy"]["value"], 0.1)

    def test_bad_input(self):
        for catalogue, more, words in [
            (CATALOGUE, [], "--gpu or --host"),
            (CATALOGUE, ["--gpu", "H100"], "is no NAME=MEANING"),
            (CATALOGUE, ["--gpu", "H9000=X"], "has no price of what was named"),
            ("a,b\n1,2\n", ["--gpu", "H100=X"], "has no column AcceleratorCount"),
            ("", ["--gpu", "H100=X"], "is it a vms.csv"),
            (CATALOGUE, ["--gpu", "H100=X", "--date", "yesterday"], "is no day"),
        ]:
            done = run(catalogue, *more)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
