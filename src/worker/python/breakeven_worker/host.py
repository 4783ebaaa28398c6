"""Describes the machine: its CPU's name and caches, and the memory and energy counters that this process may read."""

import ctypes
import os
import pathlib
import re

_UNKNOWN_CACHE = 32 << 20


def _read(path):
    try:
        return pathlib.Path(path).read_text()
    except OSError:
        return ""


# Beside this file where it is built or installed, and at its own place in the source.
_ARM_PROCESSORS = [pathlib.Path(__file__).with_name("arm_processors.inc"), pathlib.Path(__file__).parents[3] / "host/arm_processors.inc"]


def cpu_model(cpuinfo=None):
    """The processor's name, as cpu_model() in src/host/cpu.h has it. Another text than /proc/cpuinfo is for tests."""
    lines = (cpuinfo or _read("/proc/cpuinfo")).partition("\n\n")[0].splitlines()
    values = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if values.get("model name"):
        return values["model name"]
    implementer, part = values.get("CPU implementer"), values.get("CPU part")
    if not implementer or not part:
        return "unknown CPU"
    names = re.findall(r'^{(\w+), (\w+), "(.*)"},$', "".join(map(_read, _ARM_PROCESSORS)), re.MULTILINE)
    known = {(int(of, 16), int(number, 16)): name for of, number, name in names}
    return known.get((int(implementer, 16), int(part, 16)), f"Arm, part {part} of implementer {implementer}")


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


def cpus_one_a_core_first(cpus=None, folder=pathlib.Path("/sys/devices/system/cpu")):
    """The CPUs in the affinity mask: the first one of each core, best first by the rule of cpu_of_each_core() in
    src/host/cpu.h, then the others. Other CPUs, and another folder than the kernel's, are for tests."""

    def number(cpu, file):
        return float(_read(folder / f"cpu{cpu}" / file).strip() or 0)

    def quality(cpu):
        speed = number(cpu, "cpu_capacity") or number(cpu, "cpufreq/cpuinfo_max_freq")
        return speed, number(cpu, "topology/physical_package_id"), cpu

    cores, others = {}, []
    for cpu in sorted(cpus or os.sched_getaffinity(0)):
        siblings = _read(folder / f"cpu{cpu}/topology/thread_siblings_list").strip() or cpu
        if cores.setdefault(siblings, cpu) != cpu:
            others.append(cpu)
    return [*sorted(cores.values(), key=quality, reverse=True), *others]


def stay_near_gpu(uuid):
    """Confines all threads of this process, and those that they start, to the CPUs that are nearest to a GPU: threads
    of CUDA and NCCL feed the card, too. Returns these CPUs; none if they are all, or not known, or the kernel
    refuses."""
    allowed = os.sched_getaffinity(0)
    cpus = sorted(allowed & _cpus_near_gpu(uuid)) if uuid else []
    if not cpus or len(cpus) == len(allowed):
        return []
    for thread in os.listdir("/proc/self/task"):
        try:
            os.sched_setaffinity(int(thread), cpus)
        except ProcessLookupError:
            pass  # it has ended
        except OSError:
            return []
    return cpus


def _cpus_near_gpu(uuid):
    """The CPUs that NVIDIA's management library (NVML) names; none if it does not."""
    bits = 8 * ctypes.sizeof(ctypes.c_ulong)
    words = (ctypes.c_ulong * (4096 // bits))()  # more CPUs than Linux supports
    device = ctypes.c_void_p()
    try:
        nvml = ctypes.CDLL("libnvidia-ml.so.1")
        if nvml.nvmlInit_v2() != 0:
            return set()
        # Frameworks call the partitions of a GPU (MIG) GPUs.
        uuids = [uuid, uuid.replace("GPU-", "MIG-")]
        found = any(nvml.nvmlDeviceGetHandleByUUID(one.encode(), ctypes.byref(device)) == 0 for one in uuids)
        found = found and nvml.nvmlDeviceGetCpuAffinity(device, len(words), words) == 0
        nvml.nvmlShutdown()
    except (OSError, AttributeError):  # no library, or an old one
        return set()
    return {cpu for cpu in range(len(words) * bits) if found and words[cpu // bits] >> cpu % bits & 1}


# Options of mallopt in glibc's malloc.h.
_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4


def keep_freed_memory():
    """Makes malloc reuse freed memory, as frameworks' allocators on GPUs do. By default glibc returns large blocks to
    the kernel, or not, depending on earlier allocations. The page faults of allocating them again cost PyTorch up to
    20 % of a convolution or a training step, which then depends on the history of the process. The user's own settings
    of malloc are kept. See docs/performance.md."""
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
        closed = [counter for counter in self._counters if not _read(counter)]
        if not self._counters:
            self.unreadable = f"no energy counter in {root}"
        elif closed:
            # Containers hide the folders to which the zones link, from root, too.
            is_hidden = os.geteuid() == 0 or not os.path.exists(closed[0])
            why = "a container hides it; docker run --privileged, or measure on the host" if is_hidden else "it needs root"
            self.unreadable = f"{closed[0]} cannot be read: {why}"
            self._counters = []

    def joules(self):
        values = [_read(counter) for counter in self._counters]
        return sum(map(int, values)) * 1e-6 if values and all(values) else None
