"""Tests what the Python worker reads of the machine: which energy counters count, and the memory that a container has
left."""

import pathlib
import tempfile
import unittest
from unittest import mock

import backend_program  # noqa: F401  finds the worker
from breakeven_worker import host


class Machine(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n")

    def test_the_platforms_energy_and_parts_of_a_package_do_not_count(self):
        zones = {"intel-rapl:0": ("package-0", 10), "intel-rapl:0:0": ("core", 7), "intel-rapl:1": ("psys", 17)}
        for zone, (name, joules) in zones.items():
            self.write(f"{zone}/name", name)
            self.write(f"{zone}/energy_uj", joules * 1_000_000)
        self.assertEqual(host.EnergyMeter(self.folder).joules(), 10)

    def test_no_counter_is_said(self):
        meter = host.EnergyMeter(self.folder)
        self.assertIsNone(meter.joules())
        self.assertIn("no energy counter", meter.unreadable)

    def available(self):
        return mock.patch.object(host, "_cgroup_folders", lambda controller: [] if controller else [self.folder])

    def test_cached_files_of_a_container_count_as_available(self):
        self.write("memory.max", 1 << 20)
        self.write("memory.current", 1_000_000)
        with self.available():
            self.assertEqual(host.available_memory(), 48_576)
            self.write("memory.stat", "anon 100000\ninactive_file 700000\nactive_file 200000\nslab 5")
            self.assertEqual(host.available_memory(), 948_576)

    def test_a_container_without_a_limit_has_what_the_kernel_has(self):
        self.write("memory.max", "max")
        self.write("memory.current", 5)
        with self.available():
            self.assertGreater(host.available_memory(), 1 << 20)


if __name__ == "__main__":
    unittest.main()
