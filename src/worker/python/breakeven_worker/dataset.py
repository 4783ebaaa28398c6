"""The images that networks are trained on: IDX files, the format of MNIST and Fashion-MNIST."""

import gzip
import os
import pathlib
import struct
import zlib

import numpy as np

from .backend import Failed
from .random_stream import BATCH_ORDER, RandomStream, shuffled_indices

SIDE = 28
PIXELS = SIDE * SIDE
CLASSES = 10
DISTINCT_ORDERS = 64  # number of epochs with different orders; see src/workloads/batch_order.h

_IMAGES_MAGIC = 0x803  # unsigned bytes, three dimensions
_LABELS_MAGIC = 0x801  # unsigned bytes, one dimension
_MOST_ITEMS = 10_000_000  # more than any such data set has, and too few to do harm
_REMEDY = (
    "get Fashion-MNIST with `apt-get install dataset-fashion-mnist`, or name a folder of IDX files of 28 x 28 "
    "images in 10 classes by the parameter `data` or in BREAKEVEN_FASHION_MNIST"
)
_DEFAULT = "/usr/share/datasets/fashion-mnist"


class DatasetError(Failed):
    """A file of a data set that is missing or invalid."""

    def __init__(self, path, what):
        super().__init__(f"{path}: {what}; {_REMEDY}")


def read_images(folder, split):
    """Reads pixel values in [-1, 1], count x 784, float32, and labels, int64. split: "train" or "test"."""
    if str(folder) == _DEFAULT:
        folder = os.environ.get("BREAKEVEN_FASHION_MNIST", folder)
    prefix = {"train": "train", "test": "t10k"}[split]
    images = _find(folder, f"{prefix}-images-idx3-ubyte")
    labels = _find(folder, f"{prefix}-labels-idx1-ubyte")
    pixels = _read_idx(images, _IMAGES_MAGIC, (SIDE, SIDE))
    classes = _read_idx(labels, _LABELS_MAGIC, ())
    if len(pixels) != len(classes):
        raise DatasetError(labels, f"it has {len(classes)} labels for the {len(pixels)} images of {images.name}")
    if classes.max() >= CLASSES:
        raise DatasetError(labels, f"its largest label is {classes.max()} and must be below {CLASSES}")
    return pixel_values(pixels.reshape(-1, PIXELS)), classes.astype(np.int64)


def pixel_values(pixels):
    """The input of the network for a pixel p: (2p - 255) / 255, correctly rounded to float32."""
    table = (2 * np.arange(256) - 255).astype(np.float32) / np.float32(255)
    return table[pixels]


def epoch_order(count, seed, epoch):
    """The rows of the training set in the order in which an epoch visits them, int64."""
    return shuffled_indices(count, RandomStream(seed, BATCH_ORDER + epoch % DISTINCT_ORDERS))


def _find(folder, name):
    for suffix in ("", ".gz"):
        path = pathlib.Path(folder, name + suffix)
        if path.exists():
            return path
    raise DatasetError(pathlib.Path(folder, name), "there is no such file, nor one with .gz behind it")


def _read_idx(path, magic, item_shape):
    """Reads count x item_shape unsigned bytes. The header is checked before it is used."""
    try:
        with open(path, "rb") as plain:
            zipped = plain.read(2) == b"\x1f\x8b"
        with gzip.open(path) if zipped else open(path, "rb") as file:
            fields = 2 + len(item_shape)
            header = file.read(4 * fields)
            if len(header) < 4 * fields:
                raise DatasetError(path, "it ends within its header")
            header = struct.unpack(f">{fields}I", header)
            if (header[0], *header[2:]) != (magic, *item_shape) or not 0 < header[1] <= _MOST_ITEMS:
                wanted = [magic, f"1...{_MOST_ITEMS}", *item_shape]
                raise DatasetError(path, f"its header says {list(header)} where {wanted} is needed")
            size = header[1] * int(np.prod(item_shape, dtype=np.int64))
            data = file.read(size + 1)
    except (OSError, EOFError, zlib.error) as e:
        raise DatasetError(path, f"it cannot be read ({e})") from None
    if len(data) != size:
        found = f"only {len(data)}" if len(data) < size else "more than these"
        raise DatasetError(path, f"its header announces {size} bytes and there are {found}")
    return np.frombuffer(data, dtype=np.uint8).reshape(header[1], *item_shape)
