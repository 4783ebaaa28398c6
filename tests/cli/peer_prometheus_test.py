"""Tests `report --openmetrics` with the parsers of Prometheus' Python client: that for OpenMetrics, which is strict,
and that for the older text format, which the node exporter's textfile collector reads. Debian:
python3-prometheus-client."""

import math
import unittest

from backend_program import FolderTest, use_python_with
from report_files import HOSTILE, STATUSES, hostile, measured, report


def series(families):
    """Returns {(name, labels): value}. A duplicate is an error."""
    found = {}
    for family in families:
        for sample in family.samples:
            key = (sample.name, tuple(sorted(sample.labels.items())))
            if key in found:
                raise ValueError(f"{key} is there twice")
            found[key] = sample.value
    return found


class PrometheusTest(FolderTest):
    def parsed(self, text):
        from prometheus_client import parser
        from prometheus_client.openmetrics import parser as openmetrics

        strict = series(openmetrics.text_string_to_metric_families(text))
        self.assertEqual(series(parser.text_string_to_metric_families(text)), strict)
        return strict

    def test_reads_what_was_measured(self):
        found = self.parsed(report("openmetrics", measured(self.folder)))
        metrics = {name for name, _ in found}
        for metric in ("seconds", "ci_low_seconds", "cpu_seconds", "flop_per_second", "samples_per_second", "latency_p99_seconds"):
            self.assertIn(f"breakeven_case_{metric}", metrics)
        statuses = [dict(labels)["status"] for name, labels in found if name == "breakeven_case_status"]
        self.assertEqual(sorted(statuses), ["ok"] * 7 + ["wrong"])
        self.assertEqual([value for (name, _), value in found.items() if name == "breakeven_run_complete"], [1])

    def test_reads_hostile_names(self):
        path = hostile(self.folder)
        found = self.parsed(report("openmetrics", path, path))
        statuses = [dict(labels)["status"] for name, labels in found if name == "breakeven_case_status"]
        self.assertEqual(len(statuses), 2 * (len(HOSTILE) + len(STATUSES) + 2))
        self.assertTrue(all(math.isfinite(value) for value in found.values()))
        ids = {dict(labels)["id"] for name, labels in found if name == "breakeven_case_seconds"}
        self.assertIn(HOSTILE[1], ids, "quotes and backslashes come back as they were")


if __name__ == "__main__":
    use_python_with("prometheus_client", remedy="on Debian and Ubuntu: apt-get install python3-prometheus-client")
    unittest.main()
