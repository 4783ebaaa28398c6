#include "workloads/transfer.h"

#include <fmt/format.h>

#include "workloads/rotation.h"

namespace breakeven {

constexpr std::int64_t usual_repetitions = 10;

Transfer Transfer::of(const Parameters& parameters) {
  const std::string policy = transfer_policy(parameters);
  if (policy == "once") return {.policy = Policy::once, .repetitions = parameters.integer("repetitions")};
  return {.policy = policy == "each" ? Policy::each : Policy::resident};
}

std::string transfer_policy(const Parameters& parameters) {
  return parameters.find("transfer") == nullptr ? "resident" : parameters.text("transfer");
}

std::vector<Parameter> with_transfer(std::vector<Parameter> parameters) {
  const std::vector<Parameter> both{
      added_later(choice_parameter(
          "transfer",
          "of a device with memory of its own: data stays there, moves there and back in each run, "
          "or once for several repetitions",
          {"resident", "each", "once"}, "resident")),
      added_later(integer_parameter("repetitions",
                                    "runs that share one transfer and are one iteration, with transfer once",
                                    1, 1 << 20, usual_repetitions),
                  "transfer"),
  };
  parameters.insert(parameters.end() - 1, both.begin(), both.end());
  return parameters;
}

void normalise_transfer(Parameters& parameters) {
  if (parameters.find("transfer") != nullptr && parameters.text("transfer") != "once")
    parameters.set("repetitions", usual_repetitions);
}

std::string how_text(const Parameters& parameters) {
  std::string text;
  if (!is_tuned(parameters)) text += ", not tuned";
  if (rotates(parameters)) text += ", rotating operands";
  const Transfer transfer = Transfer::of(parameters);
  if (transfer.moves())
    text += transfer.repetitions == 1 ? ", moved each time"
                                      : fmt::format(", moved once for {}", transfer.repetitions);
  return text;
}

}  // namespace breakeven
