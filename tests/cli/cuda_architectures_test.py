"""Tests that the CUDA backend has its kernels for each architecture for which it was configured."""

import os
import re
import shutil
import subprocess
import unittest

from backend_program import BUILD, SOURCE, load_script, skip

PROGRAM = BUILD / "breakeven-backend-cuda"
CUOBJDUMP = shutil.which("cuobjdump", path=load_script("cuda-kernels").FOLDERS)
ARCHITECTURES = [name for name in os.environ.get("BREAKEVEN_CUDA_ARCHITECTURES", "").split(",") if name]


def cuobjdump(*options):
    return subprocess.check_output([CUOBJDUMP, *options, PROGRAM], text=True)


def entries(architecture):
    """The kernels compiled for an architecture, as {source file's name: {mangled names}}."""
    found = {}
    for line in cuobjdump("-symbols", "-arch", f"sm_{architecture}").splitlines():
        # A source's unnamed namespace contains the source's name, between two numbers.
        kernel = re.search(r"ENTRY.* (_Z\S*_GLOBAL__N__[0-9a-f]+_\d+_(\w+?)_cu_[0-9a-f]+\S*)", line)
        if kernel:
            found.setdefault(kernel[2], set()).add(kernel[1])
    return found


def with_kernels(pattern):
    return [source for source in (SOURCE / "src/backends/cuda").glob(pattern) if "__global__" in source.read_text()]


class CudaArchitecturesTest(unittest.TestCase):
    def test_every_kernel_is_there_for_every_architecture(self):
        special = {source.stem for source in with_kernels("**/sm_*/*.cu")}
        sources = {source.stem for source in with_kernels("**/*.cu")} - special
        compiled = {}
        for name in ARCHITECTURES:
            if not name.endswith("-virtual"):
                found = entries(name.split("-")[0])  # for sm_90 it also lists what is for sm_90a
                compiled[name] = {source: kernels for source, kernels in found.items() if source not in special}
        self.assertTrue(compiled)
        for architecture, kernels in compiled.items():
            with self.subTest(architecture):
                self.assertEqual(set(kernels), sources)
                self.assertEqual(kernels, next(iter(compiled.values())))

    def test_kernels_of_one_architecture_are_there_for_that(self):
        found = 0
        for source in with_kernels("**/sm_*/*.cu"):
            with self.subTest(source.name):
                self.assertTrue(entries(source.parent.name.removeprefix("sm_")).get(source.stem))
                found += 1
        self.assertGreater(found, 0)

    def test_peaks_are_of_multiply_adds(self):
        """The compiled loop must have as many products as additions."""
        ptx = cuobjdump("--dump-ptx")
        for letter, type_name, least in (("f", "f32", 12 * 16), ("d", "f64", 12 * 8)):
            with self.subTest(type_name):
                kernel = re.search(rf"\.entry \S*peak_fmaI{letter}E.*?\n}}", ptx, re.DOTALL)[0]
                self.assertGreaterEqual(len(re.findall(rf"fma\.rn\.{type_name}", kernel)), least)
                self.assertNotRegex(kernel, rf"mul(\.rn)?\.{type_name}")

    def test_peaks_of_8_bit_floats_have_little_in_f64(self):
        """Their accumulators are emptied after every few matrix instructions. Most cards have two units for f64 in a
        multiprocessor, so that a conversion takes as long as several of those."""
        kernel = re.search(r"\.entry \S*peak_mmaI\S*MmaF8E.*?\n}", cuobjdump("--dump-ptx"), re.DOTALL)[0]
        self.assertIn("e4m3.e4m3", kernel)
        self.assertLessEqual(len(re.findall(r"(?:cvt|add|fma|mul)\.(?:rn\.)?f64", kernel)), 3)

    def test_no_kernel_spills(self):
        table = subprocess.run([SOURCE / "scripts/cuda-kernels", PROGRAM], capture_output=True, text=True)
        for name in ARCHITECTURES:
            if not name.endswith("-virtual"):
                self.assertIn(f"sm_{name.split('-')[0]} ", table.stdout)
        self.assertEqual(table.returncode, 0, table.stdout.splitlines()[-1:] + [table.stderr])

    def test_newer_cards_find_code_to_compile(self):
        virtual = [name.split("-")[0] for name in ARCHITECTURES if not name.endswith("-real")]
        listed = cuobjdump("--list-ptx")
        self.assertTrue(virtual)
        for architecture in virtual:
            self.assertIn(f".sm_{architecture}.ptx", listed)


if __name__ == "__main__":
    if CUOBJDUMP is None or not PROGRAM.exists():
        skip("the CUDA backend was not built, or there is no cuobjdump")
    unittest.main()
