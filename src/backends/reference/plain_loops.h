// Matrix products and convolutions by definition.
#pragma once

#include <string>

#include "worker/host_operation.h"

namespace breakeven {

class PlainLoops : public HostOperation {
 public:
  std::string algorithm() const override { return "plain loops, every sum in float64"; }

 protected:
  using HostOperation::HostOperation;
};

}  // namespace breakeven
