// Copies memory between host and device, or within one of them.
#pragma once

#include "workloads/bandwidth.h"

namespace breakeven {

enum class Direction { to_device, from_device, within };

struct Copy {
  Direction direction = Direction::within;
  bool pinned = true;  // the host's memory; has no meaning within one memory
  Bandwidth array;

  explicit Copy(const Parameters& parameters);
};

}  // namespace breakeven
