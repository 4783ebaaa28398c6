// Fuzzes history stores: each is a HistoryError, or a history that can be checked, shown and added to. An
// input is the file, if it begins like SQLite's files; or a result that is added to a good store, if it
// begins like JSON, after which the store must still be good; or else SQL statements that change a good
// store.
#include <sqlite3.h>

#include <memory>

#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "history/check.h"
#include "history/store.h"
#include "reports/history.h"
#include "results/google_benchmark.h"
#include "unit/history_store_sample.h"
#include "unit/texts_of_files.h"

using namespace breakeven;

namespace {

constexpr std::string_view beginning("SQLite format 3\0", 16);
constexpr std::chrono::duration<double> no_patience{0};

void remove_store(const std::filesystem::path& path) {
  for (const char* suffix : {"", "-journal", "-wal", "-shm"}) std::filesystem::remove(path.string() + suffix);
}

const std::string& good_store() {
  static const std::string bytes = sample::store_bytes();
  return bytes;
}

/// Changes a store. Statements cannot access other files, and end soon.
void change_store(const std::filesystem::path& path, const std::string& statements) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(path.c_str(), &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  if (code != SQLITE_OK) throw std::logic_error("the good store cannot be opened");
  constexpr int most_steps = 20'000, most_bytes = 1 << 16U, most_pages = 100;
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, most_bytes);
  sqlite3_limit(opened, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_exec(opened, fmt::format("PRAGMA max_page_count={}; PRAGMA synchronous=OFF", most_pages).c_str(),
               nullptr, nullptr, nullptr);
  sqlite3_progress_handler(
      opened, most_steps, [](void*) { return 1; }, nullptr);
  sqlite3_exec(opened, statements.c_str(), nullptr, nullptr, nullptr);
}

History read_and_show(const HistoryStore& store) {
  const History history = store.read();
  const CheckedHistory checked{.check = check_history(history, {}), .store = "store"};
  fuzz::expect_well_formed(&checked);
  exit_status(checked.check);
  const std::string listing = history_listing(history, "store", 3);
  if (const std::string fault = well_formed::fault_of_characters(printable_lines(listing), "\n");
      !fault.empty())
    throw std::logic_error("the listing: " + fault);
  return history;
}

void use(const std::filesystem::path& path) {
  HistoryStore store(path, HistoryStore::Open::existing, no_patience);
  fuzz::read_or_refuse<HistoryError>([&] { return read_and_show(store); });
  const Result run = sample::run_of({sample::timed("a", 1e-3), sample::not_ok("c", Status::failed)}, "now");
  fuzz::read_or_refuse<HistoryError>(
      [&] { return store.add(run, to_json_text(run), sample::label_of("new")); });
  fuzz::read_or_refuse<HistoryError>([&] {
    store.accept({1, 2, 3});
    return store.read();
  });
}

void add_result(const std::filesystem::path& path, const std::string& text) {
  const auto result =
      fuzz::read_or_refuse<ResultError>([&] { return any_result_from_text(text, "result.json"); });
  if (!result) return;
  HistoryStore store(path, HistoryStore::Open::to_add, no_patience);
  store.add(*result, text, sample::label_of("new"));
  read_and_show(store);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text = fuzz::text_of_input(data, size);
  const bool is_file = text.starts_with(beginning);
  const auto path = fuzz::file_of("store", "");
  remove_store(path);
  fuzz::file_of("store", is_file ? text : good_store());
  if (text.starts_with('{')) {
    add_result(path, text);
    return 0;
  }
  if (!is_file) change_store(path, text);
  fuzz::read_or_refuse<HistoryError>([&] {
    use(path);
    return true;
  });
  return 0;
}
