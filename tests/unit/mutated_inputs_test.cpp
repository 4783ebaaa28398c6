// A thousand mutations of real inputs for each reader that users reach. Each is read, or refused with the
// exception that the reader documents, with a message that is fit for a user. Results that were read can be
// used: reports are written in every form.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <memory>

#include "history/check.h"
#include "history/store.h"
#include "plan/config.h"
#include "plan/threshold_config.h"
#include "protocol/messages.h"
#include "rank/device_catalogue.h"
#include "rank/mix.h"
#include "rank/prices.h"
#include "rank/rank.h"
#include "reports/words/notes.h"
#include "results/google_benchmark.h"
#include "unit/history_store_sample.h"
#include "unit/idx_files.h"
#include "unit/messages.h"
#include "unit/mutations.h"
#include "unit/reports_sample.h"
#include "unit/temporary_folder.h"
#include "unit/texts_of_files.h"
#include "unit/well_formed.h"
#include "verdicts/compare.h"
#include "verdicts/measured.h"
#include "verdicts/selftest.h"
#include "workloads/dataset.h"

namespace breakeven::mutated_inputs_test {
namespace {

namespace fs = std::filesystem;
using mutations::Random;

constexpr int mutations_of_each = 1000;
constexpr std::chrono::duration<double> no_patience{0};

/// The message of the refusal; empty if the input was read.
using Refusal = std::optional<std::string>;

struct Reader {
  std::vector<std::string> inputs;  // valid ones
  std::string (*mutate)(const std::string& input, Random& random) = nullptr;
  /// Reads the input as the commands do. Throws what is not documented.
  std::function<Refusal(const std::string& input, const TemporaryFolder& folder)> read;
};

template <typename Documented, typename Read>
Refusal refusal_of(const Read& read) {
  try {
    read();
    return std::nullopt;
  } catch (const Documented& e) {
    return e.what();
  }
}

/// A file that is removed and made again for each input: some file systems write one that is only emptied to
/// the disk at once.
fs::path write_anew(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  fs::remove(folder.path() / name);
  return folder.write(name, text);
}

std::string source_file(const std::string& path) {
  std::string text = read_file(fs::path(BREAKEVEN_SOURCE_DIR) / path);
  EXPECT_FALSE(text.empty()) << path;
  return text;
}

// ---- files

Result read_to_resume(const fs::path& path) {
  return read_result(path);
}

/// A reader of JSON files of the source tree.
template <typename Documented, auto read>
Reader json_reader(const std::vector<std::string>& files) {
  Reader reader{.inputs = {}, .mutate = mutations::mutated_json, .read = {}};
  for (const std::string& file : files) reader.inputs.push_back(source_file(file));
  reader.read = [](const std::string& input, const TemporaryFolder& folder) {
    const fs::path path = write_anew(folder, "input.json", input);
    return refusal_of<Documented>([&] { (void)read(path); });
  };
  return reader;
}

void expect_well_formed(const Subject& subject) {
  EXPECT_EQ(well_formed::fault_of_any_form(subject), "");
}

/// Does what `report` does.
void read_report(const fs::path& path) {
  const Measured measured = read_measured(std::array{path});
  if (!measured.results.empty() || !measured.thresholds.empty()) expect_well_formed(&measured);
  for (const Verdicts& verdicts : measured.verdicts) expect_well_formed(&verdicts);
}

/// Does what `list`, `run` and `gate` do first.
void read_work(const fs::path& path) {
  files_of_configs({path});
  read_configs({path});
}

/// Does what `run` does with a config beside the file that names it.
void read_shapes_of_config(const fs::path& path) {
  const fs::path config = path.parent_path() / "config.json";
  fs::remove(config);
  write_file(config, R"({"workloads": [{"op": "matmul", "shapes": "input.json", "dtype": "f32"}]})");
  read_work(config);
}

std::vector<Result> two_machines() {
  Result one = sample::result(sample::with_gpu(1e-5));
  return {one, sample::on_machine("other", one)};
}

/// Does what `rank --prices` does.
void rank_by_prices(const fs::path& path) {
  RankOptions options;
  options.prices = read_prices(path);
  options.by = Metric::cost;
  const auto results = two_machines();
  const Rankings ranking = rank_by_work(results, options);
  expect_well_formed(&ranking);
}

/// Does what `rank --devices --predict` does.
void rank_by_catalogue(const fs::path& path) {
  RankOptions options;
  options.catalogue = read_device_catalogue(path);
  options.predicted = {options.catalogue.empty() ? "none" : options.catalogue.front().name};
  const auto results = two_machines();
  const Rankings ranking = rank_by_work(results, options);
  expect_well_formed(&ranking);
}

/// Does what `gate --selftest` does first.
void read_host_selftest(const fs::path& path) {
  const Selftest selftest = read_selftest(path);
  for (const std::string& warning : note_texts(selftest_warnings(selftest, selftest.host, selftest.rules)))
    EXPECT_EQ(fault_of_message(warning), "") << warning;
}

/// Does what `compare` does.
void compare_with_itself(const fs::path& path) {
  const Result result = read_any_result(path);
  const Verdicts verdicts = compare_results(result, result, {});
  expect_well_formed(&verdicts);
}

// ---- the history

/// Does what `history check` does. One time in eight it also adds a run, which waits for the disk.
Refusal use_store(const fs::path& path, bool adds) {
  return refusal_of<HistoryError>([&] {
    HistoryStore store(path, HistoryStore::Open::existing, no_patience);
    const History history = store.read();
    const CheckedHistory checked{.check = check_history(history, {}), .store = "store"};
    expect_well_formed(&checked);
    if (!adds) return;
    const Result run = sample::run_of({sample::timed("a", 1e-3)}, "now");
    store.add(run, to_json_text(run), sample::label_of("new"));
  });
}

bool is_one_in_eight(const std::string& input) {
  return std::hash<std::string>()(input) % 8 == 0;
}

Refusal read_store(const std::string& input, const TemporaryFolder& folder) {
  for (const auto& file : fs::directory_iterator(folder.path())) fs::remove(file.path());
  return use_store(folder.write("store", input), is_one_in_eight(input));
}

Reader store_reader(const std::vector<std::string>&) {
  return {.inputs = {sample::store_bytes()}, .mutate = mutations::mutated_bytes, .read = read_store};
}

/// Values that no program of ours writes, of each type that SQLite has.
std::string mutated_statement(const std::string& /*input*/, Random& random) {
  static const std::vector<std::pair<std::string, std::vector<std::string>>> columns{
      {"machine", {"id", "name", "description"}},
      {"run", {"id", "digest", "machine", "revision", "branch", "time", "source"}},
      {"software", {"run", "backend", "description"}},
      {"series", {"id", "machine", "case_id", "backend"}},
      {"measurement", {"series", "run", "status", "seconds"}},
      {"accepted", {"series", "run"}},
      {"machine_speed", {"run", "rounds", "slow_rounds", "median", "lowest", "reservation"}},
      {"probe", {"run", "part", "best_seconds", "median_seconds"}}};
  static const std::vector<std::string> values = mutations::words_of(
      "NULL 0 -1 99 'x' '' x'1b5b324aff' 1e300 -1e-300 9e999 'ok' 'wrong' char(10)||'::error::x' "
      "9223372036854775807 hex(zeroblob(20000)) 1.5");
  const auto& [table, names] = mutations::one_of(columns, random);
  const std::string& column = mutations::one_of(names, random);
  const std::string& value = mutations::one_of(values, random);
  switch (mutations::pick(6, random)) {
    case 0:
      return "UPDATE OR IGNORE " + table + " SET " + column + "=" + value;
    case 1:
      return "DELETE FROM " + table + " WHERE " + column + ">" + value;
    case 2:
      return "ALTER TABLE " + table + " RENAME COLUMN " + column + " TO other";
    case 3:
      return "DROP TABLE " + table + ";CREATE VIEW " + table + " AS SELECT 1 AS " + column;
    default:
      return "UPDATE OR REPLACE " + table + " SET " + column + "=" + value + " WHERE abs(random()) % 3 = 0";
  }
}

Refusal read_changed_store(const std::string& input, const TemporaryFolder& folder) {
  static const std::string good = sample::store_bytes();
  for (const auto& file : fs::directory_iterator(folder.path())) fs::remove(file.path());
  const fs::path path = folder.write("store", good);
  sqlite3* opened = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &opened), SQLITE_OK);
  sqlite3_exec(opened, ("PRAGMA synchronous=OFF;" + input).c_str(), nullptr, nullptr, nullptr);
  sqlite3_close(opened);
  return use_store(path, is_one_in_eight(input));
}

