"""Tests the changes that scripts/mutants makes to C++ code: each where the syntax tree has a place for it, and no
others."""

import pathlib
import subprocess
import tempfile
import unittest

from backend_program import load_script

CODE = """\
#include <vector>
// a < b
bool any(const std::vector<int>& values, int least) {
  std::vector<int> kept;
  kept.reserve(4);
  for (int value : values) {
    if (value < least || !value) continue;
    kept.push_back(value + 1);
  }
  return kept.size() > 1;
}
double half(double x) { return -x * 0.5; }
const char* name() { return "half"; }
"""
CHANGES = {
    (7, "condition", "value < least || !value", "!(value < least || !value)"),
    (7, "relational", "<", "<="),
    (7, "relational", "<", ">="),
    (7, "logical", "||", "&&"),
    (7, "unary", "!", ""),
    (7, "statement", "continue", ""),
    (8, "statement", "kept.push_back(value + 1)", ""),
    (8, "arithmetic", "+", "-"),
    (8, "constant", "1", "0"),
    (10, "condition", "kept.size() > 1", "!(kept.size() > 1)"),
    (10, "relational", ">", ">="),
    (10, "relational", ">", "<="),
    (10, "constant", "1", "0"),
    (12, "unary", "-", ""),
    (12, "arithmetic", "*", "/"),
    (12, "constant", "0.5", "(0.5 + 1)"),
    (13, "text", '"half"', '""'),
}


mutants = load_script("mutants")


class MutantsTest(unittest.TestCase):
    def test_finds_what_can_be_changed(self):
        try:
            cindex = mutants.load_cindex()
            resources = subprocess.run(["clang++", "-print-resource-dir"], capture_output=True, text=True, check=True).stdout
        except (SystemExit, OSError) as missing:
            self.skipTest(str(missing))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder).resolve() / "code.cpp"
            file.write_text(CODE)
            mutants.ROOT = file.parent
            found = mutants.Finder(cindex, file, ["-std=c++20", f"-resource-dir={resources.strip()}"], "no such file").mutants()
        self.assertEqual({(m.line, m.kind, m.old, m.new) for m in found}, CHANGES)
        text = CODE.encode()
        for m in found:
            self.assertEqual(text[m.begin : m.end].decode(), m.old)

    def test_a_sample_has_something_of_every_file(self):
        shares = mutants.shares({"a": 1000, "b": 100, "c": 1}, 50)
        self.assertEqual(sum(shares.values()), 50)
        self.assertGreater(shares["a"], shares["b"])
        self.assertEqual(shares["c"], 1)
        self.assertEqual(mutants.shares({"a": 3, "b": 2}, 100), {"a": 3, "b": 2}, "no more than there are")


if __name__ == "__main__":
    unittest.main()
