#include "history/store.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <iterator>
#include <unordered_map>

#include "results/json.h"
#include "results/whole_file.h"
#include "text/printable.h"
#include "text/shell.h"
#include "workloads/workload.h"

namespace breakeven {

/// The largest store that is read, in bytes; none grows beyond.
constexpr std::int64_t largest_store = std::int64_t{4} << 30U;

/// The connection, and the text of its error messages.
struct HistoryDatabase {
  struct Close {
    void operator()(sqlite3* opened) const { sqlite3_close(opened); }
  };
  std::string name;
  double wait = 0;  // seconds
  std::unique_ptr<sqlite3, Close> connection;

  [[noreturn]] void fail(int code) const {
    const std::string said = connection ? sqlite3_errmsg(connection.get()) : sqlite3_errstr(code);
    switch (code & 0xff) {  // without SQLite's extended codes
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        refuse(fmt::format(
            "another process has kept it locked for {:g} s; try again, or wait longer with --wait", wait));
      case SQLITE_NOMEM:
        refuse("does not fit into memory; give it more (`ulimit -v`)");
      case SQLITE_FULL:
        refuse(fmt::format(
            "{}; make room in its folder, or begin another store if it has the {} GiB that are read",
            printable(said), largest_store >> 30U));
      case SQLITE_NOTADB:
        refuse("is not a history store; name a file that `breakeven history add` made");
      case SQLITE_CORRUPT:
        refuse_as_damaged(said);
      default:
        refuse(
            fmt::format("{}; check the path, and the permissions and space of its folder", printable(said)));
    }
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw HistoryError(message_line(fmt::format("{}: {}", name, why)));
  }
  /// Throws because the file is damaged. `said` may quote the file's content, in several lines.
  [[noreturn]] void refuse_as_damaged(const std::string& said) const {
    refuse(fmt::format(
        "is damaged ({}); restore it from a copy, or see what `sqlite3 {} .recover` still reads of it",
        printable(said), shell_file(name)));
  }
  void check(int code) const {
    if (code != SQLITE_OK) fail(code);
  }
  /// Makes the connection safe for files from anywhere: nothing in them is executed, and nothing is large.
  void refuse_to_be_fooled() const;
};

namespace {

constexpr std::int64_t application_id = 0x62726576;  // distinguishes our files from other programs'

// The primary key stores the measurements of one series together, in the order of the runs.
constexpr const char* schema = R"(
CREATE TABLE machine(id INTEGER PRIMARY KEY, name TEXT NOT NULL, description TEXT NOT NULL,
                     UNIQUE(name, description));
CREATE TABLE run(id INTEGER PRIMARY KEY AUTOINCREMENT, digest TEXT NOT NULL UNIQUE,
                 machine INTEGER NOT NULL REFERENCES machine, revision TEXT NOT NULL, branch TEXT NOT NULL,
                 time TEXT NOT NULL, source TEXT NOT NULL, added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE software(run INTEGER NOT NULL REFERENCES run, backend TEXT NOT NULL, description TEXT NOT NULL,
                      PRIMARY KEY(run, backend)) WITHOUT ROWID;
CREATE TABLE series(id INTEGER PRIMARY KEY, machine INTEGER NOT NULL REFERENCES machine,
                    case_id TEXT NOT NULL, backend TEXT NOT NULL, UNIQUE(machine, case_id, backend));
CREATE TABLE measurement(series INTEGER NOT NULL REFERENCES series, run INTEGER NOT NULL REFERENCES run,
                         status TEXT NOT NULL, seconds REAL, low REAL, high REAL,
                         PRIMARY KEY(series, run)) WITHOUT ROWID;
CREATE TABLE accepted(series INTEGER NOT NULL REFERENCES series, run INTEGER NOT NULL REFERENCES run,
                      added TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP, PRIMARY KEY(series, run)) WITHOUT ROWID;
PRAGMA application_id = 1651664246;
PRAGMA user_version = 1;
)";

// Each brings a store of one version to the next. Version 2 has the machine's own speed. Version 3 has the
// settings of runs, which were lines of the software of a backend without a name, and which software ran on a
// GPU, which its driver showed.
constexpr std::array upgrades{R"(
CREATE TABLE machine_speed(run INTEGER PRIMARY KEY REFERENCES run, rounds INTEGER NOT NULL,
                           slow_rounds INTEGER NOT NULL, median REAL NOT NULL, lowest REAL NOT NULL,
                           reservation TEXT NOT NULL);
CREATE TABLE probe(run INTEGER NOT NULL REFERENCES run, part TEXT NOT NULL, best_seconds REAL NOT NULL,
                   median_seconds REAL NOT NULL, PRIMARY KEY(run, part)) WITHOUT ROWID;
PRAGMA user_version = 2;
)",
                              R"(
CREATE TABLE setting(run INTEGER NOT NULL REFERENCES run, setting TEXT NOT NULL, PRIMARY KEY(run, setting))
                     WITHOUT ROWID;
WITH RECURSIVE line(run, setting, rest) AS (
  SELECT run, '', description || char(10) FROM software WHERE backend = ''
  UNION
  SELECT run, substr(rest, 1, instr(rest, char(10)) - 1), substr(rest, instr(rest, char(10)) + 1) FROM line
  WHERE rest <> '')
INSERT OR IGNORE INTO setting SELECT run, setting FROM line WHERE setting <> '';
DELETE FROM software WHERE backend = '';
ALTER TABLE software ADD COLUMN on_gpu INTEGER NOT NULL DEFAULT 0;
UPDATE software SET on_gpu = 1 WHERE instr(', ' || description, ', driver ') > 0;
PRAGMA user_version = 3;
)"};
constexpr std::int64_t schema_version = std::ssize(upgrades) + 1;

/// A prepared statement.
class Statement {
 public:
  Statement(const HistoryDatabase& database, const std::string& sql) : database_(database) {
    database_.check(sqlite3_prepare_v2(database.connection.get(), sql.c_str(), -1, &statement_, nullptr));
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement(Statement&&) = delete;
  Statement& operator=(Statement&&) = delete;

  /// Starts the statement again with these parameters.
  template <typename... Values>
  Statement& with(const Values&... values) {
    sqlite3_reset(statement_);  // returns the error of the last step, which was already thrown
    int place = 0;
    (bind(++place, values), ...);
    return *this;
  }
  /// Steps to the next row. Returns false if there is none.
  bool step() {
    const int code = sqlite3_step(statement_);
    if (code != SQLITE_ROW && code != SQLITE_DONE) database_.fail(code);
    return code == SQLITE_ROW;
  }
  /// Steps to the end.
  void run() {
    while (step()) {
    }
  }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  double number(int column) const { return sqlite3_column_double(statement_, column); }
  std::string text(int column) const {
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_, column));
    return bytes == nullptr ? "" : std::string(bytes, sqlite3_column_bytes(statement_, column));
  }

