"""Describes the machine: its CPU's name and caches, and the memory and energy counters that this process may read."""

import ctypes
import os
import pathlib

_UNKNOWN_CACHE = 32 << 20


def _read(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


def cpu_model():
    for line in _read("/proc/cpuinfo").splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return "unknown CPU"


def _cgroup_folders(controller):
    """The folders of this process's cgroup and all its parents, because the limit of any of them applies. `controller`
    "" is version 2."""
    mount = pathlib.Path("/sys/fs/cgroup", controller)
    folders = [mount]
    for line in _read("/proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            inside = mount / path.lstrip("/")
            folders += [folder for folder in (inside, *inside.parents) if mount in folder.parents]
    return folders


def available_memory():
    """Bytes that can be allocated now without swapping: the kernel's estimate, limited by what the cgroup has left."""
    least = float("inf")
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            least = int(line.split()[1]) * 1024
    files = [
        ("", "memory.max", "memory.current", ""),
        ("memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_"),
    ]
    for controller, limit, usage, prefix in files:
        for folder in _cgroup_folders(controller):
            most, used = _read(folder / limit).strip(), _read(folder / usage).strip()
            if most.isdigit() and used.isdigit():
                least = min(least, int(most) - int(used) + _file_cache(folder, prefix))
    return least


def _file_cache(folder, prefix):
    """The bytes of a cgroup's usage that are cached files: the kernel drops them when memory is needed."""
    wanted = {f"{prefix}active_file", f"{prefix}inactive_file"}
    pairs = (line.split() for line in _read(folder / "memory.stat").splitlines())
    return sum(int(value) for name, value in pairs if name in wanted)


def cpus_one_a_core_first():
    """The CPUs in the affinity mask: the first one of each core, then the others."""
    cores, others = {}, []
    for cpu in sorted(os.sched_getaffinity(0)):
        siblings = _read(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list").strip() or cpu
        if cores.setdefault(siblings, cpu) != cpu:
            others.append(cpu)
    return [*cores.values(), *others]


# Options of mallopt in glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


def keep_freed_memory():
    """Makes malloc reuse freed memory, as frameworks' allocators on GPUs do. By default glibc returns large blocks to
    the kernel, or not, depending on earlier allocations. The page faults of allocating them again cost PyTorch up to
    20 % of a convolution or a training step, which then depends on the history of the process. The user's own settings
    of malloc are kept. See docs/performance-pytorch.md."""
    if any(name.startswith(("MALLOC_", "GLIBC_TUNABLES")) for name in os.environ):
        return
    if mallopt := getattr(ctypes.CDLL(None), "mallopt", None):  # other C libraries lack it
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, -1)


def return_freed_memory():
    """Returns freed memory to the kernel once, so that other processes can use what a case has released."""
    if malloc_trim := getattr(ctypes.CDLL(None), "malloc_trim", None):
        malloc_trim(0)


def last_level_cache_bytes():
    sizes = [_UNKNOWN_CACHE]
    for path in pathlib.Path("/sys/devices/system/cpu/cpu0/cache").glob("index*/size"):
        text = _read(path).strip()
        if text.endswith("K"):
            sizes.append(int(text[:-1]) * 1024)
    return sizes[-1] if len(sizes) == 1 else max(sizes[1:])


def total_cache_bytes():
    """Total size of the caches from the second level up that serve the CPUs in the affinity mask."""
    caches = {}
    for cpu in os.sched_getaffinity(0):
        for cache in pathlib.Path(f"/sys/devices/system/cpu/cpu{cpu}/cache").glob("index*"):
            level, kind, shared, size = (
                _read(cache / file).strip() for file in ("level", "type", "shared_cpu_list", "size")
            )
            if level != "1" and kind != "Instruction" and size.endswith("K"):
                caches[level, shared] = int(size[:-1]) * 1024
    return max(sum(caches.values()), last_level_cache_bytes())


class EnergyMeter:
    """The energy counters of the CPU packages. `unreadable` is the reason if they cannot be read. Another root than the
    kernel's is for tests."""

    def __init__(self, root=pathlib.Path("/sys/class/powercap")):
        # Packages are named intel-rapl:N. The zones below them (intel-rapl:N:M) are included in the package's counter.
        # The zone `psys` is the whole platform, with the packages.
        zones = [
            zone
            for zone in root.glob("intel-rapl:*")
            if zone.name.count(":") == 1 and (_read(zone / "name") or "package").startswith("package")
        ]
        self._counters = [zone / "energy_uj" for zone in zones]
        self.unreadable = ""
        if not self._counters:
            self.unreadable = f"no energy counter in {root}"
        elif not _read(self._counters[0]):
            self.unreadable = f"{self._counters[0]} cannot be read: it needs root"
            self._counters = []

    def joules(self):
        values = [_read(counter) for counter in self._counters]
        return sum(map(int, values)) * 1e-6 if values and all(values) else None
