#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/charts/parts.h"
#include "reports/charts/result_charts.h"
#include "reports/document/builders.h"
#include "reports/document/cards.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/document/topics.h"
#include "reports/text.h"
#include "reports/words/notes.h"
#include "verdicts/break_even_from_results.h"
#include "verdicts/roofline.h"
#include "verdicts/transfers.h"

namespace breakeven {
namespace {

// ---- tables

/// A backend's mean, with what limits it.
TableCell mean_cell(const BackendSummary& one, const LibrarySummary& summary) {
  return {std::optional(one.mean_ratio), mean_limits(one, summary)};
}

/// The name of a backend that is shown as `tone`; bad, with their number, if it has wrong results.
TableCell library_cell(const LibrarySummary& summary, const std::string& backend, Tone tone = Tone::plain) {
  const std::string wrong = wrong_text(summary, backend);
  TableCell cell(backend_title(backend), wrong.empty() ? tone : Tone::bad);
  cell.note = wrong;
  return cell;
}

/// One row per backend: how often it is the fastest, and its mean time divided by the fastest's, by operation
/// if there are several.
Table library_table(const LibrarySummary& summary, const std::vector<ProblemGroup>& groups,
                    std::size_t machine) {
  constexpr std::size_t most_operations = 4;
  Table table{.title = "Time over the fastest's, on average",
              .columns = {essential("library"), {"fastest in"}, {"all", CellKind::ratio}}};
  std::vector<LibrarySummary> by_op;
  for (const ProblemGroup& group : groups) {
    LibrarySummary of_op = summarise({&group, 1}, machine);
    if (groups.size() < 2 || by_op.size() == most_operations || of_op.problems == 0) continue;
    by_op.push_back(std::move(of_op));
    table.columns.push_back({plural_of(group.op), CellKind::ratio});
  }
  if (by_op.empty()) table.columns.push_back({"largest gap", CellKind::ratio});
  for (const BackendSummary& one : summary.backends) {
    const bool leads = &one == &summary.leader();
    TableRow row{.cells = {library_cell(summary, one.backend, leads ? Tone::best : Tone::plain),
                           fastest_text(one), mean_cell(one, summary)}};
    for (const LibrarySummary& of_op : by_op) {
      const auto same = std::ranges::find(of_op.backends, one.backend, &BackendSummary::backend);
      row.cells.push_back(same == of_op.backends.end() ? TableCell() : mean_cell(*same, of_op));
    }
    if (by_op.empty())
      row.cells.push_back(one.largest_in.empty()
                              ? TableCell()
                              : TableCell(std::optional(one.largest_ratio.value),
                                          one.largest_ratio.interval ? "" : "few samples"));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// At most `most` of the values, including the first and the last.
std::vector<double> some_of(const std::set<double>& values, std::size_t most) {
  std::vector<double> all(values.begin(), values.end());
  if (all.size() <= most) return all;
  std::vector<double> some;
  for (std::size_t i = 0; i < most; ++i) some.push_back(all[i * (all.size() - 1) / (most - 1)]);
  return some;
}

/// The best rate of each family at some values of its parameter, and its backend. The families have one
/// operation and parameter, and are listed by name.
Table rate_table(const std::string& parameter, const std::vector<const Family*>& families) {
  constexpr std::size_t most_values = 5;
  constexpr std::size_t most_rows = 6;
  std::vector<const CaseResult*> all;
  std::set<double> values;
  std::set<std::string> dtypes;
  for (const Family* family : families) {
    for (const auto& [x, timed] : family->members) {
      all.push_back(timed->result);
      values.insert(x);
      dtypes.insert(timed->result->dtype);
    }
  }
  const Unit unit = unit_of(all);
  const std::vector<double> shown = some_of(values, most_values);
  Table table{.title = fmt::format("{}, the fastest library", unit.label),
              .columns = {essential(fmt::format("{}, by {}", unit.label, parameter))}};
  for (const double value : shown) table.columns.push_back({count_text(value), CellKind::number});
  for (const Family* family : families) {
    for (const std::string& dtype : dtypes) {
      const auto best = family->fastest(dtype);
      if (best.empty() || table.rows.size() == most_rows) continue;
      TableRow row{.cells = {family->work() + (dtypes.size() > 1 ? ", " + printable(dtype) : "")}};
      for (const double value : shown) {
        const auto at = best.find(value);
        row.cells.push_back(at == best.end() ? TableCell()
                                             : TableCell(std::optional(unit.of_run(*at->second) /
                                                                       at->second->seconds->median),
                                                         backend_title(at->second->backend)));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

std::vector<Table> rate_tables(const std::vector<Family>& families) {
  std::map<std::pair<std::string, std::string>, std::vector<const Family*>> alike;
  for (const Family& family : families) alike[{family.op, family.parameter}].push_back(&family);
  std::vector<Table> tables;
  for (const auto& [what, members] : alike) add_table(tables, rate_table(what.second, members));
  return tables;
}

// ---- pictures

/// The findings on each machine, by its name.
using FindingsByMachine = InOrder<std::string, Findings>;

/// The mean time of each backend divided by the fastest's, over many problems, by machine; empty if nothing
/// was compared.
std::optional<Chart> libraries_chart(const FindingsByMachine& found) {
  Chart chart = ratio_chart("libraries", "Time over the fastest's, on average over the problems",
                            Chart::Kind::bars, "times the fastest's time");
  chart.less_is_better = true;
  for (const auto& [machine, of_machine] : found) {
    for (const BackendSummary& one : of_machine.libraries.backends)
      add_point(chart, machine,
                ChartPoint{.x = category(chart, backend_title(one.backend)), .y = one.mean_ratio});
  }
  if (chart.series.empty()) return std::nullopt;
  return finished(std::move(chart));
}

/// True if one curve, or the bars of one operation, show all that was compared.
bool is_one_picture(const std::vector<ProblemGroup>& groups, const std::vector<Family>& families) {
  return groups.size() == 1 && families.size() < 2;
}

/// Removes the chart that shows the answer best from `all` and returns it; empty if there is none.
std::optional<Chart> decisive_chart(std::vector<Chart>& all, const Findings& found, bool one_shows_all,
                                    const std::string& machine) {
  std::optional<Chart> libraries = libraries_chart({{machine, found}});
  // A picture of one part may show another library ahead than the answer.
  if (found.focus == Focus::libraries && libraries && !one_shows_all) return libraries;
  const auto rank = [&](const Chart& c) {
    constexpr std::size_t readable = 8;
    if (c.is_about(found.focus)) return 0;
    if (c.kind == Chart::Kind::lines && !c.is_aside) return 1;
    return c.kind == Chart::Kind::bars && c.categories.size() <= readable ? 2 : 3;
  };
  const auto best = std::ranges::min_element(all, {}, rank);
  if (best != all.end() && rank(*best) < 3) {
    std::rotate(all.begin(), best, std::next(best));
    return take_first(all);
  }
  return libraries;
}

// ---- questions

/// A question of the configs, and the results that answer it.
struct Question {
  std::string title;
  Runs runs;
  std::vector<MachineRuns> machines;
  std::optional<Focus> asked;     // the topic
  std::optional<MixOrder> order;  // of the machines, if that is asked and there is one
};

/// The topic that the first config asks about that names one; older files have none.
std::optional<Focus> focus_of(const Runs& runs) {
  for (const Result* run : runs) {
    if (const auto focus = config_focus(*run)) return focus;
  }
  return std::nullopt;
}

/// The questions, in the order of the results. The topic `asks`, if there is one, replaces those of the
/// configs.
std::vector<Question> questions_of(const Runs& runs, std::optional<Focus> asks) {
  InOrder<std::string, Runs> by_title;
  for (const Result* run : runs) {
    const std::string title = config_title(*run);
    at_key(by_title, title.empty() ? "What was measured?" : title).push_back(run);
  }
  std::vector<Question> questions;
  questions.reserve(by_title.size());
  for (const auto& [title, of_title] : by_title) {
    const std::optional<Focus> asked = asks ? asks : focus_of(of_title);
    questions.push_back({.title = title,
                         .runs = of_title,
                         .machines = machines_of(of_title),
                         .asked = asked,
                         .order = asked == Focus::machines ? mix_order(of_title) : std::nullopt});
  }
  return questions;
}

// ---- parts of cards

/// "wrong results: oneDNN and BLIS; impossibly short times: BLIS; ", before the short answer of a card.
std::string wrong_in_short(const std::vector<std::string>& wrong,
                           const std::vector<std::string>& implausible) {
  return (wrong.empty() ? "" : fmt::format("wrong results: {}; ", joined_text(wrong))) +
         (implausible.empty() ? "" : fmt::format("impossibly short times: {}; ", joined_text(implausible)));
}

void add_pictures(Card& card, std::vector<Chart> charts) {
  constexpr std::size_t most = 8;  // more would make the page slow; --chart draws all of them
  if (charts.size() > most) charts.resize(most);
  add_fold(card.folds, more_pictures(std::move(charts)));
}

std::vector<Sentence> joined(std::vector<Sentence> first, const std::vector<Sentence>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Makes the order of the machines the answer. The findings on libraries follow.
void begin_with_order(Findings& found, const Card& order) {
  found.rest = joined(joined(found.answer, found.more_answers), found.rest);
  found.answer = order.answer;
  found.more_answers.clear();
  found.in_short = order.short_answer;
  found.figures = order.figures;
}

/// The same for a card of several machines, whose answers so far become `more`. Without an order, the card
/// begins with that.
void begin_with_order(Card& card, std::vector<Sentence>& more, const std::optional<MixOrder>& order) {
  if (!order) {
    card.answer.insert(card.answer.begin(), not_answered(Focus::machines));
    card.short_answer = "not answered";
    return;
  }
  more.insert(more.begin(), card.answer.begin(), card.answer.end());
  card.answer = order->card.answer;
  card.more_answers.clear();
  card.short_answer = order->card.short_answer;
}

/// Shows the order of the machines first, and then the other table.
void show_order(Card& card, const Card& order) {
  card.tables.insert(card.tables.begin(), order.tables.begin(), order.tables.end());
  if (order.picture) card.picture = order.picture;
  card.folds.insert(card.folds.end(), order.folds.begin(), order.folds.end());
}

// ---- a question that one machine answers

Card one_machine_card(const Question& question, Pictures pictures) {
  const MachineRuns& machine = question.machines.front();
  const std::optional<MixOrder>& order = question.order;
  const Measurements measured(machine.runs);
  const std::vector<ProblemGroup> groups = compare_backends(measured, question.asked);
  Findings found = findings_of(0, measured, groups, order ? std::nullopt : question.asked);
  if (order) begin_with_order(found, order->card);
  Card card{.short_answer = wrong_in_short(found.wrong, found.implausible) + found.in_short,
            .answer = joined(found.troubles, found.answer),
            .more_answers = found.more_answers,
            .figures = found.figures};
  std::vector<Chart> charts;
  if (pictures == Pictures::shown) {
    charts = machine_charts(measured);
    card.picture = decisive_chart(charts, found, is_one_picture(groups, measured.families), machine.name);
  }
  // The table that shows the answer is on the card; the others are folded.
  Fold more{.title = "What else the results say", .sentences = joined(found.more_answers, found.rest)};
  more.tables = rate_tables(measured.families);
  const bool rates_first = found.focus == Focus::batch && !more.tables.empty();
  Table libraries = library_table(found.libraries, groups, 0);
  if (rates_first) std::swap(libraries, more.tables.front());
  add_table(card.tables, std::move(libraries));
  std::erase_if(more.tables, [](const Table& table) { return table.rows.empty(); });
  card.details = result_tables(groups, false);
  if (order) show_order(card, order->card);
  add_fold(card.folds, std::move(more));
  add_pictures(card, std::move(charts));
  return card;
}

// ---- a question that several machines answer

FindingsByMachine findings_by_machine(const Question& question, const std::vector<ProblemGroup>& groups) {
  // The order of the machines is not for each of them to say.
  const std::optional<Focus> asked = question.asked == Focus::machines ? std::nullopt : question.asked;
  FindingsByMachine found;
  found.reserve(question.machines.size());
  for (std::size_t m = 0; m < question.machines.size(); ++m) {
    const MachineRuns& machine = question.machines[m];
    found.emplace_back(machine.name, findings_of(m, Measurements(machine.runs), groups, asked));
  }
  return found;
}

/// A row for each machine.
Table by_machine_table(const FindingsByMachine& found) {
  Table table{.title = "By machine",
              .columns = {essential("machine"),
                          {"answer"},
                          {"fastest library"},
                          {"in"},
                          {"next"},
                          {"takes", CellKind::ratio}}};
  for (const auto& [machine, of_machine] : found) {
    const LibrarySummary& libraries = of_machine.libraries;
    std::vector<TableCell> cells{machine,
                                 text_cell(of_machine.focus == Focus::libraries ? "" : of_machine.in_short)};
    if (libraries.problems > 0) {
      const BackendSummary& leader = libraries.leader();
      const BackendSummary& next = libraries.backends[1];
      cells.insert(cells.end(), {library_cell(libraries, leader.backend), fastest_text(leader),
                                 library_cell(libraries, next.backend), mean_cell(next, libraries)});
    }
    cells.resize(table.columns.size());
    table.rows.push_back({.cells = std::move(cells)});
  }
  return table;
}

/// "oneDNN, on both": the short answer, if the machines agree.
std::string short_answer_of(const FindingsByMachine& found) {
  std::set<std::string> answers;
  for (const auto& [machine, of_machine] : found) {
    const bool is_library = of_machine.focus == Focus::libraries && of_machine.libraries.problems > 0;
    answers.insert(is_library ? backend_title(of_machine.libraries.leader().backend) : of_machine.in_short);
  }
  return answers.size() == 1 ? fmt::format("{}, on {}", *answers.begin(), every_text(found.size()))
                             : "differs by machine";
}

/// The wrong results of all machines, before the short answer.
std::string wrong_in_short(const FindingsByMachine& found) {
  std::set<std::string> wrong;
  std::set<std::string> implausible;
  for (const auto& [machine, of_machine] : found) {
    wrong.insert(of_machine.wrong.begin(), of_machine.wrong.end());
    implausible.insert(of_machine.implausible.begin(), of_machine.implausible.end());
  }
  return wrong_in_short({wrong.begin(), wrong.end()}, {implausible.begin(), implausible.end()});
}

std::vector<Sentence> troubles_by_machine(const FindingsByMachine& found) {
  std::vector<Sentence> troubles;
  for (const auto& [machine, of_machine] : found) {
    for (const Sentence& trouble : of_machine.troubles)
      add_sentence(troubles, fmt::format("{}: {}", machine, trouble.text), trouble.tone);
  }
  return troubles;
}

/// Adds the first sentence of each machine to the card, as long as they are few, and all others to `more`.
void add_answers(Card& card, std::vector<Sentence>& more, const FindingsByMachine& found) {
  constexpr std::size_t most_sentences = 4;
  for (const auto& [machine, of_machine] : found) {
    const std::vector<Sentence> answers = joined(of_machine.answer, of_machine.more_answers);
    const std::size_t answering = of_machine.focus == Focus::libraries ? 1 : answers.size();
    const std::vector<Sentence> sentences = joined(answers, of_machine.rest);
    for (std::size_t i = 0; i < sentences.size(); ++i) {
      const std::string said = fmt::format("{}: {}", machine, sentences[i].text);
      const bool is_shown = i == 0 && card.answer.size() < most_sentences;
      add_sentence(is_shown ? card.answer : more, said);
      if (!is_shown && i < answering) add_sentence(card.more_answers, said);
    }
  }
}

Card several_machines_card(const Question& question, Pictures pictures) {
  const Measurements measured(question.runs);
  const std::vector<ProblemGroup> groups = compare_backends(measured, question.asked);
  const FindingsByMachine found = findings_by_machine(question, groups);
  Card card{.short_answer = short_answer_of(found)};
  Fold more{.title = "What else the results say"};
  add_answers(card, more.sentences, found);
  if (question.asked == Focus::machines) begin_with_order(card, more.sentences, question.order);
  // Bad news comes before good, whichever machine it is from.
  const std::vector<Sentence> troubles = troubles_by_machine(found);
  card.answer.insert(card.answer.begin(), troubles.begin(), troubles.end());
  card.short_answer.insert(0, wrong_in_short(found));
  std::vector<Chart> charts;
  if (pictures == Pictures::shown) {
    charts = across_machines_charts(measured);
    card.picture = take_first(charts);
    if (!card.picture) card.picture = libraries_chart(found);
  }
  card.tables.push_back(by_machine_table(found));
  card.details = result_tables(groups, true);
  if (question.order) show_order(card, question.order->card);
  add_fold(card.folds, std::move(more));
  add_pictures(card, std::move(charts));
  return card;
}

// ---- the other cards

std::optional<Card> no_gpu_card(const Runs& runs, bool one_config) {
  bool has_work = false;
  std::set<std::string> backends;  // a run of a single one was asked for it alone
  for (const Result* run : runs) {
    for (const BackendRecord& backend : run->backends) backends.insert(backend.name);
    for (const CaseResult& c : run->cases) {
      if (c.device != "cpu") return std::nullopt;
      backends.insert(c.backend);
      has_work = has_work || (c.has_time() && !is_ceiling(c));
    }
  }
  if (!has_work || (runs.size() == 1 && backends.size() == 1)) return std::nullopt;
  return Card{
      .question = "Where does a GPU win?",
      .short_answer = "not measured yet",
      .answer = {{.text = one_config
                              ? "No GPU took part. To compare one, run this config on a machine with a GPU, "
                                "without --backends."
                              : "Not measured yet: no GPU took part. On a machine with one, run the "
                                "same configs, and report its files with these."}}};
}

bool has_gpu(const Threshold& threshold) {
  return std::ranges::any_of(threshold.sides, [](const ThresholdContender& side) {
    return std::ranges::any_of(side.backends, [](const BackendRecord& b) { return b.device != "cpu"; });
  });
}

/// The break-evens between machines. With a GPU, they are a question. Between processors, they are a detail
/// in the comparison of machines.
struct BreakEvens {
  std::vector<Threshold> with_gpu, of_processors;
};

BreakEvens break_evens_of(const std::vector<Result>& results) {
  BreakEvens found;
  for (Threshold& one : break_evens_between(results))
    (has_gpu(one) ? found.with_gpu : found.of_processors).push_back(std::move(one));
  return found;
}

/// The results with which machines are compared: in these, processors have what GPUs measured with transfers.
std::vector<Result> comparable(const std::vector<Result>& results) {
  std::vector<Result> all = results;
  add_cases_of_processors(all, ids_on_gpus(results));
  return all;
}

/// True if inference on a GPU, which had its inputs already, is among the results with the same on a
/// processor.
bool compares_inputs_on_gpu(const Runs& runs) {
  std::set<std::string> on_processors;
  std::set<std::string> on_gpus;
  for (const Result* run : runs) {
    for (const CaseResult& c : run->cases) {
      if (c.has_time() && c.device == "cpu") on_processors.insert(c.id);
      if (c.has_time() && has_inputs_on_gpu(c)) on_gpus.insert(c.id);
    }
  }
  return std::ranges::any_of(on_gpus, [&](const std::string& id) { return on_processors.contains(id); });
}

/// Gives each card an id of its own, which the page does not use for its parts.
void give_ids(std::vector<Card>& cards) {
  UniqueNames names("{}-{}");
  for (const char* of_page : {"cards", "data", "notes", "notes-heading", "conditions", "conditions-heading"})
    names.take(of_page);
  for (Card& card : cards) {
    const std::string slug = slug_of(card.question);
    card.id = names.take(slug.empty() ? "question" : slug).text;
  }
}

/// The only question of the report, if it has one.
std::string title_of_report(const std::vector<Question>& questions,
                            const std::vector<Threshold>& thresholds) {
  std::set<std::string> titles;
  for (const Question& question : questions) titles.insert(question.title);
  for (const Threshold& threshold : thresholds) titles.insert(printable(threshold.title));
  return titles.size() == 1 ? *titles.begin() : "What these machines can do";
}

/// True if the answer to each question is the order of all machines, so that no other card needs to compare
/// them.
bool are_all_ordered(const std::vector<Question>& questions) {
  return !questions.empty() && std::ranges::all_of(questions, [](const Question& question) {
    return question.order && question.order->compares;
  });
}

}  // namespace

Document document_of(const Measured& measured, Pictures pictures) {
  const Runs runs = runs_of(measured.results);
  const std::vector<MachineRuns> machines = machines_of(runs);
  const std::vector<Question> questions = questions_of(runs, measured.asks);
  Document document{.title = title_of_report(questions, measured.thresholds),
                    .about = about_text(measured),
                    .notes = remarks_on(runs),
                    .folds = machine_folds(measured)};
  for (const Question& question : questions) {
    const bool is_of_one = question.machines.size() == 1;
    Card card = is_of_one ? one_machine_card(question, pictures) : several_machines_card(question, pictures);
    card.question = question.title;
    if (is_of_one && machines.size() > 1)
      card.question += fmt::format(" ({})", question.machines.front().name);
    Fold notes{.sentences = questions.size() == 1 ? document.notes : remarks_on(question.runs)};
    notes.title = counted_text(notes.sentences.size(), "note on these results", "notes on these results");
    add_fold(card.folds, std::move(notes));
    document.cards.push_back(std::move(card));
  }
  const std::vector<Result> compared =
      machines.size() > 1 ? comparable(measured.results) : std::vector<Result>();
  const BreakEvens between = machines.size() > 1 ? break_evens_of(compared) : BreakEvens{};
  if (auto card = are_all_ordered(questions) ? std::nullopt : machines_card(runs_of(compared)))
    document.cards.push_back(std::move(*card));
  if (!between.of_processors.empty() && !document.cards.empty())
    document.cards.back().folds.push_back(break_even_fold(between.of_processors));
  for (Card& card : threshold_cards(between.with_gpu)) document.cards.push_back(std::move(card));
  for (Card& card : threshold_cards(measured.thresholds)) document.cards.push_back(std::move(card));
  if (auto card = no_gpu_card(runs, questions.size() == 1)) document.cards.push_back(std::move(*card));
  for (const Threshold& threshold : measured.thresholds) {
    if (threshold.p99) document.cards.push_back(latency_card(*threshold.p99));
  }
  if (const auto limit = measured.p99 ? batches_within(*measured.p99, measured.results) : std::nullopt)
    document.cards.push_back(latency_card(*limit));
  give_ids(document.cards);
  if (compares_inputs_on_gpu(runs))
    document.notes.insert(document.notes.begin(),
                          {note_text({.kind = NoteKind::inputs_on_gpu}), Tone::warning});
  for (Sentence& note : derived_notes(between.with_gpu)) document.notes.push_back(std::move(note));
  for (const Threshold& threshold : measured.thresholds) {
    for (Sentence& note : threshold_notes(threshold)) document.notes.push_back(std::move(note));
  }
  add_sentence(document.notes, own_convolutions_text(runs), Tone::quiet);
  add_sentence(document.notes, absent_backends_text(runs), Tone::quiet);
  return document;
}

Document document_of(const Threshold& threshold) {
  return document_of(Measured{.results = {}, .thresholds = {threshold}});
}

}  // namespace breakeven