Reader changed_store_reader(const std::vector<std::string>&) {
  return {.inputs = {"SELECT 1"}, .mutate = mutated_statement, .read = read_changed_store};
}

// ---- data sets

enum class IdxFile { images, labels };

/// One file of a data set whose other file is good.
template <IdxFile mutated>
Refusal read_idx(const std::string& input, const TemporaryFolder& folder) {
  constexpr std::uint32_t count = 3;
  write_anew(folder, "train-images-idx3-ubyte", mutated == IdxFile::images ? input : idx_images(count, 1));
  write_anew(folder, "train-labels-idx1-ubyte", mutated == IdxFile::labels ? input : idx_labels(count, 1));
  return refusal_of<DatasetError>([&] {
    const LabelledImages images = read_images(folder.path(), Split::train);
    EXPECT_EQ(images.pixels.size(), images.labels.size() * image_pixels);
  });
}

std::string gzipped(const std::string& bytes) {
  const TemporaryFolder folder;
  write_gzip(folder.path() / "file", bytes);
  return read_file(folder.path() / "file");
}

template <IdxFile mutated>
Reader idx_reader(const std::vector<std::string>&) {
  const std::string plain = mutated == IdxFile::images ? idx_images(3, 1) : idx_labels(3, 1);
  return {.inputs = {plain, gzipped(plain)}, .mutate = mutations::mutated_bytes, .read = read_idx<mutated>};
}

