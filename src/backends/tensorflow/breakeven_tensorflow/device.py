"""The device on which TensorFlow computes: this machine's CPU, or the first GPU in CUDA_VISIBLE_DEVICES."""

import tensorflow as tf

from breakeven_worker import devices
from breakeven_worker.backend import Failed


class _Arrays:
    """The functions that breakeven_worker/computed.py needs."""

    def put(self, array):
        return tf.identity(tf.constant(array))

    def get(self, result):
        return result.numpy()


class Cpu(_Arrays, devices.Cpu):
    name = "tensorflow"
    dtypes = ["f64", "f32", "f16", "bf16", "s8"]
    convolution_dtypes = ["f64", "f32", "bf16"]  # its f16 kernels accumulate in f16
    formats = ["NHWC"]  # its CPU kernels support no other

    def __init__(self, threads):
        super().__init__()
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(threads)
        tf.config.set_visible_devices([], "GPU")

    def ready(self, result):
        pass  # a call returns when its work is done


class Gpu(_Arrays, devices.Gpu):
    name = "tensorflow-cuda"
    dtypes = ["f64", "f32", "tf32", "f16", "bf16"]
    convolution_dtypes = ["f64", "f32", "tf32", "f16", "bf16"]
    formats = ["NHWC", "NCHW"]

    def __init__(self):
        cards = tf.config.list_physical_devices("GPU")
        if not cards:
            raise Failed(f"no CUDA device can be used by tensorflow {tf.__version__}: it lists none")
        tf.config.set_visible_devices(cards[:1], "GPU")
        tf.config.experimental.set_memory_growth(cards[0], True)  # other backends need memory of the same GPU
        built_with = tf.sysconfig.get_build_info()  # the loaded versions are not reported
        versions = {name: built_with.get(f"{name}_version") for name in ("cuda", "cudnn")}
        self.libraries = {name: version for name, version in versions.items() if version}
        details = tf.config.experimental.get_device_details(cards[0])
        self.device_name = details.get("device_name", "a GPU")
        self.device_id = devices.id_of_gpu(0, self.device_name)
        if details.get("compute_capability", (8, 0)) < (8, 0):
            self.drop_ampere_dtypes()

    def is_lost(self):
        return devices.fails_twice(lambda: (tf.ones([1]) + 1).numpy())

    def use_precision(self, dtype):
        """Sets the precision of all that is computed from now on. Its own default for f32 is TF32."""
        tf.config.experimental.enable_tensor_float_32_execution(dtype == "tf32")

    def ready(self, result):
        tf.test.experimental.sync_devices()

    def flush(self):
        """Replaces the contents of the caches. TensorFlow does not report their size."""
        tf.ones([512 << 20], dtype=tf.uint8)
        self.ready(None)
        return True

    def available_memory(self):
        return 1 << 62  # TensorFlow does not report it: an allocation fails if it is too large
