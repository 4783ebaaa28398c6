#include "workloads/rotation.h"

#include "workloads/transfer.h"
#include "workloads/workload.h"

namespace breakeven {

Parameter operands_parameter() {
  return added_later(choice_parameter(
      "operands",
      "every run reads and writes the same memory, whose contents stay in the caches if they are "
      "small; or takes another set of operands and result, so that they come from memory",
      {"reused", "rotating"}, "reused"));
}

bool rotates(const Parameters& parameters) {
  return parameters.find("operands") != nullptr && parameters.text("operands") == "rotating";
}

void check_operands(const Parameters& parameters) {
  if (rotates(parameters) && Transfer::of(parameters).moves())
    throw InvalidCase("operands",
                      R"(operands that rotate stay on the device: they go with "transfer": "resident" only)");
}

}  // namespace breakeven
