"""Training and inference of the small networks.

A timed training step is the body of a user's loop: rows of a data set that is a tensor in memory (without a data
loader, which takes longer than these networks), zero_grad, forward, cross_entropy, backward, step. The order of an
epoch is a tensor beside the data set, and a step's rows are a slice of it. A timed inference is a slice of the test set
and the forward pass, in inference mode.

Users may choose PyTorch's memory format, if there are convolutions, and among the optimisers and predictors of the way
of running (ways.py). The fastest combination on this machine is found by trying, and `algorithm` names them all.

Several ranks train as data_parallel.py says."""

import contextlib
import functools
import itertools

import torch
import torch.nn.functional as F

from breakeven_worker import dataset
from breakeven_worker.backend import Failed, Operation, Transfer
from breakeven_worker.network_cases import BatchOrder, Inference, Training
from breakeven_worker.ranks import own_ranks
from breakeven_worker.timing import fastest, may_race, with_others

from . import data_parallel
from .moved import Moved
from .networks import make_network, set_initial_values
from .tensors import DTYPES, FORMATS
from .ways import WHOLE_STEP, Recorded

_TRIED_STEPS = 2  # steps per call while settings are compared
_FIRST_LOSS_SCALE = 1024.0


def operations(device, way):
    def train(p, seed):
        return _prepare_training(p, seed, device, way)

    return [
        Operation("train", device.training_dtypes, train, in_ranks=way.in_ranks),
        Operation("infer", device.inference_dtypes(), lambda p, seed: _prepare_inference(p, seed, device, way)),
    ]


class _Data:
    """Both splits of the data set in one memory: images as count x 784, float32, and labels."""

    def __init__(self, folder, torch_device):
        train_images, train_labels = dataset.read_images(folder, "train")
        test_images, self.test_labels = dataset.read_images(folder, "test")
        self.images = {
            "train": torch.from_numpy(train_images).to(torch_device),
            "test": torch.from_numpy(test_images).to(torch_device),
        }
        self.train_labels = torch.from_numpy(train_labels).to(torch_device)
        self._torch_device = torch_device
        self.counts = {split: len(images) for split, images in self.images.items()}

    def place_order(self, order):
        return torch.from_numpy(order).to(self._torch_device)


@functools.cache
def _open_data(folder, torch_device):
    """Returns the data set in `folder`. It is read once per process and memory, and shared by all cases."""
    return _Data(folder, torch_device)


def _place_of_data(p, device):
    """The device, or the host if batches are streamed to the device."""
    return torch.device("cpu") if Transfer.of(p).policy == "each" else device.torch_device


def _formats(network, p):
    has_convolutions = may_race(p) and any(isinstance(module, torch.nn.Conv2d) for module in network.modules())
    return ["channels_last", "contiguous"] if has_convolutions else ["contiguous"]


class _Model:
    """A network with its data, for one dtype and memory format."""

    def __init__(self, p, seed, data, device, way, memory_format):
        self._seed = seed
        self._data = data
        self._device = device
        self._way = way
        network, self._image_shape = make_network(p)
        self._network = network.to(device=device.torch_device, memory_format=FORMATS[memory_format])
        set_initial_values(self._network, seed)
        self.counts = data.counts
        self.place_order = data.place_order
        self.test_labels = data.test_labels

        transfer = Transfer.of(p).policy if device.has_own_memory else "resident"
        self._streams, self._moves_all = transfer == "each", transfer == "once"
        self._moved = []  # copied by copy_inputs_to_device()

    def wait(self):
        self._device.wait()

    def copy_inputs_to_device(self):
        for tensor in self._moved:
            tensor.copy_inputs_to_device()

    def copy_outputs_to_host(self):
        return False

    def _to_device(self, tensor):
        """Copies a batch to the device as a data loader with pin_memory does."""
        tensor = tensor if tensor.is_pinned() else tensor.pin_memory()
        return tensor.to(self._device.torch_device, non_blocking=True)

    def inference_context(self):
        return self._way.inference_context()

    def logits_array(self, logits):
        return logits.to(device="cpu", dtype=torch.float64).numpy()


