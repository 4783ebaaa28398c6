// A network that several ranks train together: each computes the gradients of its share of every batch.
#pragma once

#include <functional>
#include <memory>

#include "network/model.h"

namespace breakeven {

/// Makes the model of one rank's share of the batch with `make`, and a model of the whole batch from it.
/// Without other ranks, that is the model itself.
std::unique_ptr<Model> make_data_parallel(ModelTask task,
                                          const std::function<std::unique_ptr<Model>(ModelTask)>& make);

}  // namespace breakeven
