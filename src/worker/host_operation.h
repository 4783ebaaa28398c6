// An operation on operands in host memory, in the layout of the workload.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "worker/backend.h"
#include "workloads/host_tensors.h"

namespace breakeven {

class HostOperation : public Prepared {
 public:
  Evidence show(const std::vector<std::int64_t>& elements) override {
    tensors_.poison();
    for (std::int64_t set = 0; set < tensors_.sets; ++set) run();
    return tensors_.evidence(elements);
  }
  std::int64_t operand_sets() const override { return tensors_.sets; }

 protected:
  explicit HostOperation(HostTensors tensors) : tensors_(std::move(tensors)) {}

  HostTensors tensors_;
};

}  // namespace breakeven
