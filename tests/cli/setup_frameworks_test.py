"""Tests scripts/setup-frameworks without a registry."""

import os
import subprocess
import unittest
import zipfile

from backend_program import SOURCE, FolderTest


def write_wheel(folder, name, version):
    """Writes a package that has nothing but its version."""
    info = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
        wheel.writestr(f"{name}.py", f"version = '{version}'\n")


@unittest.skipIf(subprocess.run(["python3", "-c", "import ensurepip, venv"], stderr=subprocess.DEVNULL).returncode,
                 "no python3 with venv")  # fmt: skip
class SetupFrameworksTest(FolderTest):
    def setup(self, *arguments):
        environment = {**os.environ, "XDG_DATA_HOME": str(self.folder), "PIP_NO_INDEX": "1",
                       "PIP_FIND_LINKS": str(self.folder), "PIP_CONFIG_FILE": os.devnull}  # fmt: skip
        return subprocess.run([SOURCE / "scripts/setup-frameworks", *arguments], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def test_unknown_names_are_refused(self):
        for argument in ("pytorhc", "torch", "--jax", "--jax==1", "jax; rm"):
            done = self.setup(argument)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"'{argument}' is none of pytorch, tensorflow, jax, PACKAGE==VERSION and --remove", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_what_is_requested_is_installed_once_and_removed(self):
        for name, version in (("numpy", "9.0"), ("jax", "0.10.7"), ("jax", "0.11.0")):
            write_wheel(self.folder, name, version)
        environment = self.folder / "breakeven" / "frameworks"

        def jax_version():
            command = [environment / "bin" / "python", "-c", "import jax, numpy; print(jax.version)"]
            return subprocess.run(command, capture_output=True, text=True).stdout.strip()

        for arguments, version in ((["jax"], "0.10.7"), (["jax==0.11.0"], "0.11.0"), (["jax"], "0.10.7")):
            done = self.setup(*arguments)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(jax_version(), version)
        for wheel in self.folder.glob("*.whl"):
            wheel.unlink()
        self.assertEqual(self.setup("jax").returncode, 0)  # needs nothing more
        self.assertNotEqual(self.setup("tensorflow").returncode, 0)
        self.assertEqual(self.setup("--remove").returncode, 0)
        self.assertFalse(environment.exists())


if __name__ == "__main__":
    unittest.main()
