"""Tests scripts/gpu-pack, scripts/gpu-check and scripts/gpu-answers, from a build to the page of answers, with the CUDA backend on an
emulated device: packed here, unpacked elsewhere, and run there without a network, a compiler, or this machine's
environment."""

import json
import os
import shutil
import subprocess
import sys
import unittest

from backend_program import BUILD, FASHION_MNIST, SOURCE, FolderTest, folder_until, skip

EMULATED = BUILD / "tests/emulated_cuda"
CPU_BACKENDS = [name for name in ("openblas", "native") if (BUILD / f"breakeven-backend-{name}").exists()]
TOOLS = "awk bash cat cut date dirname env grep ls mkdir nproc paste rm sed sh sort tail tee timeout uname".split()
# The kinds of work in gpu-first.json, in sizes for an emulated device.
PLAN = {
    "title": "Does the GPU pay off here?",
    "measure": {"max_seconds": 0.02, "energy_seconds": 0},
    "workloads": [
        {"op": "matmul", "m": [16, 64, 256], "n": "m", "k": "m", "dtype": "f32"},
        {"op": "infer", "network": "mlp", "batch": [1, 2, 4], "dtype": "f32"},
    ],
}


def no_network():
    """The prefix of a command that gives it no network; empty if the kernel does not allow that."""
    unshare = ["unshare", "--map-root-user", "--net"]
    tried = subprocess.run([*unshare, "true"], capture_output=True) if shutil.which("unshare") else None
    return [str(shutil.which("unshare")), *unshare[1:]] if tried and tried.returncode == 0 else []


