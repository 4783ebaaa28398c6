// Copying memory: between the host's and the device's, or within one of them.
#pragma once

#include "workloads/bandwidth.h"

namespace breakeven {

enum class Direction { to_device, from_device, within };

struct Copy {
  Direction direction = Direction::within;
  bool pinned = true;  // the host's side; without meaning within one memory
  Bandwidth array;

  explicit Copy(const Parameters& parameters);
};

}  // namespace breakeven
