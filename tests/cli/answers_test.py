"""docs/answers.md is what scripts/answers makes of the committed results."""

import shutil
import subprocess
import sys

from backend_program import BUILD, SOURCE, skip

if BUILD != SOURCE / "build":
    skip("scripts/answers uses the release build")
if not shutil.which("git"):
    skip("no git")
done = subprocess.run([sys.executable, SOURCE / "scripts" / "answers", "--check"], capture_output=True, text=True)
if done.returncode != 0:
    sys.exit(done.stderr)
