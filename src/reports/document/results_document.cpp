#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "reports/charts/parts.h"
#include "reports/charts/result_charts.h"
#include "reports/charts/threshold_chart.h"
#include "reports/document/about.h"
#include "reports/document/builders.h"
#include "reports/document/descriptions.h"
#include "reports/document/families.h"
#include "reports/document/library_summary.h"
#include "reports/document/lower_precision.h"
#include "reports/document/machines_card.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/remarks.h"
#include "reports/document/results_table.h"
#include "reports/document/runs.h"
#include "reports/document/threshold_cards.h"
#include "reports/document/work_sentences.h"
#include "reports/text.h"
#include "verdicts/break_even_from_results.h"

namespace breakeven {
namespace {

/// The topic of a question, which decides what is said first.
enum class Focus { gpu, ceilings, precision, batch, libraries, capacity };

/// The findings from the results of one machine for one question.
struct Findings {
  Focus focus = Focus::libraries;
  LibrarySummary libraries;
  std::string problems_name;
  std::vector<Statement> gpu, ceilings, precision, batch, capacity;

  const std::vector<Statement>& statements() const {
    switch (focus) {
      case Focus::gpu:
        return gpu;
      case Focus::ceilings:
        return ceilings;
      case Focus::precision:
        return precision;
      case Focus::capacity:
        return capacity;
      case Focus::batch:
      case Focus::libraries:
        break;
    }
    return batch;
  }
};

std::size_t count_values(const std::vector<Family>& families, const std::string& parameter) {
  std::size_t most = 0;
  for (const Family& family : families) {
    if (family.parameter == parameter) most = std::max(most, family.values());
  }
  return most;
}

Focus focus_of(const Findings& found, const std::vector<Timed>& all, const std::vector<Family>& families) {
  constexpr std::size_t several_dtypes = 3;
  constexpr std::size_t many_batches = 5;
  std::set<std::string> dtypes;
  for (const Timed& timed : all) dtypes.insert(timed.result->dtype);
  const auto limits =
      std::count_if(all.begin(), all.end(), [](const Timed& timed) { return is_ceiling(*timed.result); });
  if (!found.gpu.empty()) return Focus::gpu;
  if (all.empty() && !found.capacity.empty()) return Focus::capacity;
  if (!found.ceilings.empty() && 2 * limits >= std::ssize(all)) return Focus::ceilings;
  if (!found.precision.empty() && dtypes.size() >= several_dtypes) return Focus::precision;
  if (!found.batch.empty() && count_values(families, "batch") >= many_batches) return Focus::batch;
  return Focus::libraries;
}

Findings findings_of(const MachineRuns& machine, const std::vector<ProblemGroup>& groups) {
  Findings found;
  std::vector<const Problem*> problems;
  std::set<std::string> names;
  for (const ProblemGroup& group : groups) {
    for (const Problem& problem : group.problems) {
      if (problem.machine != machine.key) continue;
      problems.push_back(&problem);
      names.insert(plural_of(group.op));
    }
  }
  found.problems_name = names.size() == 1 ? *names.begin() : "problems";
  found.libraries = summarise(problems);
  const std::vector<Timed> all = timed_results(machine.runs);
  const std::vector<Family> families = families_of(all);
  found.gpu = gpu_statements(families);
  found.ceilings = ceiling_statements(all, machine.runs);
  found.precision = precision_statements(all);
  found.batch = batch_statements(families);
  found.capacity = fit_statements(machine.runs);
  found.focus = focus_of(found, all, families);
  return found;
}

void add_sentence(std::vector<Sentence>& sentences, std::string text, Tone tone = Tone::plain) {
  if (!text.empty()) sentences.push_back({.text = printable(text), .tone = tone});
}

std::string in_short(const Findings& found) {
  const auto& said = found.statements();
  if (found.focus != Focus::libraries && !said.empty()) return said.front().in_short;
  if (found.libraries.problems == 0) return said.empty() ? "" : said.front().in_short;
  const BackendSummary& leader = found.libraries.leader();
  return fmt::format("{}, {} of {}", backend_title(leader.backend), leader.fastest + leader.shares,
                     found.libraries.problems);
}

/// The answer in one or two sentences; all further sentences go to `more`.
std::vector<Sentence> answer_of(const Findings& found, std::vector<Sentence>& more) {
  constexpr std::size_t most_statements = 2;
  std::vector<Sentence> answer;
  std::vector<Sentence> libraries;
  add_sentence(libraries, leader_sentence(found.libraries, found.problems_name));
  add_sentence(libraries, average_sentence(found.libraries));
  const bool libraries_first = found.focus == Focus::libraries && !libraries.empty();
  if (libraries_first) answer = libraries;
  const auto& said = found.statements();
  for (std::size_t i = 0; i < said.size(); ++i)
    add_sentence(!libraries_first && i < most_statements ? answer : more, said[i].text);
  if (!libraries_first) more.insert(more.end(), libraries.begin(), libraries.end());
  for (const auto* others : {&found.gpu, &found.ceilings, &found.precision, &found.batch, &found.capacity}) {
    if (others == &said) continue;
    for (const Statement& statement : *others) add_sentence(more, statement.text);
  }
  add_sentence(more, gap_sentence(found.libraries));
  if (answer.empty()) answer.push_back({.text = "No problem was measured in two ways that can be compared."});
  return answer;
}

std::vector<KeyFigure> figures_of(const Findings& found) {
  constexpr std::size_t most = 3;
  std::vector<KeyFigure> figures;
  if (found.focus == Focus::libraries && found.libraries.backends.size() > 1) {
    const BackendSummary& next = found.libraries.backends[1];
    figures.push_back(
        {.value = factor_text(next.mean_ratio),
         .meaning = fmt::format("time of {} over the fastest, on average", backend_title(next.backend))});
  }
  for (const Statement& statement : found.statements()) {
    for (const KeyFigure& figure : statement.figures) {
      if (figures.size() < most) figures.push_back(figure);
    }
  }
  return figures;
}

// ---- tables

TableCell times(double ratio) {
  return {.value = ratio};
}

std::string fastest_text(const BackendSummary& one) {
  return one.shares == 0 ? fmt::format("{} of {}", one.fastest, one.problems)
                         : fmt::format("{} of {}, shares {}", one.fastest, one.problems, one.shares);
}

/// One row per backend: how often it is the fastest, and its mean time over the fastest's, by operation if
/// there are several.
Table library_table(const LibrarySummary& summary, const std::vector<ProblemGroup>& groups,
                    const std::string& machine) {
  constexpr std::size_t most_operations = 4;
  Table table{.title = "Time over the fastest's, on average",
              .columns = {{.name = "library", .essential = true},
                          {.name = "fastest in"},
                          {.name = "all", .kind = CellKind::ratio}}};
  std::vector<LibrarySummary> by_op;
  for (const ProblemGroup& group : groups) {
    std::vector<const Problem*> problems;
    for (const Problem& problem : group.problems) {
      if (problem.machine == machine) problems.push_back(&problem);
    }
    LibrarySummary of_op = summarise(problems);
    if (groups.size() < 2 || by_op.size() == most_operations || of_op.problems == 0) continue;
    by_op.push_back(std::move(of_op));
    table.columns.push_back({.name = plural_of(group.op), .kind = CellKind::ratio});
  }
  if (by_op.empty()) table.columns.push_back({.name = "largest gap", .kind = CellKind::ratio});
  for (const BackendSummary& one : summary.backends) {
    TableRow row{.cells = {{.value = backend_title(one.backend),
                            .tone = &one == &summary.leader() ? Tone::best : Tone::plain},
                           {.value = fastest_text(one)},
                           times(one.mean_ratio)}};
    for (const LibrarySummary& of_op : by_op) {
      const auto same = std::find_if(of_op.backends.begin(), of_op.backends.end(),
                                     [&](const BackendSummary& b) { return b.backend == one.backend; });
      row.cells.push_back(same == of_op.backends.end() ? TableCell{} : times(same->mean_ratio));
    }
    if (by_op.empty()) row.cells.push_back(one.largest_in.empty() ? TableCell{} : times(one.largest_ratio));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// At most `most` of the values, the first and the last among them.
std::vector<double> some_of(const std::set<double>& values, std::size_t most) {
  std::vector<double> all(values.begin(), values.end());
  if (all.size() <= most) return all;
  std::vector<double> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

/// The best rate of each family at some values of its parameter, and whose it is. Families of one operation
/// and parameter.
std::vector<Table> rate_tables(const std::vector<Family>& families) {
  constexpr std::size_t most_values = 5;
  constexpr std::size_t most_rows = 6;
  std::vector<Table> tables;
  std::map<std::pair<std::string, std::string>, std::vector<const Family*>> alike;
  for (const Family& family : families) alike[{family.op, family.parameter}].push_back(&family);
  for (const auto& [what, members] : alike) {
    std::vector<const CaseResult*> all;
    std::set<double> values;
    std::set<std::string> dtypes;
    for (const Family* family : members) {
      for (const auto& [x, timed] : family->members) {
        all.push_back(timed->result);
        values.insert(x);
        dtypes.insert(timed->result->dtype);
      }
    }
    const Unit unit = unit_of(all);
    const std::vector<double> shown = some_of(values, most_values);
    Table table{.title = fmt::format("{}, the fastest library", unit.label),
                .columns = {{.name = fmt::format("{}, by {}", unit.label, what.second), .essential = true}}};
    for (const double value : shown)
      table.columns.push_back({.name = count_text(value), .kind = CellKind::number});
    for (const Family* family : members) {
      for (const std::string& dtype : dtypes) {
        std::map<double, const CaseResult*> best;
        for (const auto& [x, timed] : family->members) {
          if (timed->result->dtype == dtype) keep_faster(best[x], *timed->result);
        }
        if (best.empty() || table.rows.size() == most_rows) continue;
        std::string name = activity_of(*best.begin()->second);
        if (!family->fixed_without_network.empty()) name += ", " + family->fixed_without_network;
        if (dtypes.size() > 1) name += ", " + printable(dtype);
        TableRow row{.cells = {{.value = name}}};
        for (const double value : shown) {
          const auto at = best.find(value);
          row.cells.push_back(at == best.end()
                                  ? TableCell{}
                                  : TableCell{.value = unit.of_run(*at->second) / at->second->seconds->median,
                                              .note = backend_title(at->second->backend)});
        }
        table.rows.push_back(std::move(row));
      }
    }
    tables.push_back(std::move(table));
  }
  return tables;
}

// ---- pictures

/// Each backend's mean time over the fastest's, as a summary of many problems.
Chart libraries_chart(const std::vector<std::pair<std::string, LibrarySummary>>& machines) {
  Chart chart{.name = "libraries",
              .title = "Time over the fastest's, on average over the problems",
              .kind = Chart::Kind::bars,
              .x = {},
              .y = {.label = "times the fastest's time", .unit = ChartUnit::ratio},
              .categories = {},
              .series = {},
              .reference = 1};
  for (const auto& [machine, summary] : machines) {
    for (const BackendSummary& one : summary.backends)
      add_point(chart, machine,
                ChartPoint{.x = category(chart, backend_title(one.backend)), .y = one.mean_ratio});
  }
  return finished(std::move(chart));
}

/// The chart that shows the answer best, taken out of `all` if it is there; empty if there is none.
std::optional<Chart> decisive_chart(std::vector<Chart>& all, const Findings& found,
                                    const std::string& machine) {
  constexpr std::size_t readable = 8;
  const auto take = [&](auto holds) -> std::optional<Chart> {
    const auto at = std::find_if(all.begin(), all.end(), holds);
    if (at == all.end()) return std::nullopt;
    Chart chart = std::move(*at);
    all.erase(at);
    return chart;
  };
  if (found.focus == Focus::gpu) {
    if (auto chart = take([](const Chart& c) { return c.name.ends_with("-speedup"); })) return chart;
  }
  if (found.focus == Focus::precision) {
    if (auto chart = take([](const Chart& c) { return c.name == "lower-precision"; })) return chart;
  }
  if (auto chart =
          take([](const Chart& c) { return c.kind == Chart::Kind::lines && !c.name.ends_with("-latency"); }))
    return chart;
  if (auto chart =
          take([](const Chart& c) { return c.kind == Chart::Kind::bars && c.categories.size() <= readable; }))
    return chart;
  if (found.libraries.backends.size() > 1) return libraries_chart({{machine, found.libraries}});
  return std::nullopt;
}

// ---- cards

std::vector<Sentence> sentences_of(const std::vector<Remark>& remarks, Tone tone) {
  std::vector<Sentence> said;
  for (const Remark& remark : remarks) {
    const std::string extent = describe_extent(remark);
    said.push_back(
        {.text = extent.empty() ? remark.text : fmt::format("{} {}", remark.text, extent), .tone = tone});
  }
  return said;
}

/// Remarks, the worst first: failures, then warnings, then unsupported cases.
std::vector<Sentence> remarks_on(const Runs& runs) {
  std::vector<Sentence> said;
  std::vector<Sentence> quiet;
  for (const Remark& remark : find_failures(runs)) {
    const bool is_quiet = remark.text.starts_with(name(Status::unsupported));
    std::vector<Sentence> one = sentences_of({remark}, is_quiet ? Tone::quiet : Tone::bad);
    (is_quiet ? quiet : said).push_back(std::move(one.front()));
  }
  for (const Result* run : runs) {
    if (!run->complete) {
      said.push_back({.text = "The run ended before everything was measured: continue it with --resume.",
                      .tone = Tone::warning});
      break;
    }
  }
  for (Sentence& one : sentences_of(find_warnings(runs), Tone::warning)) said.push_back(std::move(one));
  said.insert(said.end(), quiet.begin(), quiet.end());
  return said;
}

void add_fold(Card& card, Fold fold) {
  if (!fold.sentences.empty() || !fold.tables.empty() || !fold.charts.empty())
    card.folds.push_back(std::move(fold));
}

void add_folds(Card& card, std::vector<Sentence> more, std::vector<Chart> charts, std::vector<Table> tables,
               const Runs& runs) {
  constexpr std::size_t most_charts = 8;  // more make a page slow; all can be drawn by --chart
  if (charts.size() > most_charts) charts.resize(most_charts);
  const std::size_t drawn = charts.size();
  add_fold(card,
           {.title = "What else the results say", .sentences = std::move(more), .tables = std::move(tables)});
  add_fold(card,
           {.title = counted_text(drawn, "more picture", "more pictures"), .charts = std::move(charts)});
  std::vector<Sentence> notes = remarks_on(runs);
  const std::size_t count = notes.size();
  add_fold(card, {.title = counted_text(count, "note on these results", "notes on these results"),
                  .sentences = std::move(notes)});
}

Card one_machine_card(const std::string& question, const MachineRuns& machine) {
  const std::vector<ProblemGroup> groups = compare_backends(machine.runs);
  const Findings found = findings_of(machine, groups);
  std::vector<Sentence> more;
  Card card{
      .id = {}, .question = question, .short_answer = in_short(found), .answer = answer_of(found, more)};
  card.figures = figures_of(found);
  std::vector<Chart> all = machine_charts(machine.runs);
  card.picture = decisive_chart(all, found, machine.name);
  const std::vector<Timed> timed = timed_results(machine.runs);
  const std::vector<Family> families = families_of(timed);
  std::vector<Table> rates = rate_tables(families);
  Table libraries = library_table(found.libraries, groups, machine.key);
  std::vector<Table> folded;
  const bool rates_first = found.focus == Focus::batch && !rates.empty();
  if (rates_first) {
    card.tables.push_back(std::move(rates.front()));
    rates.erase(rates.begin());
    folded.push_back(std::move(libraries));
  } else if (!libraries.rows.empty()) {
    card.tables.push_back(std::move(libraries));
  }
  std::move(rates.begin(), rates.end(), std::back_inserter(folded));
  std::erase_if(folded, [](const Table& table) { return table.rows.empty(); });
  card.details = result_tables(groups, false);
  add_folds(card, std::move(more), std::move(all), std::move(folded), machine.runs);
  return card;
}

Card several_machines_card(const std::string& question, const std::vector<MachineRuns>& machines,
                           const Runs& runs) {
  constexpr std::size_t most_sentences = 4;
  const std::vector<ProblemGroup> groups = compare_backends(runs);
  Card card{.id = {}, .question = question};
  Table table{.title = "By machine",
              .columns = {{.name = "machine", .essential = true},
                          {.name = "answer"},
                          {.name = "fastest library"},
                          {.name = "in"},
                          {.name = "next"},
                          {.name = "takes", .kind = CellKind::ratio}}};
  std::vector<Sentence> more;
  std::vector<std::pair<std::string, LibrarySummary>> summaries;
  std::set<std::string> shorts;
  for (const MachineRuns& machine : machines) {
    const Findings found = findings_of(machine, groups);
    std::vector<Sentence> rest;
    std::vector<Sentence> answer = answer_of(found, rest);
    rest.insert(rest.begin(), answer.begin() + 1, answer.end());
    add_sentence(card.answer.size() < most_sentences ? card.answer : more,
                 fmt::format("{}: {}", machine.name, answer.front().text));
    for (const Sentence& sentence : rest)
      add_sentence(more, fmt::format("{}: {}", machine.name, sentence.text));
    const bool has_libraries = !found.libraries.backends.empty() && found.libraries.problems > 0;
    const bool has_next = has_libraries && found.libraries.backends.size() > 1;
    shorts.insert(has_libraries && found.focus == Focus::libraries
                      ? backend_title(found.libraries.leader().backend)
                      : in_short(found));
    table.rows.push_back(
        {.cells = {
             {.value = machine.name},
             {.value = found.focus == Focus::libraries ? "" : in_short(found)},
             has_libraries ? TableCell{.value = backend_title(found.libraries.leader().backend)}
                           : TableCell{},
             has_libraries ? TableCell{.value = fastest_text(found.libraries.leader())} : TableCell{},
             has_next ? TableCell{.value = backend_title(found.libraries.backends[1].backend)} : TableCell{},
             has_next ? times(found.libraries.backends[1].mean_ratio) : TableCell{}}});
    if (has_libraries) summaries.emplace_back(machine.name, found.libraries);
  }
  card.short_answer = shorts.size() == 1 ? fmt::format("{}, on all {}", *shorts.begin(), machines.size())
                                         : "differs by machine";
  std::vector<Chart> all = across_machines_charts(runs);
  if (!all.empty()) {
    card.picture = std::move(all.front());
    all.erase(all.begin());
  } else if (!summaries.empty()) {
    card.picture = libraries_chart(summaries);
  }
  card.tables.push_back(std::move(table));
  card.details = result_tables(groups, true);
  add_folds(card, std::move(more), std::move(all), {}, runs);
  return card;
}

/// Runs of one question, in the order in which questions first appear.
std::vector<std::pair<std::string, Runs>> questions_of(const Runs& runs) {
  std::vector<std::pair<std::string, Runs>> questions;
  for (const Result* run : runs) {
    std::string title = config_title(*run);
    if (title.empty()) title = "What was measured?";
    auto found =
        std::find_if(questions.begin(), questions.end(), [&](const auto& q) { return q.first == title; });
    if (found == questions.end()) found = questions.insert(found, {title, {}});
    found->second.push_back(run);
  }
  return questions;
}

std::optional<Card> no_gpu_card(const Runs& runs, bool one_config) {
  bool has_work = false;
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) {
      if (c.device != "cpu") return std::nullopt;
      has_work = has_work || (c.has_time() && !is_ceiling(c));
    }
  }
  if (!has_work) return std::nullopt;
  return Card{
      .id = {},
      .question = "Where does a GPU win?",
      .short_answer = "not measured yet",
      .answer = {{.text = one_config ? "No GPU here: on a machine with one, the same command compares it."
                                     : "Not measured yet: no GPU took part. On a machine with one, run the "
                                       "same configs, and report its files with these."}}};
}

bool has_gpu(const Threshold& threshold) {
  return std::any_of(threshold.sides.begin(), threshold.sides.end(), [](const ThresholdContender& side) {
    return std::any_of(side.backends.begin(), side.backends.end(),
                       [](const BackendRecord& b) { return b.device != "cpu"; });
  });
}

void name_cards(std::vector<Card>& cards) {
  std::set<std::string> taken;
  for (Card& card : cards) {
    const std::string name = slug_of(card.question);
    card.id = name;
    for (int number = 2; !taken.insert(card.id).second; ++number)
      card.id = fmt::format("{}-{}", name, number);
  }
}

}  // namespace

Document document_of(const Measured& measured) {
  const Runs runs = runs_of(measured.results);
  const auto questions = questions_of(runs);
  const std::vector<MachineRuns> machines = machines_of(runs);
  Document document;
  for (const auto& [question, asked] : questions) {
    const std::vector<MachineRuns> answering = machines_of(asked);
    document.cards.push_back(answering.size() == 1 ? one_machine_card(question, answering.front())
                                                   : several_machines_card(question, answering, asked));
    if (answering.size() == 1 && machines.size() > 1)
      document.cards.back().question += fmt::format(" ({})", answering.front().name);
  }
  // Between processors a break-even is a detail of which machine is the faster one; with a GPU it is the
  // question.
  std::vector<Threshold> between =
      machines.size() > 1 ? break_evens_between(measured.results) : std::vector<Threshold>();
  const auto with_gpu =
      std::stable_partition(between.begin(), between.end(), [](const Threshold& t) { return !has_gpu(t); });
  if (auto card = machines_card(machines)) {
    if (with_gpu != between.begin()) card->folds.push_back(break_even_fold({between.begin(), with_gpu}));
    document.cards.push_back(std::move(*card));
  }
  for (Card& card : threshold_cards({with_gpu, between.end()})) document.cards.push_back(std::move(card));
  for (Card& card : threshold_cards(measured.thresholds)) document.cards.push_back(std::move(card));
  if (auto card = no_gpu_card(runs, questions.size() == 1)) document.cards.push_back(std::move(*card));
  name_cards(document.cards);
  std::set<std::string> titles;
  for (const auto& [question, asked] : questions) titles.insert(question);
  for (const Threshold& threshold : measured.thresholds) titles.insert(printable(threshold.title));
  document.title = titles.size() == 1 ? *titles.begin() : "What these machines can do";
  document.about = about_text(measured);
  document.notes = remarks_on(runs);
  for (const Threshold& threshold : measured.thresholds) {
    for (Sentence& note : threshold_notes(threshold)) document.notes.push_back(std::move(note));
  }
  if (std::string absent = absent_backends_text(runs); !absent.empty())
    document.notes.push_back({.text = std::move(absent), .tone = Tone::quiet});
  document.folds = machine_folds(measured);
  return document;
}

Document document_of(const Threshold& threshold) {
  return document_of(Measured{.results = {}, .thresholds = {threshold}});
}

}  // namespace breakeven