 private:
  void bind(int place, std::int64_t value) { database_.check(sqlite3_bind_int64(statement_, place, value)); }
  void bind(int place, std::string_view value) {
    database_.check(
        sqlite3_bind_text64(statement_, place, value.data(), value.size(), SQLITE_TRANSIENT, SQLITE_UTF8));
  }
  void bind(int place, const std::optional<double>& value) {
    database_.check(value ? sqlite3_bind_double(statement_, place, *value)
                          : sqlite3_bind_null(statement_, place));
  }

  const HistoryDatabase& database_;
  sqlite3_stmt* statement_ = nullptr;
};

std::int64_t integer(const HistoryDatabase& database, const char* sql) {
  Statement statement(database, sql);
  return statement.step() ? statement.integer(0) : 0;
}

/// A transaction that is rolled back on destruction unless it was finished.
class Transaction {
 public:
  /// Takes the lock immediately, because a lock that is taken later may be refused without waiting.
  explicit Transaction(const HistoryDatabase& database) : database_(database) {
    Statement(database_, "BEGIN IMMEDIATE").run();
  }
  ~Transaction() {
    if (!finished_) sqlite3_exec(database_.connection.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  Transaction(Transaction&&) = delete;
  Transaction& operator=(Transaction&&) = delete;

  void finish() {
    Statement(database_, "COMMIT").run();
    finished_ = true;
  }

 private:
  const HistoryDatabase& database_;
  bool finished_ = false;
};

/// A SHA-1 digest. It distinguishes files and protects no secrets.
std::string digest_of(const std::string& text) {
  return boost::uuids::to_string(boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(text));
}

/// True for an operation whose answer is a number instead of a time.
bool only_counts(std::string_view op) {
  const Workload* workload = find_workload(op);
  return workload != nullptr && !workload->is_timed();
}

/// True if the case has a measurement. Unsupported and interrupted cases have none, and those that only
/// count, such as `fits`, do not even if they fail: a later success would not be stored.
bool is_measurement(const CaseResult& c) {
  if (only_counts(c.op)) return false;
  if (c.status == Status::ok) return c.seconds.has_value();
  return c.status != Status::unsupported && c.status != Status::interrupted;
}

const std::string run_columns =
    "SELECT run.id, run.machine, run.revision, run.branch, run.time, run.source FROM run ";

Run read_run(const Statement& row) {
  return {.id = row.integer(0),
          .machine = row.integer(1),
          .commit = row.text(2),
          .branch = row.text(3),
          .time = row.text(4),
          .source = row.text(5)};
}

std::int64_t version_of(const HistoryDatabase& database) {
  return integer(database, "PRAGMA user_version");
}

void execute(const HistoryDatabase& database, const char* sql) {
  database.check(sqlite3_exec(database.connection.get(), sql, nullptr, nullptr, nullptr));
}

void upgrade(const HistoryDatabase& database) {
  for (std::int64_t version = version_of(database); version < schema_version; ++version)
    execute(database, upgrades.at(static_cast<std::size_t>(version - 1)));
}

/// A copy of the store in memory, which is upgraded: reading leaves the file as older programs know it.
std::shared_ptr<HistoryDatabase> upgraded_copy(const HistoryDatabase& database) {
  auto copy = std::make_shared<HistoryDatabase>();
  copy->name = database.name;
  copy->wait = database.wait;
  sqlite3* opened = nullptr;
  const int code = sqlite3_open(":memory:", &opened);
  copy->connection.reset(opened);
  copy->check(code);
  copy->refuse_to_be_fooled();
  sqlite3_backup* backup = sqlite3_backup_init(opened, "main", database.connection.get(), "main");
  const int copied = backup == nullptr ? SQLITE_NOMEM : sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (copied != SQLITE_DONE) copy->fail(copied);
  upgrade(*copy);
  return copy;
}

void add_speed(const HistoryDatabase& database, std::int64_t run, const MachineSpeed& speed) {
  Statement(database, "INSERT INTO machine_speed VALUES (?, ?, ?, ?, ?, ?)")
      .with(run, speed.rounds, speed.slow_rounds, std::optional(speed.median), std::optional(speed.lowest),
            speed.reservation)
      .run();
  Statement insert(database, "INSERT INTO probe VALUES (?, ?, ?, ?)");
  for (const auto& [part, seconds] : speed.median_seconds) {
    const auto best = speed.best_seconds.find(part);
    if (best != speed.best_seconds.end())
      insert.with(run, part, std::optional(best->second), std::optional(seconds)).run();
  }
}

/// Reads the speeds of the machines. The store has run numbers, `runs` has indices.
void read_speeds(const HistoryDatabase& database, const std::unordered_map<std::int64_t, std::size_t>& index,
                 std::vector<Run>& runs) {
  const auto run_of = [&](std::int64_t id) -> Run& {
    const auto found = index.find(id);
    if (found == index.end()) database.fail(SQLITE_CORRUPT);
    return runs[found->second];
  };
  Statement speeds(database,
                   "SELECT run, rounds, slow_rounds, median, lowest, reservation FROM machine_speed");
  while (speeds.step()) {
    run_of(speeds.integer(0)).machine_speed = MachineSpeed{.rounds = speeds.integer(1),
                                                           .slow_rounds = speeds.integer(2),
                                                           .median = speeds.number(3),
                                                           .lowest = speeds.number(4),
                                                           .reservation = speeds.text(5)};
  }
  Statement probes(database, "SELECT run, part, best_seconds, median_seconds FROM probe");
  while (probes.step()) {
    Run& run = run_of(probes.integer(0));
    if (!run.machine_speed) database.fail(SQLITE_CORRUPT);
    run.machine_speed->best_seconds[probes.text(1)] = probes.number(2);
    run.machine_speed->median_seconds[probes.text(1)] = probes.number(3);
  }
  for (const Run& run : runs) {
    if (run.machine_speed && !fault_of(*run.machine_speed).empty()) database.fail(SQLITE_CORRUPT);
  }
}

/// The id of the row of `table` with these values. Inserts the row if it is missing.
template <typename... Values>
std::int64_t id_of(const HistoryDatabase& database, Statement& insert, Statement& select,
                   const Values&... values) {
  insert.with(values...).run();
  if (sqlite3_changes(database.connection.get()) > 0)
    return sqlite3_last_insert_rowid(database.connection.get());
  select.with(values...).step();
  return select.integer(0);
}

/// Throws unless SQLite can keep a store at the path. An empty path or ":memory:" would be a store that
/// disappears at the end, and a pipe would block.
void check_path(const std::filesystem::path& path, HistoryStore::Open open) {
  std::error_code error;
  if (path.empty()) throw HistoryError("the store's name is empty; name a file");
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    if (open == HistoryStore::Open::to_add) return;
    throw HistoryError(
        fmt::format("{}: there is no such store; `breakeven history add` makes one", path.string()));
  }
  if (!std::filesystem::is_regular_file(status))
    throw HistoryError(
        fmt::format("{}: is no ordinary file; name a file that `breakeven history add` made", path.string()));
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (!error && size > static_cast<std::uintmax_t>(largest_store))
    throw HistoryError(
        fmt::format("{}: is {:.1f} GiB large, and at most {} GiB are read; begin another store",
                    path.string(), static_cast<double>(size) / 0x1p30, largest_store >> 30U));
}

/// Without a name from the user, a machine is the one that agrees in all but its name: a container has a new
/// name each time. If several agree, the one of this name, else the one measured last.
void take_known_name(const HistoryDatabase& database, Machine& machine) {
  Statement known(database,
                  "SELECT name FROM machine WHERE description = ? ORDER BY name = ? DESC, "
                  "(SELECT max(run.id) FROM run WHERE run.machine = machine.id) DESC LIMIT 1");
  if (known.with(machine.description, machine.name).step()) machine.name = known.text(0);
}

}  // namespace

