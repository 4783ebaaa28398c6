"""Tests `compare --junit` with junitparser, and checks it against the elements of the schema of Jenkins' xunit plugin.
Debian: python3-junitparser."""

import pathlib
import tempfile
import unittest
import xml.etree.ElementTree

from report_files import HOSTILE, STATUSES, breakeven, hostile, measured, use_python_with
from report_schemas_test import JUNIT


class JunitparserVerdictsTest(unittest.TestCase):
    def junit(self, base, head, status):
        path = pathlib.Path(base).with_name("junit.xml")
        done = breakeven("compare", base, head, "--junit", path, "--quiet")
        self.assertEqual(done.returncode, status, done.stderr)
        return path

    def suite(self, path):
        import junitparser

        (suite,) = junitparser.JUnitXml.fromfile(str(path))
        stated = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()
        self.assertEqual(stated, (suite.tests, suite.failures, suite.errors, suite.skipped))
        return suite

    def expect_schema(self, path):
        for element in xml.etree.ElementTree.parse(path).getroot().iter():
            children, attributes, needed = JUNIT[element.tag]
            self.assertLessEqual({child.tag for child in element}, children)
            self.assertLessEqual(set(element.attrib), attributes)
            self.assertLessEqual(needed, set(element.attrib))
            self.assertRegex(element.get("time", "0.0"), r"^[0-9]+\.[0-9]+$")

    def test_reads_what_was_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.junit(measured(folder, 1), measured(folder, 1.2), 1)
            self.expect_schema(path)
            suite = self.suite(path)
        outcomes = {test.name: [type(result).__name__ for result in test.result] for test in suite}
        self.assertEqual(len(outcomes), 8)
        self.assertEqual(outcomes.pop("matmul/m=16/n=16/k=16/f32/b"), ["Failure"])  # wrong
        self.assertEqual(set(map(tuple, outcomes.values())), {("Skipped",)})  # one launch is not enough

    def test_reads_hostile_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path = self.junit(measured(folder), hostile(folder), 1)
            self.expect_schema(path)
            tests = list(self.suite(path))
        self.assertEqual(len(tests), 8 + len(HOSTILE) + len(STATUSES) + 2)
        self.assertEqual(len({(test.classname, test.name) for test in tests}), len(tests))


if __name__ == "__main__":
    use_python_with("junitparser", "on Debian and Ubuntu: apt-get install python3-junitparser")
    unittest.main()
