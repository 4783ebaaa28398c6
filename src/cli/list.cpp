// breakeven list: the cases a config expands to.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/selection.h"
#include "cli/subcommand.h"
#include "plan/schema.h"
#include "protocol/messages.h"

namespace breakeven {
namespace {

void print_json(const Config& config) {
  nlohmann::ordered_json cases = nlohmann::ordered_json::array();
  for (const auto& [problem, label] : config.cases) {
    cases.push_back({{"id", problem.id()},
                     {"op", problem.workload->op()},
                     {"label", label},
                     {"params", to_json(problem.parameters)},
                     {"flop", problem.flop()},
                     {"bytes", problem.bytes()}});
  }
  std::cout << cases.dump(1) << '\n';
}

void print_table(const Config& config) {
  std::size_t widest = 4;
  for (const auto& c : config.cases) widest = std::max(widest, c.problem.id().size());
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:>10}  {:>10}\n", "case", widest, "GFLOP", "MB", "FLOP/byte");
  for (const auto& [problem, label] : config.cases) {
    const double flop = problem.flop();
    const double bytes = problem.bytes();
    text += fmt::format("{:<{}}  {:>10.4g}  {:>10.4g}  {:>10.4g}{}\n", problem.id(), widest, flop * 1e-9,
                        bytes * 1e-6, bytes > 0 ? flop / bytes : 0, label.empty() ? "" : "  " + label);
  }
  std::cout << text;
}

const SubcommandRegistration list_command(
    {"list", "show the cases that configs expand to, with FLOPs and bytes", [](CLI::App& command) {
       struct Options {
         CaseSelection selection;
         bool json = false, schema = false;
       };
       auto o = std::make_shared<Options>();
       add_case_options(command, o->selection);
       command.get_option("CONFIG")->required(false);
       command.add_flag("--json", o->json, "as JSON");
       command.add_flag("--schema", o->schema, "print the JSON Schema of configs instead");
       return [o] {
         if (o->schema) {
           std::cout << config_schema();
           return exit_code::good;
         }
         if (o->selection.configs.empty())
           throw CommandError(exit_code::bad_input, "list: CONFIG is required; see configs/");
         const Config config = select_cases(o->selection);
         o->json ? print_json(config) : print_table(config);
         return exit_code::good;
       };
     }});

}  // namespace
}  // namespace breakeven
