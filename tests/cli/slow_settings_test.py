"""Tests that no variable of a library or runtime makes a right backend look wrong, failed or hung: every CPU backend here
under each setting, in `run`, `gate` of one folder against itself, and training. What a setting costs in speed is not
judged."""

import json
import os
import random
import struct
import subprocess
import unittest

from backend_program import BUILD, FolderTest, skip

DRIVER = BUILD / "breakeven"
BACKENDS = [name for name in ("openblas", "blis", "onednn", "native") if (BUILD / f"breakeven-backend-{name}").exists()]
if "onednn" not in BACKENDS and "openblas" not in BACKENDS:
    skip("neither OpenBLAS nor oneDNN is here")

# By what reads them; several variables of one setting are separated by spaces. BLIS 0.9 takes a number for its
# kernels: 3 runs on every processor with AVX2, and a name is 0, which needs AVX-512.
SETTINGS = {
    "OpenMP's threads": """
OMP_DYNAMIC=true
OMP_DYNAMIC=TRUE OMP_NUM_THREADS=2
OMP_THREAD_LIMIT=1
OMP_THREAD_LIMIT=2
OMP_NUM_THREADS=1
OMP_NUM_THREADS=16
OMP_NUM_THREADS=4,2
OMP_NESTED=true OMP_NUM_THREADS=4,4
OMP_MAX_ACTIVE_LEVELS=4
OMP_MAX_ACTIVE_LEVELS=0
OMP_SCHEDULE=guided OMP_DYNAMIC=true OMP_CANCELLATION=true
KMP_DYNAMIC_MODE=load_balance OMP_DYNAMIC=1
""",
    "OpenMP's places and waiting": """
OMP_WAIT_POLICY=active
OMP_WAIT_POLICY=active GOMP_SPINCOUNT=infinite
OMP_PROC_BIND=true
OMP_PROC_BIND=spread OMP_PLACES=cores
GOMP_CPU_AFFINITY=0
OMP_STACKSIZE=64K
OMP_STACKSIZE=1G
OMP_DISPLAY_ENV=verbose
OMP_PROC_BIND=true OMP_PLACES={0}
GOMP_SPINCOUNT=0
GOMP_STACKSIZE=256
KMP_AFFINITY=compact KMP_BLOCKTIME=infinite
""",
    "OpenBLAS": """
OPENBLAS_NUM_THREADS=1
OPENBLAS_NUM_THREADS=64
GOTO_NUM_THREADS=1
OPENBLAS_MAIN_FREE=1
OPENBLAS_THREAD_TIMEOUT=4
OPENBLAS_CORETYPE=Prescott
OPENBLAS_VERBOSE=2
""",
    "BLIS": """
BLIS_NUM_THREADS=8
BLIS_JC_NT=4
BLIS_IC_NT=2 BLIS_JR_NT=2
BLIS_ARCH_TYPE=3
""",
    "oneDNN": """
ONEDNN_MAX_CPU_ISA=SSE41
ONEDNN_MAX_CPU_ISA=AVX2
ONEDNN_DEFAULT_FPMATH_MODE=BF16
DNNL_DEFAULT_FPMATH_MODE=ANY
ONEDNN_VERBOSE=2
ONEDNN_PRIMITIVE_CACHE_CAPACITY=0
""",
    "the C library and others": """
LD_BIND_NOW=1
MKL_NUM_THREADS=1 MKL_DYNAMIC=true MKL_CBWR=COMPATIBLE
MALLOC_ARENA_MAX=1
MALLOC_PERTURB_=85
MALLOC_MMAP_THRESHOLD_=0 MALLOC_TRIM_THRESHOLD_=0
GLIBC_TUNABLES=glibc.malloc.hugetlb=1
GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2
BENCHMARK_REPETITIONS=3
CUDA_LAUNCH_BLOCKING=1 NVIDIA_TF32_OVERRIDE=1
""",
}


