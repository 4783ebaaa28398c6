"""The device on which JAX computes: this machine's CPU, or the first GPU in CUDA_VISIBLE_DEVICES."""

import jax
import numpy as np

from breakeven_worker import devices
from breakeven_worker.backend import Failed, out_of_memory_in
from breakeven_worker.cudnn import version_text


class _Arrays:
    """The functions that breakeven_worker/computed.py needs."""

    def put(self, array):
        return jax.device_put(array, self.device)

    def get(self, result):
        return np.asarray(result)

    def ready(self, result):
        jax.block_until_ready(result)


class Cpu(_Arrays, devices.Cpu):
    name = "jax"
    dtypes = ["f64", "f32", "f16", "bf16", "s8"]

    def __init__(self):
        super().__init__()
        # A call returns when its work is done. Calls that may overlap could not be timed separately.
        jax.config.update("jax_cpu_enable_async_dispatch", False)
        self.device = jax.devices()[0]

    def use_precision(self, dtype):
        jax.config.update("jax_default_matmul_precision", "highest")


class Gpu(_Arrays, devices.Gpu):
    name = "jax-cuda"

    def __init__(self):
        try:
            self.device = jax.devices()[0]
        except RuntimeError as e:
            raise Failed(f"no CUDA device can be used by jax {jax.__version__}: {e}") from None
        self.device_name = self.device.device_kind
        self.device_id = devices.id_of_gpu(getattr(self.device, "local_hardware_id", None) or 0, self.device_name)
        if float(getattr(self.device, "compute_capability", "8.0")) < 8:
            self.drop_ampere_dtypes()
        self.libraries = _cudnn()
        self._flushed = None

    def is_lost(self):
        return devices.fails_twice(lambda: np.asarray(self.put(np.ones(1, dtype=np.float32)) + 1))

    def use_precision(self, dtype):
        """Sets the precision of all that is compiled from now on. XLA's own default for products of f32 is TF32."""
        jax.config.update("jax_default_matmul_precision", "tensorfloat32" if dtype == "tf32" else "highest")

    def flush(self):
        """Replaces the contents of the caches. JAX does not report their size."""
        self._flushed = None  # before more is allocated
        other = jax.numpy.ones(512 << 20, dtype=jax.numpy.uint8)
        self._flushed = jax.block_until_ready(other + 1)
        return True

    def available_memory(self):
        stats = self.device.memory_stats() or {}
        return stats.get("bytes_limit", 1 << 62) - stats.get("bytes_in_use", 0)


def _cudnn():
    """The version of cuDNN that was loaded. Only internal modules of JAX know it, and they may move."""
    try:
        from jax._src.lib import cuda_versions

        return {"cudnn": version_text(cuda_versions.cudnn_get_version())}
    except (ImportError, AttributeError):
        return {}


def meaning_of(error):
    return out_of_memory_in(error) if isinstance(error, jax.errors.JaxRuntimeError) else None
