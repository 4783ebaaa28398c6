"""Tests scripts/setup-libraries without a registry, and CMake's use of the folders that it makes."""

import os
import shutil
import stat
import subprocess
import unittest
import zipfile

from backend_program import SOURCE, FolderTest

WHEEL = "scipy_openblas32-0.3.99.7.1-py3-none-any.whl"


def write_wheel(folder):
    """Writes the parts of PyPI's package that the script reads."""
    info = WHEEL.split("-py3")[0] + ".dist-info"
    name, version = WHEEL.split("-")[:2]
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
        wheel.writestr("scipy_openblas32/include/cblas.h", "void scipy_cblas_sgemm(int n);\nint scipy_get(void);\n")
        wheel.writestr("scipy_openblas32/lib/libscipy_openblas.so", "no library")


class SetupLibrariesTest(FolderTest):
    def setUp(self):
        super().setUp()
        self.libraries = self.folder / "breakeven" / "libraries"

    def setup(self, *arguments, processor="x86_64"):
        uname = self.folder / "bin" / "uname"
        uname.parent.mkdir(exist_ok=True)
        uname.write_text(f"#!/bin/sh\necho {processor}\n")
        uname.chmod(stat.S_IRWXU)
        environment = {**os.environ, "PATH": f"{uname.parent}:{os.environ['PATH']}", "XDG_DATA_HOME": str(self.folder),
                       "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.folder), "PIP_CONFIG_FILE": os.devnull}  # fmt: skip
        return subprocess.run([SOURCE / "scripts/setup-libraries", *arguments], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def test_unknown_names_are_refused(self):
        for arguments, said in [
            (["openblsa"], "there is no library 'openblsa' here; there are openblas onednn mkl, and --remove"),
            (["mkl", "--help"], "there is no library '--help' here"),
            (["--remove", "openblas-9.9"], f"there is no {self.libraries}/openblas-9.9"),
            (["--remove", ".."], "there is no "),
        ]:
            with self.subTest(arguments):
                done = self.setup(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr.startswith(f"setup-libraries: {said}"), done.stderr)
        self.assertFalse(self.libraries.exists())

    def test_what_pypi_lacks_for_a_processor_is_refused_at_once(self):
        for library in ("onednn", "mkl==2025.*"):
            done = self.setup("openblas", library, processor="aarch64")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            name = library.split("==")[0]
            self.assertEqual(done.stderr, f"setup-libraries: PyPI has {name} for x86-64 only, and this processor is aarch64\n")

    @unittest.skipIf(subprocess.run(["python3", "-c", "import ensurepip, venv"], stderr=subprocess.DEVNULL).returncode,
                     "no python3 with venv")  # fmt: skip
    def test_brings_and_removes(self):
        missing = self.setup("openblas")
        self.assertEqual(missing.returncode, 2)
        self.assertIn("PyPI has no scipy-openblas32 for this machine, or cannot be reached", missing.stderr)
        write_wheel(self.folder)
        done = self.setup("openblas==0.3.99.*")
        self.assertEqual(done.returncode, 0, done.stderr)
        brought = self.libraries / "openblas-0.3.99"
        self.assertEqual(sorted(p.name for p in brought.iterdir()), ["include", "lib"])
        self.assertIn("scipy_cblas_sgemm", (brought / "include/cblas.h").read_text())
        done = self.setup(processor="aarch64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotRegex(done.stdout, "onednn|mkl")
        self.assertEqual([place.name for place in self.libraries.iterdir()], ["openblas-0.3.99"])
        removed = self.setup("--remove")
        self.assertEqual(removed.returncode, 0, removed.stderr)
        self.assertEqual(list(self.libraries.iterdir()), [])


class LibraryPlacesTest(FolderTest):
    """Tests breakeven_places(), in a project of its own."""

    def places(self, folder, system):
        (folder / "CMakeLists.txt").write_text(
            f"""cmake_minimum_required(VERSION 3.22)
project(places LANGUAGES NONE)
set(CMAKE_FIND_LIBRARY_PREFIXES lib)
set(CMAKE_FIND_LIBRARY_SUFFIXES .so)
set(BREAKEVEN_BROUGHT_LIBRARIES {folder}/libraries)
include({SOURCE}/src/library_places.cmake)
breakeven_places(places openblas SYSTEM {system} FILES openblas scipy_openblas HEADER cblas.h)
file(WRITE {folder}/places.txt "${{places}}")
"""
        )
        subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build"], check=True, stdout=subprocess.DEVNULL)
        return [place.split("|") for place in (folder / "places.txt").read_text().split(";") if place]

    def test_names_tell_versions_apart(self):
        folder = self.folder
        for version in ("0.3.9", "0.3.30"):
            place = folder / "libraries" / f"openblas-{version}"
            (place / "lib").mkdir(parents=True)
            (place / "include").mkdir()
            (place / "include/cblas.h").touch()
            (place / "lib/libscipy_openblas.so").touch()
        (folder / "libraries" / "openblas-0.4" / "lib").mkdir(parents=True)  # holds nothing
        newer = folder / "libraries/openblas-0.3.30"
        older = folder / "libraries/openblas-0.3.9"
        file = "lib/libscipy_openblas.so"
        self.assertEqual(
            self.places(folder, "/usr/lib/libopenblas.so /usr/include"),
            [["openblas", "/usr/lib/libopenblas.so", "/usr/include"],
             ["openblas-0.3.30", f"{newer}/{file}", f"{newer}/include"],
             ["openblas-0.3.9", f"{older}/{file}", f"{older}/include"]],
        )  # fmt: skip
        alone = self.places(folder, "")
        self.assertEqual([place[0] for place in alone], ["openblas", "openblas-0.3.9"])


class UsualNamesTest(FolderTest):
    """A library whose functions have a prefix, called by their usual names."""

    def header(self, folder, prefix):
        """The usual header that is made for a library with that prefix; None where none is needed."""
        (folder / "cblas.h").write_text(
            f"""#pragma once
enum CBLAS_ORDER {{ CblasRowMajor = 101 }};
enum CBLAS_TRANSPOSE {{ CblasNoTrans = 111, CblasTrans = 112 }};
extern "C" {{
"""
            + "".join(
                f"""void {prefix}cblas_{t}gemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, {T}, const {T} *, int,
                            const {T} *, int, {T}, {T} *, int);
void {prefix}cblas_{t}gemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int, int, {T}, const {T} *, int, const {T} *, int, {T}, {T} *, int);
void {prefix}cblas_{t}ger (CBLAS_ORDER, int, int, {T}, const {T} *, int, const {T} *, int, {T} *, int);
"""
                for t, T in (("s", "float"), ("d", "double"))
            )
            + "}\n"
        )
        usual = folder / "usual.h"
        script = SOURCE / "src/backends/cblas/usual_names.cmake"
        subprocess.run(["cmake", f"-DHEADER={folder}/cblas.h", f"-DUSUAL={usual}", "-P", script], check=True)
        return usual if usual.exists() else None

    def test_without_a_prefix_the_header_is_the_librarys(self):
        self.assertIsNone(self.header(self.folder, ""))

    @unittest.skipIf(shutil.which("c++") is None, "no c++")
    def test_the_backend_calls_prefixed_functions(self):
        folder = self.folder
        usual = self.header(folder, "scipy_")
        (folder / "main.cpp").write_text(
            f"""#define BREAKEVEN_CBLAS_HEADER <{usual}>
#define BREAKEVEN_BACKEND_NAME "openblas-0.3.99"
#include "{SOURCE}/src/backends/cblas/gemm.cpp"
#include "{SOURCE}/src/backends/cblas/program.cpp"
#include <cstdio>
extern "C" {{
void scipy_cblas_sgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, float, const float *, int,
                       const float *, int, float, float *, int) {{ std::puts("sgemm"); }}
void scipy_cblas_dgemm(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, int, int, int, double, const double *, int,
                       const double *, int, double, double *, int) {{ std::puts("dgemm"); }}
void scipy_cblas_sgemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int, int, float, const float *, int, const float *, int, float,
                       float *, int) {{ std::puts("sgemv"); }}
void scipy_cblas_dgemv(CBLAS_ORDER, CBLAS_TRANSPOSE, int, int, double, const double *, int, const double *, int, double,
                       double *, int) {{ std::puts("dgemv"); }}
void scipy_cblas_sger(CBLAS_ORDER, int, int, float, const float *, int, const float *, int, float *, int) {{
  std::puts("sger"); }}
void scipy_cblas_dger(CBLAS_ORDER, int, int, double, const double *, int, const double *, int, double *, int) {{
  std::puts("dger"); }}
}}
int main() {{
  using namespace breakeven::cblas;
  float x = 0;
  gemm(1, 1, 1, Matrix<float>{{&x, 1}}, Matrix<float>{{&x, 1}}, 0.0F, &x, 1);
  multiply(Routine::gemv, 1, 1, 1, Matrix<float>{{&x, 1}}, Matrix<float>{{&x, 1}}, 0.0F, &x, 1);
  std::puts(sgemm_symbol());
  std::puts(backend_name().c_str());
}}
"""
        )
        program = folder / "main"
        subprocess.run(["c++", "-std=c++20", f"-I{SOURCE}/src", folder / "main.cpp", "-o", program], check=True)
        said = subprocess.check_output([program], text=True).split()
        self.assertEqual(said, ["sgemm", "sgemv", "scipy_cblas_sgemm", "openblas-0.3.99"])


if __name__ == "__main__":
    unittest.main()