def environments():
    """One setting of each group at a time: every setting occurs."""
    settings = [group.split("\n")[1:-1] for group in SETTINGS.values()]
    for i in range(max(map(len, settings))):
        yield " ".join(group[i % len(group)] for group in settings)


def write_images(folder, count):
    """A small data set in the format of MNIST."""
    noise = random.Random(1)
    for split in ("train", "t10k"):
        pixels, labels = noise.randbytes(count * 784), bytes(noise.randrange(10) for _ in range(count))
        (folder / f"{split}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, count, 28, 28) + pixels)
        (folder / f"{split}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, count) + labels)


class SettingsTest(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "images").mkdir()
        write_images(self.folder / "images", 256)
        product = {"op": "matmul", "m": 512, "n": "m", "k": 384, "dtype": "f32"}
        small = {"op": "matmul", "m": 64, "n": "m", "k": "m", "dtype": "bf16"}
        image = {"n": 4, "c": 32, "h": 28, "w": 28, "k": 64, "r": 3, "s": 3, "pad": 1}
        network = {"network": "cnn", "batch": 32, "dtype": "f32", "data": str(self.folder / "images")}
        workloads = [product, small, {"op": "conv2d", **image, "pass": "forward", "dtype": "f32"}]
        # Conditions that a neighbour could change are not waited for.
        measure = {"max_seconds": 0.02, "timeout_seconds": 60, "placement": "cores"}
        self.write("run.json", measure, [*workloads, {"op": "train", **network}, {"op": "launch", "dtype": "f32"}])
        self.write("gate.json", measure, [product])

    def write(self, name, measure, workloads):
        config = {"title": name, "backends": BACKENDS, "measure": measure, "workloads": workloads}
        (self.folder / name).write_text(json.dumps(config))

    def launch(self, setting, *arguments):
        # The network's reference result is computed once, and that of a gate's small product under every setting.
        cache = "1" if arguments[0] == "run" else "0"
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "BREAKEVEN_REFERENCE_CACHE": cache}
        for pair in setting.split():
            name, _, value = pair.partition("=")
            environment[name] = value
        command = [DRIVER, *arguments, "--quiet"]
        return subprocess.run(command, env=environment, cwd=self.folder, capture_output=True, text=True, timeout=400)

    def check_run(self, setting):
        done = self.launch(setting, "run", "run.json", "--out", "r.json")
        self.assertIn(done.returncode, (0, 1), (setting, done.stderr[-2000:]))
        found = json.loads((self.folder / "r.json").read_text())
        (self.folder / "r.json").unlink()
        self.assertEqual([b["reason"] for b in found["backends"] if not b["available"]], [], setting)
        # An implausible time would be a matter of the clock.
        bad = [(c["backend"], c["id"], c["reason"]) for c in found["cases"] if c["status"] not in ("ok", "unsupported", "implausible")]
        self.assertEqual(bad, [], setting)
        trained = {c["backend"] for c in found["cases"] if c["op"] == "train" and c["status"] == "ok"}
        self.assertEqual(trained, set(BACKENDS) & {"openblas", "blis", "onednn"}, setting)

    def check_gate(self, setting):
        sides = ["--base", str(BUILD), "--head", str(BUILD)]
        done = self.launch(setting, "gate", "gate.json", *sides, "--minutes", "0.03", "--out", "g.json")
        self.assertTrue((self.folder / "g.json").exists(), (setting, done.stderr[-2000:]))
        found = json.loads((self.folder / "g.json").read_text())
        (self.folder / "g.json").unlink()
        for case in found["cases"]:
            context = (setting, case["id"], case["backend"], case.get("reason"))
            # A case that a busy machine left no time for is no fault of the setting.
            if (case.get("reason") or "").startswith("not measured"):
                continue
            self.assertLessEqual({case["base_status"], case["head_status"]}, {"ok", "unsupported"}, context)

    def test_no_setting_makes_a_right_backend_look_wrong(self):
        for setting in environments():
            with self.subTest(setting):
                self.check_run(setting)
                self.check_gate(setting)


if __name__ == "__main__":
    unittest.main()
