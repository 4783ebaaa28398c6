"""Tests that the pages and messages of this repository pass scripts/check-docs."""

import subprocess
import sys

from backend_program import BUILD, SOURCE

check = [sys.executable, SOURCE / "scripts" / "check-docs", "--driver", BUILD / "breakeven"]
sys.exit(subprocess.run(check).returncode)
