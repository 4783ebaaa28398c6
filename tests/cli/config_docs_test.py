"""Tests that docs/configs.md names every parameter in the program's own schema, and that its example is a config."""

import json
import pathlib
import subprocess
import tempfile
import unittest

from backend_program import BUILD, SOURCE


class ConfigDocsTest(unittest.TestCase):
    def test_every_key_is_documented(self):
        schema = json.loads(subprocess.check_output([BUILD / "breakeven", "list", "--schema"], text=True))
        page = (SOURCE / "docs" / "configs.md").read_text()
        keys = {*schema["properties"]["measure"]["properties"], *schema["properties"]}
        for op in schema["properties"]["workloads"]["items"]["properties"]["op"]["enum"]:
            keys |= {op, *schema["$defs"][op]["properties"]}
        missing = sorted(key for key in keys - {"$schema"} if f"`{key}`" not in page and f'"{key}"' not in page)
        self.assertEqual(missing, [])

    def test_the_example_is_a_config(self):
        page = (SOURCE / "docs" / "configs.md").read_text()
        example = page.split("```json\n")[1].split("```")[0]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "example.json")
            path.write_text(example)
            done = subprocess.run([BUILD / "breakeven", "list", path], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