// ---- workers

template <typename T>
Refusal read_answer(const std::string& input, const TemporaryFolder& /*folder*/) {
  return refusal_of<ProtocolError>([&] { parse_answer<T>(input); });
}

/// Returns the answers to requests of these kinds in recorded sessions.
std::vector<std::string> recorded_answers(const std::vector<std::string>& kinds) {
  std::vector<std::string> answers;
  for (const char* session : {"983c837-openblas.jsonl", "63cd4e0-reference.jsonl", "d621f30-native.jsonl"}) {
    std::ifstream in(fs::path(BREAKEVEN_SOURCE_DIR) / "tests/recorded" / session);
    for (std::string line; std::getline(in, line);) {
      const auto exchange = nlohmann::ordered_json::parse(line);
      const auto request = exchange.value("request", nlohmann::ordered_json());
      if (request.is_object() &&
          std::count(kinds.begin(), kinds.end(), request.at("request").get<std::string>()) > 0)
        answers.push_back(exchange.at("answer").dump());
    }
  }
  return answers;
}

template <typename T>
Reader answer_reader(const std::vector<std::string>& kinds) {
  return {.inputs = recorded_answers(kinds), .mutate = mutations::mutated_json, .read = read_answer<T>};
}

/// A reader by name. It is made where it is used, because the program of all unit tests is started for each
/// test.
struct NamedReader {
  std::string name;
  Reader (*make)(const std::vector<std::string>& of);
  std::vector<std::string> of = {};  // files of the source tree, or the requests that are answered
};

/// Prints only the name.
void PrintTo(const NamedReader& reader, std::ostream* out) {
  *out << reader.name;
}

const std::string results = "results/xeon-amx-2-cores/";
const std::string seeds = "tests/fuzz/corpus/";