class _Trainer(_Model):
    def __init__(self, p, seed, data, device, way, memory_format, optimizer):
        super().__init__(p, seed, data, device, way, memory_format)
        self._images = data.images["train"].view(-1, *self._image_shape)
        # Parameters stay f32; autocast rounds the operands of products.
        dtype = DTYPES[p["dtype"]]
        self._autocast = (
            contextlib.nullcontext
            if dtype == torch.float32
            else functools.partial(torch.autocast, device.torch_device.type, dtype=dtype)
        )
        self._scales_loss = dtype == torch.float16
        self._moved_parameters = [Moved(tensor.data, self._moves_all) for tensor in self._network.parameters()]
        data_tensors = (data.images["train"], data.train_labels)
        self._moved = [*self._moved_parameters, *(Moved(tensor, self._moves_all) for tensor in data_tensors)]
        self._parallel = _parallel(p, self._network, device.torch_device)
        self._loss = way.trained(self._loss_of, optimizer)
        self._optimizer = _optimizer(p, self._network.parameters(), optimizer, device.torch_device)
        self._update = self._optimizer.step
        if optimizer == "compiled":
            self._update = way.updated(self._update)
        self._step = self._step_on
        if optimizer == WHOLE_STEP:
            # Streamed batches reach the device outside of the graph.
            self._step = self._streamed(Recorded(self._step_of)) if self._streams else Recorded(self._step_on)
        self.reset()

    def reset(self):
        # set_initial_values does not change the norms: restore their values.
        for module in self._network.modules():
            if isinstance(module, torch.nn.LayerNorm):
                module.reset_parameters()
        set_initial_values(self._network, self._seed)
        self._network.train()
        self.copy_outputs_to_host()
        for state in self._optimizer.state.values():
            for tensor in state.values():
                if tensor is not None:  # older versions of torch have None without momentum
                    tensor.zero_()
        # PyTorch's default scale relies on skipping the first steps to halve it. Here the first steps are verified.
        self._scaler = torch.amp.GradScaler(
            self._device.torch_device.type, init_scale=_FIRST_LOSS_SCALE, enabled=self._scales_loss
        )

    def copy_outputs_to_host(self):
        return any([tensor.copy_outputs_to_host() for tensor in self._moved_parameters])

    def _batch(self, rows):
        images = self._images.index_select(0, rows)
        labels = self._data.train_labels.index_select(0, rows)
        return (self._to_device(images), self._to_device(labels)) if self._streams else (images, labels)

    def _loss_of(self, images, labels):
        with self._autocast():
            return F.cross_entropy(self._parallel.forward(images), labels)

    def train_step(self, rows):
        self._way.begin()
        return self._way.kept(self._step(rows))

    def _step_on(self, rows):
        return self._step_of(*self._batch(rows))

    def _streamed(self, step):
        return lambda rows: step(*self._batch(rows))

    def _step_of(self, images, labels):
        self._optimizer.zero_grad()
        loss = self._loss(images, labels)
        if self._scales_loss:
            self._parallel.backward(self._scaler.scale(loss))
            self._scaler.step(self._optimizer)
            self._scaler.update()
        else:
            self._parallel.backward(loss)
            self._update()
        return loss.detach()

    def take_communication_seconds(self):
        return self._parallel.take_seconds()

    def infer(self, split, rows):
        all_images = self._data.images[split]
        images = all_images[rows].view(-1, *self._image_shape)
        self._network.eval()
        with torch.inference_mode(), self._autocast():
            logits = self._network(self._to_device(images) if self._streams else images)
        self._network.train()
        return logits


def _parallel(p, network, torch_device):
    if own_ranks().count == 1:
        return data_parallel.Single(network)
    kind = data_parallel.InBuckets if p.get("overlap", True) else data_parallel.AfterBackward
    return kind(network, torch_device)


# Arguments of torch.optim by implementation. "compiled" updates all parameters at once: `fused=False` alone would
# select the loop over them.
_IMPLEMENTATIONS = {
    "default": {},
    "fused": {"fused": True},
    "compiled": {"fused": False, "foreach": True},
    WHOLE_STEP: {"fused": True},
}


def _optimizer(p, parameters, implementation, torch_device):
    settings = _IMPLEMENTATIONS[implementation]
    if p["optimizer"] == "sgd":
        made = torch.optim.SGD(parameters, lr=p["learning_rate"], momentum=p["momentum"], **settings)
        if p["momentum"]:
            # SGD's first step would create these inside a CUDA graph, and the graph's next replay would reuse their
            # memory.
            for parameter in made.param_groups[0]["params"]:
                made.state[parameter]["momentum_buffer"] = torch.zeros_like(parameter)
        return made
    if implementation in ("compiled", WHOLE_STEP) and torch_device.type == "cuda":
        settings = settings | {"capturable": True}  # CUDA graphs need the step count on the device
    return torch.optim.Adam(parameters, lr=p["learning_rate"], **settings)


class _Candidate:
    """Makes a model at the first call, and calls try_once(model) at every call. An exception excludes this
    candidate."""

    def __init__(self, make, try_once):
        self._make, self._try_once = make, try_once
        self.model = None

    def __call__(self):
        if self.model is None:
            self.model = self._make()
        self._try_once(self.model)


