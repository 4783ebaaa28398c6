"""Tests that `cmake --install` installs all that is needed, and that the installation may be moved as a whole."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from backend_program import BUILD, SOURCE, skip


def good(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"{words}: status {done.returncode}: {done.stderr}")
    return done.stdout


if not shutil.which("cmake"):
    skip("no cmake")
with tempfile.TemporaryDirectory() as folder:
    installed = pathlib.Path(folder, "installed")
    moved = pathlib.Path(folder, "moved")
    good("cmake", "--install", BUILD, "--prefix", installed)
    installed.rename(moved)
    for name in ("bin/breakeven", "libexec/breakeven/breakeven-backend-reference", "share/man/man1/breakeven.1",
                 "share/bash-completion/completions/breakeven", "share/breakeven/configs/shapes/deepbench-gemm-training.json",
                 "share/breakeven/configs/breakeven.schema.json", "share/breakeven/configs/devices.json",
                 "share/doc/breakeven/LICENSE", "share/doc/breakeven/docs/thresholds.md"):  # fmt: skip
        assert (moved / name).exists(), name
    driver = moved / "bin" / "breakeven"
    ran = good(driver, "run", "quick", "--seconds", "0.05", "--backends", "reference", "--filter", "m=256", "--out", "-", cwd="/")
    result = json.loads(ran)
    assert result["complete"] and [case["status"] for case in result["cases"]] == ["ok"], ran[:500]
    assert str(moved / "share" / "breakeven" / "configs") in good(driver, "list", cwd="/")
    shipped = {path.stem for path in (SOURCE / "configs").glob("*.json")} - {"devices", "breakeven.schema"}
    assert {one["name"] for one in json.loads(good(driver, "list", "--json", cwd="/"))} == shipped