void HistoryDatabase::refuse_to_be_fooled() const {
  // Texts are names or paths, and no row is longer.
  constexpr int longest = 1 << 20U;
  sqlite3* const opened = connection.get();
  sqlite3_limit(opened, SQLITE_LIMIT_LENGTH, longest);
  check(sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr));
  check(sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr));
  check(sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr));
  check(sqlite3_db_config(opened, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr));
}

HistoryStore::HistoryStore(const std::filesystem::path& path, Open open, std::chrono::duration<double> wait)
    : database_(std::make_shared<HistoryDatabase>()) {
  HistoryDatabase& database = *database_;
  database.name = path.string();
  database.wait = wait.count();
  check_path(path, open);
  if (open == Open::to_add) make_folder_of(path);
  sqlite3* opened = nullptr;
  const int code =
      sqlite3_open_v2((std::filesystem::path(".") / path).c_str(), &opened,
                      SQLITE_OPEN_READWRITE | (open == Open::to_add ? SQLITE_OPEN_CREATE : 0), nullptr);
  database.connection.reset(opened);
  database.check(code);
  database.refuse_to_be_fooled();
  sqlite3_busy_timeout(opened, static_cast<int>(database.wait * 1e3));

  const auto is_ours = [&] { return integer(database, "PRAGMA application_id") == application_id; };
  if (open == Open::to_add && !is_ours()) {
    // Two processes may be first at the same time, but only one may create the store.
    Transaction transaction(database);
    if (!is_ours()) {
      if (integer(database, "SELECT count(*) FROM sqlite_master") > 0) database.fail(SQLITE_NOTADB);
      execute(database, schema);
      upgrade(database);
    }
    transaction.finish();
  }
  if (!is_ours()) database.fail(SQLITE_NOTADB);
  const std::int64_t version = version_of(database);
  if (version < 1 || version > schema_version) {
    database.refuse(fmt::format(
        "is a store of version {}, and this program reads versions 1 to {}: use the breakeven that wrote it",
        version, schema_version));
  }
  const std::int64_t pages = largest_store / integer(database, "PRAGMA page_size");
  integer(database, fmt::format("PRAGMA max_page_count = {}", pages).c_str());
  Statement check(database, "PRAGMA quick_check(1)");
  if (check.step() && check.text(0) != "ok") database.refuse_as_damaged(check.text(0));
}