def _fastest_model(makers, try_once, device):
    """Returns the fastest model, the same in all ranks. makers: name -> function that makes a model. `algorithm` shows
    the names."""
    candidates = {name: _Candidate(make, try_once) for name, make in makers.items()}
    chosen, seconds = fastest(candidates, device.wait, agree=own_ranks().largest)
    model = candidates[chosen].model
    model.algorithm = with_others(chosen, seconds, between="; ")
    return model


def _prepare_training(p, seed, device, way):
    ranks, batch = own_ranks(), p["batch"]
    with ranks.in_agreement():
        way.start_case(p)
        data = _open_data(p["data"], _place_of_data(p, device))
        if batch > data.counts["train"]:
            raise Failed(f"batch is {batch} and there are {data.counts['train']} images to train on in {p['data']}")
        if batch % ranks.count:
            raise Failed(f"batch is {batch}, which {ranks.count} ranks cannot share evenly")
        network = _network_without_data(p)
    if ranks.count > 1:
        with ranks.together():
            data_parallel.join_process_group(device.torch_device)

    # GradScaler calls the optimiser's own step(), not the compiled one, and the host reads its scale at each step.
    optimizers = [name for name in way.optimizers if name not in ("compiled", WHOLE_STEP) or p["dtype"] != "f16"]
    optimizers = optimizers if may_race(p) else optimizers[:1]
    makers = {
        f"{way.name}, {memory_format}, {optimizer} {p['optimizer']}": functools.partial(
            _Trainer, p, seed, data, device, way, memory_format, optimizer
        )
        for memory_format, optimizer in itertools.product(_formats(network, p), optimizers)
    }
    order = BatchOrder(data.counts["train"], batch, seed, data.place_order, ranks.part_of(batch))
    order.prepare(_TRIED_STEPS)
    model = _fastest_model(makers, functools.partial(_take_steps, order=order), device)
    model.reset()
    if ranks.count > 1:
        model.algorithm += f"; {data_parallel.describe(device, p.get('overlap', True))}"
    return Training(model, batch, seed, ranks)


def _take_steps(model, order):
    for _ in range(_TRIED_STEPS):
        model.train_step(order.next())


class _Predictor(_Model):
    def __init__(self, p, seed, data, device, way, memory_format, predictor):
        super().__init__(p, seed, data, device, way, memory_format)
        self._network = self._network.to(DTYPES[p["dtype"]]).eval()
        batch, count = p["batch"], data.counts["test"]
        rows = torch.arange(count + batch, device=data.images["test"].device) % count
        images = data.images["test"].index_select(0, rows).view(-1, *self._image_shape)
        self._images = images.to(dtype=DTYPES[p["dtype"]], memory_format=FORMATS[memory_format])
        if self._streams:
            self._images = self._images.pin_memory()
        if self._moves_all:
            tensors = (self._images, *(tensor.data for tensor in self._network.parameters()))
            self._moved = [Moved(tensor, True) for tensor in tensors]
        self._logits = None
        self._fetched = None  # the latest logits, in the host's memory
        if self._streams or self._moves_all:
            self._fetched = torch.empty((batch, dataset.CLASSES), dtype=self._images.dtype, pin_memory=True)
        self._run = way.inferred(self._network, self._images[:batch].to(device.torch_device), predictor)

    def copy_outputs_to_host(self):
        if self._fetched is None:
            return False
        self._fetched.copy_(self._logits, non_blocking=True)
        return True

    def infer(self, _split, rows):
        images = self._images[rows]
        self._way.begin()
        self._logits = self._run(self._to_device(images) if self._streams else images)
        return self._logits


def _prepare_inference(p, seed, device, way):
    way.start_case(p)
    data = _open_data(p["data"], _place_of_data(p, device))
    network = _network_without_data(p)
    moves_all = device.has_own_memory and Transfer.of(p).policy == "once"
    # Copied parameters cannot be frozen.
    predictors = way.predictors[:1] if moves_all or not may_race(p) else way.predictors
    makers = {
        f"{predictor}, {memory_format}": functools.partial(
            _Predictor, p, seed, data, device, way, memory_format, predictor
        )
        for memory_format, predictor in itertools.product(_formats(network, p), predictors)
    }
    first = slice(0, p["batch"])
    with way.inference_context():
        model = _fastest_model(makers, lambda model: model.infer("test", first), device)
    return Inference(model, p["batch"], seed)


def _network_without_data(p):
    with torch.device("meta"):
        return make_network(p)[0]
