#include "workloads/model_task.h"

#include <fmt/format.h>

#include "workloads/workload.h"

namespace breakeven {

Optimizer Optimizer::of(const Parameters& parameters) {
  Optimizer optimizer;
  optimizer.kind = parameters.text("optimizer") == "adam" ? Kind::adam : Kind::sgd;
  const double rate = parameters.number("learning_rate");

  optimizer.learning_rate = rate == 0 ? own_learning_rate(optimizer.kind) : rate;
  optimizer.momentum = parameters.number("momentum");
  return optimizer;
}

ModelTask model_task(const Parameters& parameters, std::uint64_t seed) {
  ModelTask task{.network = make_network(parameters),
                 .dtype = parameters.dtype(),
                 .batch = parameters.integer("batch"),
                 .seed = seed,
                 .data = open_dataset(parameters.text("data")),
                 .optimizer = std::nullopt,
                 .graph = parameters.boolean("graph"),
                 .fused = parameters.boolean("fused"),
                 .tuned = parameters.boolean("tuned"),
                 .transfer = Transfer::of(parameters).policy,
                 .exchange = {}};
  const bool trains = parameters.find("optimizer") != nullptr;
  if (!trains) return task;  // a batch larger than the test set uses its images more than once
  task.optimizer = Optimizer::of(parameters);
  task.ranks = static_cast<int>(parameters.integer("ranks"));
  task.exchange = {.overlaps = parameters.boolean("overlap") && !parameters.boolean("deterministic"),
                   .deterministic = parameters.boolean("deterministic")};
  // A library's race may choose another algorithm in every run.
  task.tuned = task.tuned && !task.exchange.deterministic;
  const std::uint32_t count = task.data->images(Split::train).count();
  if (task.batch > count)
    throw InvalidCase("batch", fmt::format("batch is {} and there are {} images to train on in {}",
                                           task.batch, count, parameters.text("data")));
  return task;
}

}  // namespace breakeven