std::size_t count_measurements(const Result& result) {
  return static_cast<std::size_t>(std::ranges::count_if(result.cases, is_measurement));
}

AddedRun HistoryStore::add(const Result& result, const std::string& text, const RunLabel& label) {
  const HistoryDatabase& database = *database_;
  const std::string digest = digest_of(text);
  AddedRun added;
  added.machine = machine_of(result, label.machine);
  Transaction transaction(database);
  upgrade(database);
  Statement known(database, run_columns + "WHERE digest = ?");
  added.measurements = count_measurements(result);
  if (known.with(digest).step()) added.run = read_run(known);
  if (added.run.id != 0 || added.measurements == 0) return added;

  if (label.machine.empty()) take_known_name(database, added.machine);
  Statement insert_machine(database,
                           "INSERT INTO machine(name, description) VALUES (?, ?) ON CONFLICT DO NOTHING");
  Statement select_machine(database, "SELECT id FROM machine WHERE name = ? AND description = ?");
  added.machine.id =
      id_of(database, insert_machine, select_machine, added.machine.name, added.machine.description);
  added.run = {.machine = added.machine.id,
               .commit = label.commit,
               .branch = label.branch,
               .time = label.time.empty() ? result.created : label.time,
               .source = label.source,
               .software = software_of(result),
               .settings = settings_of(result),
               .machine_speed = result.machine_speed};
  Statement newest(database, run_columns + "WHERE machine = ? ORDER BY id DESC LIMIT 1");
  if (newest.with(added.machine.id).step()) added.before = read_run(newest);
  Statement(database,
            "INSERT INTO run(digest, machine, revision, branch, time, source) VALUES (?, ?, ?, ?, ?, ?)")
      .with(digest, added.machine.id, added.run.commit, added.run.branch, added.run.time, added.run.source)
      .run();
  added.run.id = sqlite3_last_insert_rowid(database.connection.get());
  if (added.run.machine_speed) add_speed(database, added.run.id, *added.run.machine_speed);
  Statement insert_software(database, "INSERT INTO software VALUES (?, ?, ?, ?)");
  for (const auto& [backend, software] : added.run.software)
    insert_software.with(added.run.id, backend, software.text, std::int64_t{software.on_gpu}).run();
  Statement insert_setting(database, "INSERT INTO setting VALUES (?, ?)");
  for (const std::string& setting : added.run.settings) insert_setting.with(added.run.id, setting).run();

  Statement insert_series(
      database, "INSERT INTO series(machine, case_id, backend) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  Statement select_series(database,
                          "SELECT id FROM series WHERE machine = ? AND case_id = ? AND backend = ?");
  Statement insert_measurement(database, "INSERT INTO measurement VALUES (?, ?, ?, ?, ?, ?)");
  for (const CaseResult& c : result.cases) {
    if (!is_measurement(c)) continue;
    const std::int64_t series =
        id_of(database, insert_series, select_series, added.machine.id, c.id, c.backend);
    const Timing* time = c.status == Status::ok ? &*c.seconds : nullptr;
    insert_measurement
        .with(series, added.run.id, name(c.status),
              time != nullptr ? std::optional(time->median) : std::nullopt,
              time != nullptr ? time->ci_low : std::nullopt, time != nullptr ? time->ci_high : std::nullopt)
        .run();
  }
  transaction.finish();
  added.is_new = true;
  return added;
}

