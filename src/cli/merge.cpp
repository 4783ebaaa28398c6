// breakeven merge: joins the result files of the shards of one run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/messages.h"
#include "cli/named_files.h"
#include "cli/subcommand.h"
#include "cli/text_file.h"
#include "reports/words/notes.h"
#include "reports/words/words.h"
#include "results/reading.h"
#include "session/session.h"
#include "verdicts/merge_shards.h"

namespace breakeven {
namespace {

struct MergeCommand {
  std::vector<std::filesystem::path> files;
  std::filesystem::path out;
  std::vector<std::string> allowed;
};

/// Prints the warnings of the merged result that no shard has.
void tell_new_warnings(const Result& merged, const std::vector<Note>& known) {
  for (const Note& warning : merged.warnings) {
    if (std::ranges::find(known, warning) == known.end()) tell(note_text(warning));
  }
}

int merge_files(const MergeCommand& o) {
  check_one_standard_input(o.files);
  check_output_files({{.option = "--out", .path = o.out.string()}}, o.files);
  std::set<Difference> allowed;
  for (const std::string& name : o.allowed) allowed.insert(*parse_name<Difference>(name));
  std::vector<ShardFile> shards;
  std::vector<Note> known;
  read_ahead(
      o.files, [](const std::filesystem::path& file) { return read_result(file); },
      [&](const std::filesystem::path& file, Result result) {
        known.insert(known.end(), result.warnings.begin(), result.warnings.end());
        shards.push_back(
            {.file = file == "-" ? "standard input" : file.string(), .result = std::move(result)});
      });
  Result merged;
  try {
    merged = merge_shards(std::move(shards), allowed);
  } catch (const ShardsIncomparable& e) {
    throw CommandError(
        exit_code::incomplete,
        fmt::format("{} (the base) and {} (the head) were not measured alike: {}; measure one of "
                    "them again, or join them with --allow {}",
                    e.first, e.other, reasons_text(e.differences), fmt::join(e.kinds, ",")));
  }
  const std::string text = to_json_text(merged, report_words());
  expect_readable(text, "--out " + o.out.string(),
                  "join fewer shards: the other commands take several files");
  write_text_file(o.out.string(), text);
  tell_new_warnings(merged, known);
  report_saved_file(o.out.string());
  return exit_status(merged);
}

const SubcommandRegistration merge_command(subcommand<MergeCommand>(
    "merge", "join the result files of a run's shards into one",
    [](CLI::App& command, MergeCommand& o) {
      declare_statuses(
          command,
          {{exit_code::good, "joined"},
           {exit_code::wrong_or_regressed, "joined, and a result is wrong"},
           {exit_code::bad_input, "the command is at fault, or the files are not all of one run"},
           {exit_code::incomplete, "the machines differ, or joined, and cases are missing or failed"}});
      declare_result_files(command, o.files, "result files of `breakeven run --shard`, one for each shard");
      accept_output_file(command.add_option("--out", o.out, "the joined result file; - for standard output"))
          ->required();
      take_one_word(
          command.add_option(
              "--allow", o.allowed,
              "join although the shards' machines differ in this; may be repeated, or given as a,b"))
          ->delimiter(',')
          ->check(CLI::IsMember(allowable_differences()));
    },
    merge_files));

}  // namespace
}  // namespace breakeven
