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

    def test_a_counter_that_a_container_hides_is_said(self):
        """Docker hides /sys/devices/virtual/powercap, to which the links in /sys/class/powercap point."""
        (self.folder / "intel-rapl:0").symlink_to("hidden/intel-rapl:0")
        meter = host.EnergyMeter(self.folder)
        self.assertIsNone(meter.joules())
        self.assertIn("intel-rapl:0/energy_uj cannot be read: a container hides it", meter.unreadable)

    def test_the_counters_of_all_packages_must_be_readable(self):
        self.write("intel-rapl:0/name", "package-0")
        self.write("intel-rapl:0/energy_uj", 10_000_000)
        self.write("intel-rapl:1/name", "package-1")
        meter = host.EnergyMeter(self.folder)
        self.assertIsNone(meter.joules())
        self.assertIn("intel-rapl:1/energy_uj cannot be read", meter.unreadable)

    def test_arm_processors_have_the_names_of_their_parts(self):
        def model(implementer, part):
            return host.cpu_model(f"processor\t: 0\nCPU implementer\t: {implementer}\nCPU part\t: {part}\n\nprocessor\t: 1\n")

        self.assertEqual(model("0x41", "0xd40"), "Neoverse-V1")
        self.assertEqual(model("0xc0", "0xac4"), "Ampere-1a")
        self.assertEqual(model("0x41", "0xfff"), "Arm, part 0xfff of implementer 0x41")
        self.assertEqual(host.cpu_model("processor\t: 0\nmodel name\t: AMD EPYC 9V74\n"), "AMD EPYC 9V74")
        self.assertEqual(host.cpu_model("processor\t: 0\n"), "unknown CPU")

    def available(self):
        return mock.patch.object(host, "_cgroup_folders", lambda controller: [] if controller else [self.folder])

    def test_cached_files_of_a_container_count_as_available(self):
        self.write("memory.max", 1 << 20)
        self.write("memory.current", 1_000_000)
        with self.available():
            self.assertEqual(host.available_memory(), 48_576)
            self.write("memory.stat", "anon 100000\ninactive_file 700000\nactive_file 200000\nslab 5")
            self.assertEqual(host.available_memory(), 948_576)

    def test_cpus_of_ranks_have_the_order_of_those_in_cpp(self):
        """tests/unit/host/cpu_test.cpp has the same machine."""
        for cpu in range(8):
            core = cpu % 4
            self.write(f"cpu{cpu}/topology/thread_siblings_list", f"{core},{core + 4}")
            self.write(f"cpu{cpu}/topology/physical_package_id", core // 2)
        self.assertEqual(host.cpus_one_a_core_first(range(8), self.folder), [3, 2, 1, 0, 4, 5, 6, 7])
        self.write("cpu0/cpufreq/cpuinfo_max_freq", 5_000_000)
        self.assertEqual(host.cpus_one_a_core_first(range(8), self.folder), [0, 3, 2, 1, 4, 5, 6, 7])

    def test_a_container_without_a_limit_has_what_the_kernel_has(self):
        self.write("memory.max", "max")
        self.write("memory.current", 5)
        with self.available():
            self.assertGreater(host.available_memory(), 1 << 20)


if __name__ == "__main__":
    unittest.main()
