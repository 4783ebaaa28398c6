// Matrix products and convolutions by definition.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "worker/host_operation.h"

namespace breakeven {

class PlainLoops : public HostOperation {
 public:
  std::string algorithm() const override { return "plain loops, every sum in float64"; }

 protected:
  using HostOperation::HostOperation;

  /// The stored inputs in float64.
  std::vector<double> widened(const Buffer<std::byte>& stored) const {
    const StoredFormat& format = facts(tensors_.dtype).input;
    std::vector<double> values(static_cast<std::size_t>(stored.size()) / format.bytes);
    format.load(stored.data(), 0, std::ssize(values), values.data());
    return values;
  }
  /// Writes the results from `first` on, rounded to the type in which they are stored.
  void store(std::int64_t first, const std::vector<double>& sums) {
    facts(tensors_.dtype).output.store(sums.data(), std::ssize(sums), tensors_.output.data(), first);
  }
};

}  // namespace breakeven
