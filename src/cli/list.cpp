// breakeven list: all configs, or the cases of one.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <set>

#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/selection.h"
#include "cli/subcommand.h"
#include "cli/terminal_output.h"
#include "json/text.h"
#include "plan/json_file.h"
#include "plan/schema.h"
#include "protocol/messages.h"
#include "reports/text.h"

namespace breakeven {
namespace {

void print_json(const Config& config) {
  Json cases = Json::array();
  for (const auto& [problem, label] : config.cases) {
    cases.push_back({{"id", problem.id()},
                     {"op", problem.workload->op()},
                     {"label", label},
                     {"params", to_json(problem.parameters)},
                     {"flop", problem.flop()},
                     {"bytes", problem.bytes()}});
  }
  std::cout << text_of(cases, 1) << '\n';
}

void print_table(const Config& config) {
  std::size_t widest = 4;
  for (const auto& c : config.cases) widest = std::max(widest, c.problem.id().size());
  std::string text =
      fmt::format("{:<{}}  {:>10}  {:>10}  {:>10}\n", "case", widest, "GFLOP", "MB", "FLOP/byte");
  for (const auto& [problem, label] : config.cases) {
    const double flop = problem.flop();
    const double bytes = problem.bytes();
    text +=
        fmt::format("{:<{}}  {:>10.4g}  {:>10.4g}  {:>10.4g}{}\n", problem.id(), widest, flop * 1e-9,
                    bytes * 1e-6, bytes > 0 ? flop / bytes : 0, label.empty() ? "" : "  " + printable(label));
  }
  print(text);
}

/// The question that a config answers, for users who are looking for a config.
struct Question {
  std::string name, title, command;
  std::filesystem::path file;
};

/// Reads every file in the config folders that has workloads; the folders also contain other files.
std::vector<Question> read_questions() {
  std::vector<Question> questions;
  for (const NamedConfig& config : named_configs()) {
    Question question{.name = config.name, .title = config.name, .command = "run", .file = config.file};
    try {
      const Json document = read_json(config.file).document;
      if (!document.is_object() || !document.contains("workloads")) continue;
      const auto title = document.find("title");
      if (title != document.end() && title->is_string())
        question.title = printable(title->get<std::string>());
      if (document.contains("threshold")) question.command = "threshold";
    } catch (const ConfigError&) {
      question.title = fmt::format("cannot be read; 'breakeven list {}' says why", config.name);
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

void print_questions(const std::vector<Question>& questions) {
  if (questions.empty()) throw CommandError("list: no configs were found; name one by its path");
  const TerminalStyle style = terminal_style();
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  std::size_t widest = 0;
  for (const Question& question : questions) widest = std::max(widest, question.name.size());
  std::string text;
  for (const char* command : {"run", "threshold"}) {
    text += fmt::format("{}breakeven {} NAME\n", text.empty() ? "" : "\n", command);
    for (const Question& question : questions) {
      if (question.command != command) continue;
      const std::string line = fmt::format("  {:<{}}  {}", question.name, widest, question.title);
      text += (terminal ? shorten(line, static_cast<std::size_t>(style.width)) : line) + '\n';
    }
  }
  std::string folders;
  std::set<std::filesystem::path> seen;  // a folder may be found through two paths
  for (const auto& folder : config_folders()) {
    std::error_code error;
    if (seen.insert(std::filesystem::weakly_canonical(folder, error)).second)
      folders += fmt::format("{}{}", folders.empty() ? "" : ", ", folder.string());
  }
  text += fmt::format("\nThe files are in {}. 'breakeven list NAME' shows a config's cases.\n", folders);
  print(style.unicode ? text : to_ascii(text));
}

void print_questions_json(const std::vector<Question>& questions) {
  Json all = Json::array();
  for (const Question& question : questions) {
    all.push_back({{"name", question.name},
                   {"title", question.title},
                   {"command", question.command},
                   {"file", question.file.string()}});
  }
  std::cout << text_of(all, 1) << '\n';
}

struct ListOptions {
  CaseSelection selection;
  bool json = false, schema = false;
};

int list(const ListOptions& o) {
  if (o.schema) {
    std::cout << config_schema();
  } else if (!o.selection.configs.empty()) {
    const Config config = select_cases(o.selection);
    o.json ? print_json(config) : print_table(config);
  } else if (!o.selection.filter.empty() || !o.selection.shard.empty()) {
    throw CommandError("list: --filter and --shard need a CONFIG");
  } else {
    o.json ? print_questions_json(read_questions()) : print_questions(read_questions());
  }
  return exit_code::good;
}

const SubcommandRegistration list_command(subcommand<ListOptions>(
    "list", "show all configs and what they ask, or the cases of those named",
    [](CLI::App& command, ListOptions& o) {
      add_case_options(command, o.selection);
      add_shard_option(command, o.selection);
      command.get_option("CONFIG")->required(false);
      command.add_flag("--json", o.json, "as JSON");
      command.add_flag("--schema", o.schema, "print the JSON Schema of configs instead");
    },
    list));

}  // namespace
}  // namespace breakeven
