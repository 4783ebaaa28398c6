"""Tests `report --junit` and `compare --junit` with junitparser (Debian: python3-junitparser), the latter also against the
schema of Jenkins' xunit plugin."""

import unittest
import xml.etree.ElementTree

from backend_program import FolderTest, use_python_with
from report_files import HOSTILE, STATUSES, breakeven, hostile, measured, report
from report_schemas_test import expect_junit

OUTCOMES = {"wrong": "Failure", "implausible": "Failure", "unsupported": "Skipped"}  # of any other status: Error


class JunitparserTest(FolderTest):
    def suites(self, has_time):
        """The suites in junit.xml, whose counts must be right."""
        import junitparser

        suites = list(junitparser.JUnitXml.fromfile(str(self.folder / "junit.xml")))
        for suite in suites:
            stated = (suite.tests, suite.failures, suite.errors, suite.skipped, suite.time)
            suite.update_statistics()
            self.assertEqual(stated[:4], (suite.tests, suite.failures, suite.errors, suite.skipped))
            if has_time:
                self.assertAlmostEqual(stated[4], suite.time, places=3)
        return suites

    def reported(self, *results):
        (self.folder / "junit.xml").write_text(report("junit", *results))
        return self.suites(has_time=True)

    def compared(self, base, head):
        done = breakeven("compare", base, head, "--junit", self.folder / "junit.xml", "--quiet")
        self.assertEqual(done.returncode, 1, done.stderr)
        expect_junit(self, xml.etree.ElementTree.parse(self.folder / "junit.xml").getroot())
        (suite,) = self.suites(has_time=False)
        return list(suite)

    def expect_unique(self, tests):
        self.assertEqual(len({(test.classname, test.name) for test in tests}), len(tests))

    def test_reads_what_was_measured(self):
        suites = self.reported(measured(self.folder))
        self.assertEqual([suite.name for suite in suites], ["breakeven.a", "breakeven.b"])
        failed = [test for suite in suites for test in suite if test.result]
        self.assertEqual([test.name for test in failed], ["matmul/m=16/n=16/k=16/f32/b"])
        self.assertGreater(suites[0].time, 0)

    def test_reads_hostile_names(self):
        path = hostile(self.folder)
        tests = [test for suite in self.reported(path, path) for test in suite]
        self.assertEqual(len(tests), 2 * (len(HOSTILE) + len(STATUSES) + 3))
        self.expect_unique(tests)
        for status in STATUSES:
            test = next(test for test in tests if test.name == f"status/{status}")
            self.assertEqual([type(result).__name__ for result in test.result], [OUTCOMES.get(status, "Error")])
            self.assertIn("<b>&amp;</b>", test.result[0].message)

    def test_reads_what_was_compared(self):
        tests = self.compared(measured(self.folder, 1), measured(self.folder, 1.2))
        outcomes = {test.name: [type(result).__name__ for result in test.result] for test in tests}
        self.assertEqual(len(outcomes), 8)
        self.assertEqual(outcomes.pop("matmul/m=16/n=16/k=16/f32/b"), ["Failure"])  # wrong
        self.assertEqual(set(map(tuple, outcomes.values())), {("Skipped",)})  # one launch is not enough

    def test_reads_hostile_names_of_a_comparison(self):
        tests = self.compared(measured(self.folder), hostile(self.folder))
        self.assertEqual(len(tests), 8 + len(HOSTILE) + len(STATUSES) + 2)
        self.expect_unique(tests)


if __name__ == "__main__":
    use_python_with("junitparser", remedy="on Debian and Ubuntu: apt-get install python3-junitparser")
    unittest.main()
