"""Tests `report --junit` with junitparser. Debian: python3-junitparser."""

import pathlib
import tempfile
import unittest

from report_files import HOSTILE, STATUSES, hostile, measured, report, use_python_with

OUTCOMES = {"wrong": "Failure", "implausible": "Failure", "unsupported": "Skipped"}  # of any other status: Error


class JunitparserTest(unittest.TestCase):
    def suites(self, folder, *results):
        import junitparser

        path = pathlib.Path(folder, "junit.xml")
        path.write_text(report("junit", *results))
        return list(junitparser.JUnitXml.fromfile(str(path)))

    def test_reads_what_was_measured(self):
        with tempfile.TemporaryDirectory() as folder:
            suites = self.suites(folder, measured(folder))
        self.assertEqual([suite.name for suite in suites], ["breakeven.a", "breakeven.b"])
        for suite in suites:
            stated = (suite.tests, suite.failures, suite.errors, suite.skipped, suite.time)
            suite.update_statistics()
            self.assertEqual(stated[:4], (suite.tests, suite.failures, suite.errors, suite.skipped))
            self.assertAlmostEqual(stated[4], suite.time, places=3)
        failed = [test for suite in suites for test in suite if test.result]
        self.assertEqual([test.name for test in failed], ["matmul/m=16/n=16/k=16/f32/b"])
        self.assertGreater(suites[0].time, 0)

    def test_reads_hostile_names(self):
        with tempfile.TemporaryDirectory() as folder:
            path = hostile(folder)
            tests = [test for suite in self.suites(folder, path, path) for test in suite]
        self.assertEqual(len(tests), 2 * (len(HOSTILE) + len(STATUSES) + 3))
        self.assertEqual(len({(test.classname, test.name) for test in tests}), len(tests))
        for status in STATUSES:
            test = next(test for test in tests if test.name == f"status/{status}")
            self.assertEqual([type(result).__name__ for result in test.result], [OUTCOMES.get(status, "Error")])
            self.assertIn("<b>&amp;</b>", test.result[0].message)


if __name__ == "__main__":
    use_python_with("junitparser", "on Debian and Ubuntu: apt-get install python3-junitparser")
    unittest.main()
