"""Tests bench/peers/ratios, on result files made here."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from backend_program import SOURCE


def case(problem, backend, samples, device="cpu", status="ok", launches=None):
    seconds = {"median": sorted(samples)[len(samples) // 2], "samples": samples, "launches": launches}
    return {"id": problem, "backend": backend, "device": device, "status": status, "seconds": seconds}


def ratios(*results, extra=()):
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for i, result in enumerate(results):
            paths.append(pathlib.Path(folder, f"{i}.json"))
            paths[-1].write_text(result if isinstance(result, str) else json.dumps(result))
        command = [sys.executable, SOURCE / "bench" / "peers" / "ratios", *paths, *extra]
        return subprocess.run(command, capture_output=True, text=True)


BACKENDS = [{"name": "reference", "role": "arbiter"}, {"name": "openblas", "role": "contender"}]


class RatiosTest(unittest.TestCase):
    def test_best_cpu_backend_against_the_peer(self):
        result = {
            "backends": BACKENDS,
            "cases": [
                case("a", "openblas", [2.0, 2.0, 2.0]),
                case("a", "onednn", [3.0, 3.0, 3.0]),
                case("a", "reference", [0.5, 0.5, 0.5]),
                case("a", "cuda", [0.1, 0.1, 0.1], device="gpu"),
                case("a", "pytorch", [4.0, 4.0, 4.0]),
                case("b", "onednn", [2.0, 2.0]),
                case("b", "pytorch", [1.0, 1.0]),
                case("c", "onednn", [1.0], status="wrong"),
                case("c", "pytorch", [1.0]),
            ],
        }
        answer = ratios(result)
        self.assertEqual(answer.returncode, 0, answer.stderr)
        self.assertIn("| a | openblas | 2000 | 4000 | 2.000 | 2.000 ... 2.000 | 3 |", answer.stdout)
        self.assertIn("| b | onednn | 2000 | 1000 | 0.500 | 0.500 ... 0.500 | 2 |", answer.stdout)
        self.assertNotIn("| c |", answer.stdout)
        self.assertIn("Geometric mean of 2: 1.000. Least: 0.500 (b).", answer.stdout)

    def test_a_peer_on_a_gpu_is_compared_with_gpu_backends(self):
        cases = [
            case("a", "openblas", [1.0, 1.0]),
            case("a", "cuda", [2.0, 2.0], device="gpu"),
            case("a", "pytorch-cuda", [3.0, 3.0], device="gpu"),
        ]
        answer = ratios({"backends": BACKENDS, "cases": cases}, extra=["--peer", "pytorch-cuda"])
        self.assertIn("| a | cuda | 2000 | 3000 | 1.500 | 1.500 ... 1.500 | 2 |", answer.stdout)

    def test_rounds_are_paired_launch_by_launch(self):
        # Both sides are slower in one round; paired, their ratio is the same in all of them.
        mine = [1.0, 1.0, 5.0, 1.0, 1.0]
        its = [2.0, 2.0, 2.0, 10.0, 2.0]
        cases = [case("a", "onednn", mine, launches=[2, 3]), case("a", "pytorch", its, launches=[3, 2])]
        answer = ratios({"backends": [], "cases": cases})
        self.assertIn("| 4 |", answer.stdout)

    def test_says_what_is_wrong(self):
        for result, words in [
            ("rubbish", "0.json"),
            ({"hello": 1}, "not a result file"),
            ({"backends": [], "cases": [case("a", "pytorch", [1.0])]}, "no problem was measured by both"),
        ]:
            answer = ratios(result)
            self.assertEqual((answer.returncode, answer.stdout), (2, ""))
            self.assertIn(words, answer.stderr)


if __name__ == "__main__":
    unittest.main()