History HistoryStore::read() const {
  const auto current = version_of(*database_) < schema_version ? upgraded_copy(*database_) : database_;
  const HistoryDatabase& database = *current;
  Statement(database, "BEGIN").run();  // reads one state of the store, even if runs are added meanwhile
  History history;
  Statement machines(database, "SELECT id, name, description FROM machine ORDER BY id");
  while (machines.step())
    history.machines.push_back(
        {.id = machines.integer(0), .name = machines.text(1), .description = machines.text(2)});
  Statement runs(database, run_columns + "ORDER BY run.id");
  std::unordered_map<std::int64_t, std::size_t> run_index;
  while (runs.step()) {
    run_index[runs.integer(0)] = history.runs.size();
    history.runs.push_back(read_run(runs));
  }
  read_speeds(database, run_index, history.runs);
  Statement software(database, "SELECT run, backend, description, on_gpu FROM software");
  while (software.step()) {
    const auto run = run_index.find(software.integer(0));
    if (run != run_index.end())
      history.runs[run->second].software[software.text(1)] = {.text = software.text(2),
                                                              .on_gpu = software.integer(3) != 0};
  }
  Statement settings(database, "SELECT run, setting FROM setting");
  while (settings.step()) {
    const auto run = run_index.find(settings.integer(0));
    if (run != run_index.end()) history.runs[run->second].settings.insert(settings.text(1));
  }
  Statement all(database, "SELECT id, machine, case_id, backend FROM series ORDER BY id");
  std::unordered_map<std::int64_t, std::size_t> series_index;
  while (all.step()) {
    // Older programs stored those that failed.
    if (const std::string id = all.text(2); only_counts(id.substr(0, id.find('/')))) continue;
    series_index[all.integer(0)] = history.series.size();
    history.series.push_back(
        {.id = all.integer(0), .machine = all.integer(1), .case_id = all.text(2), .backend = all.text(3)});
  }
  Statement accepted(database, "SELECT series, max(run) FROM accepted GROUP BY series");
  while (accepted.step()) {
    const auto series = series_index.find(accepted.integer(0));
    const auto run = run_index.find(accepted.integer(1));
    if (series != series_index.end() && run != run_index.end())
      history.series[series->second].accepted = run->second + 1;
  }
  Statement measurements(database,
                         "SELECT series, run, status, seconds FROM measurement ORDER BY series, run");
  Series* series = nullptr;
  while (measurements.step()) {
    const std::int64_t id = measurements.integer(0);
    if (series == nullptr || series->id != id) {
      const auto found = series_index.find(id);
      series = found == series_index.end() ? nullptr : &history.series[found->second];
    }
    const auto run = run_index.find(measurements.integer(1));
    const auto status = parse_name<Status>(measurements.text(2));
    const double seconds = measurements.number(3);
    // A store written by this program contains nothing else, but the file may come from elsewhere.
    if (series == nullptr || run == run_index.end() || !status || (*status == Status::ok && !(seconds > 0)))
      database.fail(SQLITE_CORRUPT);
    series->measurements.push_back({.run = run->second, .status = *status, .seconds = seconds});
  }
  Statement(database, "COMMIT").run();
  return history;
}

void HistoryStore::accept(const std::vector<std::int64_t>& series) {
  Transaction transaction(*database_);
  Statement insert(
      *database_,
      "INSERT INTO accepted(series, run) SELECT series, max(run) FROM measurement WHERE series = ? "
      "GROUP BY series ON CONFLICT DO NOTHING");
  for (const std::int64_t id : series) insert.with(id).run();
  transaction.finish();
}

}  // namespace breakeven