class GpuPackTest(FolderTest):
    @classmethod
    def setUpClass(cls):
        cls.packs = folder_until(cls.addClassCleanup)

    def built(self, cuda):
        """Makes a folder with the programs of a build, in which `cuda` is the CUDA backend."""
        build = self.folder / "built"
        build.mkdir()
        for name in ("breakeven", "breakeven-backend-reference", *(f"breakeven-backend-{cpu}" for cpu in CPU_BACKENDS)):
            (build / name).symlink_to(BUILD / name)
        (build / "breakeven-backend-cuda").symlink_to(cuda / "breakeven-backend-cuda")
        return build

    def unpacked(self, cuda=EMULATED):
        packed = self.packs / f"{cuda.name}.tar"
        if not packed.exists():
            done = subprocess.run([SOURCE / "scripts/gpu-pack", "--build", self.built(cuda), packed], capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            shutil.rmtree(self.folder / "built")
        subprocess.check_call(["tar", "xf", packed, "-C", self.folder])
        return self.folder / "breakeven-gpu"

    def check(self, root, *arguments):
        """Runs gpu-check with only the programs in PATH that it needs."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        for tool in TOOLS:
            if not (tools / tool).exists():
                (tools / tool).symlink_to(shutil.which(tool))
        return subprocess.run(
            [*no_network(), root / "scripts/gpu-check", *arguments],
            env={"PATH": str(tools), "EMULATED_CUDA_MEMORY": str(1 << 28)}, cwd="/", capture_output=True, text=True,
        )  # fmt: skip

    def test_the_packed_folder_answers_elsewhere(self):
        root = self.unpacked()
        self.assertTrue((root / "lib/libemulated-device.so").exists())
        self.assertFalse((root / "lib/libc.so.6").exists())
        loaded = subprocess.check_output(
            ["ldd", root / "cuda/breakeven-backend-cuda"], env={**os.environ, "LD_LIBRARY_PATH": str(root / "lib")}, text=True
        )
        self.assertNotIn(str(BUILD), loaded)
        (root / "configs/gpu-first.json").write_text(json.dumps(PLAN))
        out = self.folder / "out"
        done = self.check(root, "--only", "row,first", out)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        row = json.loads((out / "row.json").read_text())
        self.assertEqual([(case["backend"], case["status"]) for case in row["cases"]], [("cuda", "ok")])
        gpu = json.loads((out / "first-gpu.json").read_text())
        self.assertEqual({case["status"] for case in gpu["cases"]}, {"ok"})
        self.assertEqual(len(gpu["cases"]), 6)
        cpu = json.loads((out / "first-cpu.json").read_text())
        self.assertEqual({backend["name"] for backend in cpu["backends"]}, set(CPU_BACKENDS))
        for parameter in ("n", "batch"):
            self.assertTrue((out / f"first-break-even-{parameter}.json").exists(), done.stdout + done.stderr)
        page = (out / "first.html").read_text()
        for part in ("<svg", "cuda", "openblas"):
            self.assertIn(part, page)

    def test_what_the_build_leaves_out_is_said_and_fails(self):
        root = self.unpacked(EMULATED / "without_cudnn")
        done = self.check(root, "--only", "row", self.folder / "out")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("convolutions are left out: the build found no cuDNN 9 or no front end for it; scripts/setup-cuda", done.stdout)
        self.assertIn("gpu-check: failed: cuda has no conv2d", done.stderr)
        self.assertEqual(json.loads((self.folder / "out/row.json").read_text())["cases"][0]["status"], "ok")

    def test_an_answer_that_is_missing_fails(self):
        root = self.unpacked()
        (root / "build/breakeven").rename(root / "build/breakeven.real")
        (root / "build/breakeven").write_text('#!/bin/sh\n[ "$1" != threshold ] || exit 2\nexec "$0.real" "$@"\n')
        (root / "build/breakeven").chmod(0o755)
        (root / "configs/gpu-first.json").write_text(json.dumps({**PLAN, "workloads": PLAN["workloads"][:1]}))
        done = self.check(root, "--only", "first", self.folder / "out")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        for parameter in ("n", "batch"):
            self.assertIn(f"gpu-check: failed: first: the break-even by {parameter}", done.stderr)
        self.assertTrue((self.folder / "out/first.html").exists())

    def test_minutes_are_whole(self):
        for given in (["--minutes"], ["--minutes", "0"], ["--minutes", "1.5"]):
            refused = self.check(self.unpacked(), *given)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--minutes needs a whole number of minutes", refused.stderr)

    def test_a_part_needs_only_its_own_data(self):
        root = self.unpacked()
        shutil.rmtree(root / "data")
        refused = self.check(root, "--only", "training", self.folder / "out")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("training needs the data set", refused.stderr)
        done = self.check(root, "--only", "row", self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_an_unknown_part_is_refused(self):
        root = self.unpacked()
        refused = self.check(root, "--only", "build")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no part 'build'; there are: row first ", refused.stderr)

    def answers(self, root, *arguments):
        return subprocess.run(
            [sys.executable, root / "scripts/gpu-answers", *arguments],
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "EMULATED_CUDA_MEMORY": str(1 << 28)}, cwd=self.folder, capture_output=True, text=True,
        )  # fmt: skip

    def test_what_a_rented_gpu_answers_is_measured_and_collected(self):
        root = self.unpacked()
        for config in (root / "configs").glob("*.json"):  # sizes for an emulated device
            if "workloads" in (text := json.loads(config.read_text())):
                config.write_text(json.dumps({**text, "workloads": [{"op": "launch", "dtype": "f32"}]}))
        (root / "configs/break-even.json").write_text(json.dumps({
            "title": "From which size on?",
            "threshold": {"parameter": "m", "baseline": {"backends": ["openblas"]}, "challenger": {"backends": ["cuda"]}},
            "workloads": [{"op": "matmul", "m": [32, 64, 128], "n": "m", "k": "m", "dtype": "f32"}],
        }))  # fmt: skip
        (root / "configs/matmul.json").write_text(json.dumps({**PLAN, "backends": ["cuda"], "workloads": PLAN["workloads"][:1]}))
        for steps in ("products", "products,memory"):
            done = self.answers(root, "measure", "--steps", steps, "--until", "300", "out")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        measured = json.loads((self.folder / "out/answers.json").read_text())["cases"]
        rows = {(case["backend"], case["op"], case["params"].get("m")): case["status"] for case in measured}
        # m = 16 is below what the step asks for.
        self.assertEqual({m for backend, op, m in rows if (backend, op) == ("cuda", "matmul")}, {32, 64, 128, 256})
        self.assertEqual(set(rows.values()), {"ok"})
        self.assertEqual(len(measured), len({(case["id"], case["backend"]) for case in measured}))
        done = self.answers(root, "collect", "out", "machine")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("bandwidth.json: 1 of 1 cases", done.stdout)
        self.assertIn("nothing of break-even-convolution was measured", done.stdout)
        found = json.loads((self.folder / "machine/break-even.json").read_text())
        self.assertEqual(found["challenger"]["name"], "emulated Hopper")
        self.assertEqual(len(found["answers"][0]["points"]), 4)
        answered = subprocess.check_output([root / "build/breakeven", "report", "machine/matmul.json", "--csv", "-"], cwd=self.folder,
                                           env={**os.environ, "LD_LIBRARY_PATH": str(root / "lib")}, text=True)  # fmt: skip
        self.assertEqual(answered.count(",cuda,"), 2, answered)  # 64 and 256

    def test_a_build_that_lacks_operations_is_not_measured(self):
        refused = self.answers(self.unpacked(EMULATED / "without_cudnn"), "measure", "out")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("cuda was built without conv2d - scripts/setup-cuda", refused.stderr)
        self.assertFalse((self.folder / "out/answers.json").exists())

    def test_a_build_without_the_backend_is_not_packed(self):
        build = self.built(EMULATED)
        (build / "breakeven-backend-cuda").unlink()
        refused = subprocess.run([SOURCE / "scripts/gpu-pack", "--build", build], capture_output=True, text=True)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("no " + str(build / "breakeven-backend-cuda") + ": build it first", refused.stderr)


if __name__ == "__main__":
    if not (EMULATED / "breakeven-backend-cuda").exists() or not os.path.exists(FASHION_MNIST) or "openblas" not in CPU_BACKENDS:
        skip("needs the emulated device, OpenBLAS and dataset-fashion-mnist")
    unittest.main()