const std::vector<NamedReader> readers{
    {"config",
     json_reader<ConfigError, read_work>,
     {"configs/quick.json", "configs/precision.json", "configs/matmul.json"}},
    {"threshold_config",
     json_reader<ConfigError, read_threshold_config>,
     {"configs/break-even-threads.json", "configs/break-even-precision.json"}},
    {"shape_file",
     json_reader<ConfigError, read_shapes_of_config>,
     {"configs/shapes/odd.json", "configs/shapes/gpt2-small-gemm.json"}},
    {"mix", json_reader<ConfigError, read_mix>, {"configs/mix.json"}},
    {"prices", json_reader<ConfigError, rank_by_prices>, {seeds + "prices_and_devices/prices.json"}},
    {"devices",
     json_reader<ConfigError, rank_by_catalogue>,
     {seeds + "prices_and_devices/devices.json", "configs/devices.json"}},
    {"result",
     json_reader<ResultError, read_report>,
     {seeds + "result/one-run.json", seeds + "result/sweep.json", seeds + "result/training.json",
      "tests/golden/rich/results.json"}},
    {"result_to_compare", json_reader<ResultError, compare_with_itself>, {"tests/golden/rich/results.json"}},
    {"result_to_resume", json_reader<ResultError, read_to_resume>, {"tests/golden/rich/results.json"}},
    {"verdicts", json_reader<ResultError, read_report>, {"tests/golden/verdicts/verdicts.json"}},
    {"threshold",
     json_reader<ResultError, read_report>,
     {results + "break-even-threads.json", results + "break-even-precision.json"}},
    {"selftest", json_reader<ResultError, read_host_selftest>, {seeds + "verdict_files/selftest.json"}},
    {"google_benchmark",
     json_reader<ResultError, compare_with_itself>,
     {seeds + "google_benchmark/repetitions.json", seeds + "google_benchmark/skips_and_bare_words.json"}},
    {"history_store", store_reader},
    {"history_values", changed_store_reader},
    {"idx_images", idx_reader<IdxFile::images>},
    {"idx_labels", idx_reader<IdxFile::labels>},
    {"answer_to_hello", answer_reader<answer::Hello>, {"hello"}},
    {"answer_to_prepare", answer_reader<answer::Ready>, {"prepare"}},
    {"answer_to_verify", answer_reader<Evidence>, {"verify"}},
    {"answer_to_sample", answer_reader<answer::Sample>, {"sample"}},
    {"answer_to_release", answer_reader<answer::Done>, {"release"}},
};

class SlowMutatedInputs : public testing::TestWithParam<NamedReader> {};

TEST_P(SlowMutatedInputs, AreReadOrRefusedInAMessage) {
  const Reader reader = GetParam().make(GetParam().of);
  const TemporaryFolder folder;
  ASSERT_FALSE(reader.inputs.empty());
  for (const std::string& input : reader.inputs) {
    const Refusal refusal = reader.read(input, folder);
    ASSERT_FALSE(refusal) << *refusal;
  }
  int read = 0, refused = 0;
  for (int i = 0; i < mutations_of_each; ++i) {
    Random random(static_cast<std::uint64_t>(i));
    // Some bytes are changed in JSON, too.
    const bool in_bytes = mutations::pick(4, random) == 0 && reader.mutate == mutations::mutated_json;
    const std::string& valid = reader.inputs[static_cast<std::size_t>(i) % reader.inputs.size()];
    const std::string input =
        in_bytes ? mutations::mutated_bytes(valid, random) : reader.mutate(valid, random);
    try {
      const Refusal refusal = reader.read(input, folder);
      ++(refusal ? refused : read);
      if (refusal) {
        EXPECT_EQ(fault_of_message(*refusal), "") << i << ": " << *refusal;
      }
    } catch (const std::exception& e) {
      ADD_FAILURE() << i << ": not documented: " << e.what();
    }
    if (HasFailure()) {
      ADD_FAILURE() << "of the input\n" << input.substr(0, 4000);
      break;
    }
  }
  EXPECT_GE(read + refused, mutations_of_each);
  // Mutations that are all refused at once, or all accepted, would test nothing.
  EXPECT_GE(read, mutations_of_each / 50);
  EXPECT_GE(refused, mutations_of_each / 50);
  RecordProperty("read", read);
  RecordProperty("refused", refused);
}

INSTANTIATE_TEST_SUITE_P(Of, SlowMutatedInputs, testing::ValuesIn(readers),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace breakeven::mutated_inputs_test
