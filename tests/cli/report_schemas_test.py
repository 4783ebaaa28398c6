"""Checks `report`'s output for programs that cannot be installed everywhere against the published descriptions of their
formats. The schemas below are equivalent to those, and strict; each names its source."""

import json
import unittest
import xml.etree.ElementTree

from backend_program import folder_until, use_python_with
from report_files import HOSTILE, STATUSES, hostile, measured, report, strict_json

# https://bencher.dev/bmf.json (the schema) and https://bencher.dev/docs/reference/bencher-metric-format (the limits)
_METRIC = {
    "type": "object",
    "properties": {key: {"type": "number"} for key in ("value", "lower_value", "upper_value")},
    "required": ["value"],
    "additionalProperties": False,
}
BENCHER = {
    "type": "object",
    "propertyNames": {"minLength": 1, "maxLength": 1024},
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "properties": {measure: _METRIC for measure in ("latency", "throughput", "energy", "largest-fit")},
        "additionalProperties": False,
    },
}

# interface BenchmarkResult in https://github.com/benchmark-action/github-action-benchmark/blob/master/src/extract.ts
GITHUB = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "value": {"type": "number"},
            "unit": {"const": "ns"},
            "range": {"type": "string", "pattern": r"^± \d[-+.e0-9]*$"},  # src/extractRangeInfo.ts
            "extra": {"type": "string"},
        },
        "required": ["name", "value", "unit"],
        "additionalProperties": False,
    },
}

# interface GoogleCppBenchmarkJson in the same file; and what Bencher's reader insists on,
# https://github.com/bencherdev/bencher/blob/main/lib/bencher_adapter/src/adapters/cpp/google.rs
_ROW = {
    "name": {"type": "string"},
    "run_name": {"type": "string"},
    "run_type": {"enum": ["iteration"]},
    "repetitions": {"type": "integer"},
    "repetition_index": {"type": "integer"},
    "threads": {"type": "integer"},
    "iterations": {"type": "integer"},
    "real_time": {"type": "number"},
    "cpu_time": {"type": "number"},
    "time_unit": {"enum": ["ns", "us", "ms", "s"]},
}
GOOGLE_BENCHMARK = {
    "type": "object",
    "properties": {
        "context": {
            "type": "object",
            "properties": {
                "date": {"type": "string"},
                "host_name": {"type": "string"},
                "executable": {"type": "string"},
                "num_cpus": {"type": "integer"},
                "mhz_per_cpu": {"type": "integer"},
                "cpu_scaling_enabled": {"type": "boolean"},
                "caches": {"type": "array"},
                "load_avg": {"type": "array"},
                "library_build_type": {"enum": ["release", "debug"]},
                "json_schema_version": {"const": 1},
            },
            "required": ["host_name", "caches", "json_schema_version"],
        },
        "benchmarks": {"type": "array", "items": {"type": "object", "properties": _ROW, "required": list(_ROW)}},
    },
    "required": ["context", "benchmarks"],
    "additionalProperties": False,
}

# https://github.com/jenkinsci/xunit-plugin, .../types/model/xsd/junit-10.xsd: element -> (children, attributes, those of them
# that must be there)
JUNIT = {
    "testsuites": ({"testsuite"}, {"name", "time", "tests", "failures", "errors"}, set()),
    "testsuite": (
        {"testsuite", "properties", "testcase", "system-out", "system-err"},
        {"name", "tests", "failures", "errors", "group", "time", "skipped", "timestamp", "hostname", "id", "package"},
        {"name", "tests", "failures", "errors"},
    ),
    "properties": ({"property"}, set(), set()),
    "property": (set(), {"name", "value"}, {"name", "value"}),
    "testcase": (
        {"skipped", "error", "failure", "system-out", "system-err"},
        {"name", "time", "classname", "group"},
        {"name"},
    ),
    "skipped": (set(), {"type", "message"}, set()),
    "error": (set(), {"type", "message"}, set()),
    "failure": (set(), {"type", "message"}, set()),
    "system-out": (set(), set(), set()),
    "system-err": (set(), set(), set()),
}


def expect_junit(test, root):
    for element in root.iter():
        children, attributes, needed = JUNIT[element.tag]
        test.assertLessEqual({child.tag for child in element}, children)
        test.assertLessEqual(set(element.attrib), attributes)
        test.assertLessEqual(needed, set(element.attrib))
        test.assertRegex(element.get("time", "0.0"), r"^[0-9]+\.[0-9]+$")  # its SUREFIRE_TIME


class ReportSchemasTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = folder_until(cls.addClassCleanup)
        good, bad, empty = measured(folder), hostile(folder), folder / "empty.json"
        empty.write_text(json.dumps({**json.loads(good.read_text()), "cases": []}))
        cls.files = {"measured": [good], "hostile": [bad], "several": [good, bad, bad], "empty": [empty]}

    def check(self, form, schema):
        """Checks the output, by file."""
        import jsonschema

        written = {}
        for name, files in self.files.items():
            with self.subTest(form=form, files=name):
                written[name] = strict_json(report(form, *files))
                jsonschema.validate(written[name], schema, jsonschema.Draft202012Validator)
        return written

    def expect_unique(self, names):
        self.assertEqual(len(set(names)), len(names))

    def test_bencher(self):
        written = self.check("bencher", BENCHER)
        self.assertEqual(len(written["measured"]), 7)
        self.assertEqual(len(written["hostile"]), len(HOSTILE) + 2)  # the smallest and the largest time
        self.assertEqual(written["empty"], {})
        for name, measures in written["several"].items():
            self.assertLessEqual(len(name.encode()), 1024)
            for metric in measures.values():
                self.assertLessEqual(metric.get("lower_value", metric["value"]), metric["value"])
                self.assertGreaterEqual(metric.get("upper_value", metric["value"]), metric["value"])

    def test_github(self):
        written = self.check("github", GITHUB)
        self.assertEqual(len(written["measured"]), 7)
        self.expect_unique([entry["name"] for entry in written["several"]])

    def test_google_benchmark(self):
        written = self.check("google-benchmark", GOOGLE_BENCHMARK)
        self.assertEqual(len(written["measured"]["benchmarks"]), 8)
        rows = written["several"]["benchmarks"]
        self.expect_unique([row["name"] for row in rows])
        self.assertEqual(len([row for row in rows if "error_occurred" in row]), 1 + 2 * (len(STATUSES) - 1))

    def test_junit(self):
        for name, files in self.files.items():
            with self.subTest(files=name):
                root = xml.etree.ElementTree.fromstring(report("junit", *files).encode())
                self.assertEqual(root.tag, "testsuites")
                expect_junit(self, root)
                self.expect_unique([(test.get("classname"), test.get("name")) for test in root.iter("testcase")])


if __name__ == "__main__":
    use_python_with("jsonschema", remedy="on Debian and Ubuntu: apt-get install python3-jsonschema")
    unittest.main()
