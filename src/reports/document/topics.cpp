#include "reports/document/topics.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include "reports/document/frameworks.h"
#include "reports/document/ladders.h"
#include "reports/document/names.h"
#include "reports/document/numbers.h"
#include "reports/text.h"
#include "results/backend_spelling.h"
#include "verdicts/roofline.h"
#include "workloads/bandwidth.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace breakeven {
namespace {

bool is_on_cpu(const std::string& device) {
  return device == "cpu";
}

// ---- frameworks

Statement cost_statement(const std::string& device, const std::vector<FrameworkProblem>& problems) {
  constexpr std::size_t most_in_short = 3;
  Statement said;
  std::vector<std::string> parts;
  std::vector<std::string> in_short;
  for (const FrameworkCost& cost : framework_costs(problems)) {
    const std::string framework = backend_title(cost.backend);
    const std::string factor = factor_text(cost.mean.value, cost.is_rough);
    const std::string over = cost.problems == problems.size()
                                 ? ""
                                 : fmt::format(" (over {} of {})", cost.problems, problems.size());
    parts.push_back(fmt::format("{}{} {}{}", framework, parts.empty() ? " takes" : "", factor, over));
    if (in_short.size() < most_in_short) in_short.push_back(fmt::format("{} {}", framework, factor));
    said.figures.push_back(
        {.value = factor, .meaning = fmt::format("time of {} over the fastest library's", framework)});
  }
  said.text = fmt::format("{} {} as long as the fastest library without a framework.",
                          is_on_cpu(device) ? "On average" : "On the GPU, on average", joined_text(parts));
  said.in_short = fmt::format("{}", fmt::join(in_short, ", "));
  return said;
}

/// "PyTorch" for pytorch-cuda and pytorch-cuda-compiled, which are variants of one framework.
std::string framework_title(const std::string& backend) {
  return backend_title(std::string_view(backend).substr(0, backend.find('-')));
}

std::string joined_by_or(const std::set<std::string>& names) {
  return fmt::format("{}", fmt::join(names, " or "));
}

Statement duel_statement(const std::vector<FrameworkProblem>& problems) {
  std::set<std::string> libraries;
  std::set<std::string> frameworks;
  std::size_t faster = 0;
  std::size_t slower = 0;
  for (const FrameworkProblem& problem : problems) {
    const CaseResult& framework = problem.fastest_framework();
    libraries.insert(backend_title(problem.library->backend));
    for (const auto& [backend, result] : problem.frameworks) frameworks.insert(framework_title(backend));
    const Estimate behind = ratio(framework.seconds->estimate(), problem.library->seconds->estimate());
    if (!may_be_equal(behind)) ++(behind.value > 1 ? faster : slower);
  }
  const std::size_t equal = problems.size() - faster - slower;
  std::string text = fmt::format("On the GPU, {} is faster than the fastest variant of {} for {} of {}",
                                 joined_by_or(libraries), joined_by_or(frameworks), faster,
                                 counted_text(problems.size(), "problem", "problems"));
  if (slower > 0) text += fmt::format(" and slower for {}", slower);
  if (equal > 0) text += fmt::format("; for {} they are not distinguishable", equal);
  return {.text = text + ".",
          .in_short = fmt::format("faster for {} of {}, slower for {}", faster, problems.size(), slower),
          .figures = {{.value = fmt::format("{} of {}", faster, problems.size()),
                       .meaning = fmt::format("problems for which {} is faster than {}",
                                              joined_by_or(libraries), joined_by_or(frameworks))}}};
}

// ---- networks

/// "17.4 µs at batch 1 (oneDNN: 99 % within 25.1 µs, 57,500 images/s)".
std::string latency_text(double batch, const CaseResult& c) {
  return fmt::format("{} at batch {} ({}: 99 % within {}, {} images/s)", format_seconds(c.latency->p50),
                     count_text(batch), backend_title(c.backend), format_seconds(c.latency->p99),
                     number_text(static_cast<double>(c.samples) / c.seconds->median));
}

bool has_usable_latency(const Timed& timed) {
  return timed.result->latency && timed.result->samples > 0;
}

/// "the MLP".
std::string network_of(const CaseResult& c) {
  const std::string network = parameter_text(c, "network");
  return network.empty() ? "a network" : printable(network_display_name(network));
}

bool is_training(const Timed& timed) {
  return timed.result->op == "train" && timed.result->samples > 0;
}

/// The batch of most training results; the smallest of several. 0 without any.
std::int64_t usual_batch(const std::vector<Timed>& all) {
  std::map<std::int64_t, std::size_t> counts;
  for (const Timed& timed : all) {
    if (is_training(timed)) ++counts[timed.result->samples];
  }
  const auto most = std::ranges::max_element(counts, {}, [](const auto& of) { return of.second; });
  return most == counts.end() ? 0 : most->first;
}

/// The fastest result of the first problem of each network with this batch.
InOrder<std::string, const CaseResult*> first_steps(const std::vector<Timed>& all, std::int64_t batch) {
  InOrder<std::string, const CaseResult*> fastest;
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    if (!is_training(timed) || c.samples != batch) continue;
    const CaseResult*& known = at_key(fastest, network_of(c));
    if (known == nullptr || known->id == c.id) keep_faster(known, c);
  }
  return fastest;
}

/// The fastest result up to a target accuracy, of each problem with one; a result without seconds if no
/// backend has reached it.
std::map<std::string, const CaseResult*> fastest_to_target(const std::vector<Timed>& all) {
  std::map<std::string, const CaseResult*> fastest;  // by id
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    const Value* target = c.parameters.find("target_accuracy");
    const double* accuracy = target == nullptr ? nullptr : std::get_if<double>(target);
    if (!is_training(timed) || !c.training || accuracy == nullptr || !(*accuracy > 0)) continue;
    const CaseResult*& known = fastest[c.id];
    const auto& seconds = c.training->seconds_to_accuracy;
    if (known == nullptr ||
        (seconds && seconds < known->training->seconds_to_accuracy.value_or(*seconds + 1)))
      known = &c;
  }
  return fastest;
}

Statement target_statement(const CaseResult& c) {
  const std::string accuracy = percent_text(c.parameters.number("target_accuracy"));
  const auto& seconds = c.training->seconds_to_accuracy;
  if (!seconds)
    return {.text = fmt::format("No backend reached {} accuracy: {}.", accuracy, problem_title(c)),
            .in_short = fmt::format("{} not reached", accuracy)};
  const std::string time = format_seconds(*seconds);
  return {
      .text = fmt::format("{} reaches {} accuracy after {} of training steps with {}, batch {}.",
                          capitalised(network_of(c)), accuracy, time, backend_title(c.backend),
                          count_text(c.samples)),
      .in_short = fmt::format("{} to {}", time, accuracy),
      .figures = {{.value = time, .meaning = fmt::format("to {} accuracy: {}", accuracy, network_of(c))}}};
}

// ---- copies between the host's memory and a device's

/// The copies in one direction, from or to one kind of the host's memory.
struct Link {
  const CaseResult* fastest = nullptr;   // by bandwidth
  const CaseResult* smallest = nullptr;  // the fastest of the fewest bytes

  void add(const CaseResult& c) {
    const auto rate = [](const CaseResult& of) { return of.bytes / of.seconds->median; };
    if (fastest == nullptr || rate(c) > rate(*fastest)) fastest = &c;
    if (smallest == nullptr || c.bytes < smallest->bytes)
      smallest = &c;
    else if (c.bytes == smallest->bytes)
      keep_faster(smallest, c);
  }
};

Statement link_statement(const std::string& direction, const InOrder<std::string, Link>& by_memory) {
  const bool is_to_device = direction == "to_device";
  const CaseResult* smallest = nullptr;
  std::string best;  // the rate of the first memory
  std::vector<std::string> rates;
  for (const auto& [memory, link] : by_memory) {
    const double gigabytes = link.fastest->bytes / link.fastest->seconds->median * 1e-9;
    const std::string rate = number_text(gigabytes) + " GB/s";
    if (best.empty()) best = rate;
    rates.push_back(fmt::format("{} {} {} memory", rate, is_to_device ? "from" : "to", printable(memory)));
    if (smallest == nullptr || link.smallest->bytes < smallest->bytes)
      smallest = link.smallest;
    else if (link.smallest->bytes == smallest->bytes)
      keep_faster(smallest, *link.smallest);
  }
  const char* place = is_to_device ? "to the GPU" : "from the GPU";
  return {.text = fmt::format("Bytes get {} at up to {}; {} takes {}.", place, joined_text(rates),
                              bytes_text(smallest->parameters.integer("bytes")),
                              format_seconds(smallest->seconds->median)),
          .in_short = fmt::format("{} {}", best, place),
          .figures = {{.value = best,
                       .meaning = fmt::format("{}, {} memory", place, printable(by_memory.front().first))}}};
}

/// "On average PyTorch takes 1.6x and JAX 3.7x (over 8 of 16) as long as the fastest library without a
/// framework."
std::vector<Statement> framework_statements(const std::vector<Timed>& all) {
  std::vector<Statement> said;
  for (const auto& [device, problems] : framework_problems(all))
    said.push_back(cost_statement(device, problems));
  return said;
}

/// "On the GPU, CUDA is faster than the fastest variant of PyTorch for 15 of 41 problems; for 26 they are not
/// distinguishable." and the mean time of each framework.
std::vector<Statement> gpu_library_statements(const std::vector<Timed>& all) {
  std::vector<Statement> said;
  for (const auto& [device, problems] : framework_problems(all)) {
    if (is_on_cpu(device)) continue;
    said.push_back(duel_statement(problems));
    said.push_back(cost_statement(device, problems));
    said.back().in_short = said.front().in_short;  // both answer one question
  }
  return said;
}

/// "With operands read from memory, matrix products take 1.5x as long as with the same operands in each run
/// (10 problems: 1.00x to 3.4x)."
std::vector<Statement> operand_statements(const std::vector<Timed>& all) {
  std::vector<Statement> said;
  for (const OverValue& one : over_value(all, "operands", "reused")) {
    if (one.value != "rotating") continue;
    const std::string factor = factor_text(1 / one.mean);
    const std::string work = plural_of(one.op) + (is_on_cpu(one.device) ? "" : " on the GPU");
    const std::string most = one.problems == 1 ? "" : fmt::format(" The most is for {}.", one.least_in);
    said.push_back(
        {.text =
             fmt::format("With operands read from memory, {} take {} as long as with the same operands in "
                         "each run{}.{}",
                         work, factor, range_text(one.problems, 1 / one.most, 1 / one.least), most),
         .in_short = fmt::format("{} {}", work, factor),
         .figures = {{.value = factor, .meaning = fmt::format("time with operands from memory: {}", work)}}});
  }
  return said;
}

/// "As one CUDA graph, training steps of CUDA run 1.8x as fast as call by call (24 problems: 1.00x to 5.3x)."
std::vector<Statement> graph_statements(const std::vector<Timed>& all) {
  InOrder<std::string, std::vector<Timed>> by_backend;
  for (const Timed& timed : all) {
    if (timed.is_gpu()) at_key(by_backend, timed.backend).push_back(timed);
  }
  std::vector<Statement> said;
  for (const auto& [backend, results] : by_backend) {
    for (const OverValue& one : over_value(results, "graph", "false")) {
      const std::string factor = factor_text(one.mean);
      const std::string work = fmt::format("{} of {}", plural_of(one.op), backend);
      said.push_back({.text = fmt::format("As one CUDA graph, {} run {} as fast as call by call{}.", work,
                                          factor, range_text(one.problems, one.least, one.most)),
                      .in_short = fmt::format("{} {}", plural_of(one.op), factor),
                      .figures = {{.value = factor, .meaning = fmt::format("as one CUDA graph: {}", work)}}});
    }
  }
  return said;
}

/// "Training the CNN: 1,200 images per second in f32 with CUDA. Each step over the one before: bf16 1.4x,
/// bf16 + tuned 1.1x. All steps: 1.5x."
std::vector<Statement> step_statements(const std::vector<Timed>& all) {
  std::vector<Statement> said;
  for (const Ladder& ladder : ladders_of(all)) {
    for (const auto& [backend, rungs] : ladder.backends) {
      if (rungs.size() < 2) continue;
      const auto gain = [](const Rung& to, const Rung& from) {
        return factor_text(to.rate.value / from.rate.value);
      };
      std::vector<std::string> gains;
      for (std::size_t i = 1; i < rungs.size(); ++i)
        gains.push_back(fmt::format("{} {}", ladder.steps[rungs[i].step], gain(rungs[i], rungs[i - 1])));
      const Rung& first = rungs.front();
      const std::string in_all = gain(rungs.back(), first);
      said.push_back({.text = fmt::format("{}: {} {} in {} with {}. Each step over the one before: {}. All "
                                          "steps: {}.",
                                          ladder.work, number_text(first.rate.value), ladder.unit,
                                          ladder.steps[first.step], backend, fmt::join(gains, ", "), in_all),
                      .in_short = in_all,
                      .figures = {{.value = in_all, .meaning = fmt::format("all steps: {}", ladder.work)}}});
    }
  }
  return said;
}

/// The result with the least median latency at each value.
std::map<double, const CaseResult*> least_latencies(const Family& family, const std::string& dtype) {
  std::map<double, const CaseResult*> best;
  for (const auto& [value, timed] : family.members) {
    if (timed->result->dtype != dtype || !has_usable_latency(*timed)) continue;
    const CaseResult*& known = best[value];
    if (known == nullptr || timed->result->latency->p50 < known->latency->p50) known = timed->result;
  }
  return best;
}

/// "Inference by the MLP: median latency 17.4 µs at batch 1 (oneDNN: 99 % within 25.1 µs, 57,500 images/s),
/// ..."
std::vector<Statement> latency_statements(const std::vector<Family>& families) {
  std::vector<Statement> said;
  for (const Family& family : families) {
    if (family.parameter != "batch") continue;
    for (const auto& [dtype, work] : family.works()) {
      const auto best = least_latencies(family, dtype);
      if (best.size() < 2) continue;
      const auto& [least, first] = *best.begin();
      const auto& [most, last] = *best.rbegin();
      const std::string latency = format_seconds(first->latency->p50);
      said.push_back(
          {.text = fmt::format("{}: median latency {}, {}.", work, latency_text(least, *first),
                               latency_text(most, *last)),
           .in_short = fmt::format("{} at batch {}", latency, count_text(least)),
           .figures = {{.value = latency,
                        .meaning = fmt::format("median latency at batch {}: {}", count_text(least), work)}}});
    }
  }
  return said;
}

/// "A training step of batch 128 takes 1.20 ms for the MLP and 28.9 ms for the CNN, each with its fastest
/// backend." and "The CNN reaches 90 % accuracy after 95.0 s with oneDNN."
std::vector<Statement> training_statements(const std::vector<Timed>& all) {
  std::vector<Statement> said;
  const std::int64_t batch = usual_batch(all);
  std::vector<std::string> steps;
  std::vector<std::string> in_short;
  for (const auto& [network, fastest] : first_steps(all, batch)) {
    const std::string time = format_seconds(fastest->seconds->median);
    steps.push_back(fmt::format("{} for {} ({})", time, network, backend_title(fastest->backend)));
    if (in_short.empty()) in_short.push_back(time + " a step");
  }
  if (!steps.empty())
    said.push_back(
        {.text = fmt::format("A training step of batch {} takes {}, each with its fastest backend.",
                             count_text(batch), joined_text(steps)),
         .in_short = {}});
  for (const auto& [id, c] : fastest_to_target(all)) {
    said.push_back(target_statement(*c));
    in_short.push_back(said.back().in_short);
  }
  // The statements answer one question together.
  for (Statement& one : said) one.in_short = fmt::format("{}", fmt::join(in_short, ", "));
  return said;
}

/// "Bytes get to the GPU at up to 52.1 GB/s from pinned memory and 12.0 GB/s from pageable memory; 4 KiB
/// takes 8.10 µs."
std::vector<Statement> transfer_statements(const std::vector<Timed>& all) {
  std::map<std::string, InOrder<std::string, Link>> by_direction;  // by the kind of the host's memory
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    const Value* bytes = c.parameters.find("bytes");
    const bool has_bytes = bytes != nullptr && std::holds_alternative<std::int64_t>(*bytes);
    if (c.op == "copy" && timed.is_gpu() && has_bytes && c.bytes > 0)
      at_key(by_direction[parameter_text(c, "direction")], parameter_text(c, "memory")).add(c);
  }
  std::vector<Statement> said;
  for (const char* direction : {"to_device", "from_device"}) {
    const auto found = by_direction.find(direction);
    if (found != by_direction.end()) said.push_back(link_statement(direction, found->second));
  }
  return said;
}

/// "Matrix products on the GPU reach up to 51.0 TFLOP/s in f32 and 650 in bf16."
std::vector<Statement> rate_statements(const std::vector<Timed>& all) {
  InOrder<std::pair<std::string, std::string>, std::map<std::string, double>> gflops;  // by dtype
  for (const Timed& timed : all) {
    const CaseResult& c = *timed.result;
    const Value* fast = c.parameters.find("fast_accumulation");
    const bool is_less_exact = fast != nullptr && *fast == Value(true);
    if (!c.gflops() || c.samples > 0 || is_less_exact) continue;
    double& best = at_key(gflops, std::pair(c.op, c.device))[c.dtype];
    best = std::max(best, *c.gflops());
  }
  std::vector<Statement> said;
  for (const auto& [of, rates] : gflops) {
    const std::vector<std::string> texts = peak_texts(rates);
    const std::string work = plural_of(of.first) + (is_on_cpu(of.second) ? "" : " on the GPU");
    said.push_back({.text = fmt::format("{} reach up to {}.", capitalised(work), joined_text(texts)),
                    .in_short = texts.front()});
  }
  return said;
}

// ---- the topics that most results may be about

bool always(const Measurements& /*measured*/) {
  return true;
}

/// True if at least half of the results are of this kind.
bool are_mostly(const std::vector<Timed>& all, bool (*is_of_kind)(const CaseResult&)) {
  return 2 * std::ranges::count_if(all, [&](const Timed& timed) { return is_of_kind(*timed.result); }) >=
         std::ssize(all);
}

bool is_exchange(const CaseResult& c) {
  const Workload* workload = find_workload(c.op);
  return workload != nullptr && workload->is_collective();
}

bool has_several_dtypes(const Measurements& measured) {
  constexpr std::size_t several = 3;
  std::set<std::string> dtypes;
  for (const Timed& timed : measured.timed) dtypes.insert(timed.result->dtype);
  return dtypes.size() >= several;
}

bool has_many_batches(const Family& family) {
  constexpr std::size_t many = 5;
  std::set<double> values;
  for (const auto& [value, timed] : family.members) values.insert(value);
  return family.parameter == "batch" && values.size() >= many;
}

// ---- all topics

/// The facts about one topic that reports need.
struct TopicFacts {
  Focus focus;
  std::string_view missing;  // the measurements that an answer lacks where there is none
  std::vector<Statement> (*statements)(const Measurements&) = nullptr;  // null: not answered by statements
  /// True if most results are about it. Null for a topic that only configs ask about.
  bool (*is_main)(const Measurements&) = nullptr;
};

/// One row per topic, in the order of the enumeration. The first main topic with an answer leads a report
/// whose config asks about none.
constexpr std::array<TopicFacts, names_of(Focus{}).size()> topic_table{{
    {Focus::gpu, "no problem was measured both on a GPU and on a CPU",
     [](const Measurements& m) { return gpu_statements(m.families); }, always},
    {Focus::scaling, "no training was measured both on one rank and on several",
     [](const Measurements& m) { return scaling_statements(m.runs); }, always},
    {Focus::exchange, "no exchange of data between ranks was measured",
     [](const Measurements& m) { return exchange_statements(m.timed); },
     [](const Measurements& m) { return are_mostly(m.timed, is_exchange); }},
    {Focus::transfers, "no copy to or from a GPU was measured",
     [](const Measurements& m) { return transfer_statements(m.timed); }},
    {Focus::ceilings, "no peak, bandwidth or launch was measured",
     [](const Measurements& m) { return ceiling_statements(m); },
     [](const Measurements& m) { return are_mostly(m.timed, is_ceiling); }},
    {Focus::rates, "no rate of operations was measured",
     [](const Measurements& m) { return rate_statements(m.timed); }},
    {Focus::precision, "no problem was measured both in f32 and in another dtype",
     [](const Measurements& m) { return precision_statements(m.timed); }, has_several_dtypes},
    {Focus::batch, "no network was measured at three batches or more",
     [](const Measurements& m) { return batch_statements(m.families); },
     [](const Measurements& m) { return std::ranges::any_of(m.families, has_many_batches); }},
    {Focus::capacity, "no largest problem was found",
     [](const Measurements& m) { return fit_statements(m.runs); },
     [](const Measurements& m) { return m.timed.empty(); }},
    {Focus::libraries, ""},
    {Focus::frameworks, "no problem was measured both with a framework and with a library",
     [](const Measurements& m) { return framework_statements(m.timed); }},
    {Focus::gpu_libraries, "no problem was measured both with a framework and with a library on a GPU",
     [](const Measurements& m) { return gpu_library_statements(m.timed); }},
    {Focus::machines, "no machine has a time for every case"},
    {Focus::operands, "no problem was measured both with reused and with rotating operands",
     [](const Measurements& m) { return operand_statements(m.timed); }},
    {Focus::graphs, "no step was measured on a GPU both with and without a CUDA graph",
     [](const Measurements& m) { return graph_statements(m.timed); }},
    {Focus::steps, "fewer than three steps of optimisation were measured",
     [](const Measurements& m) { return step_statements(m.timed); }},
    {Focus::latency, "no latency was measured at three batches or more",
     [](const Measurements& m) { return latency_statements(m.families); }},
    {Focus::training, "no training step was measured",
     [](const Measurements& m) { return training_statements(m.timed); }},
}};
static_assert(std::ranges::adjacent_find(topic_table, std::ranges::greater_equal{}, &TopicFacts::focus) ==
                  topic_table.end(),
              "the table has a row for each topic, in the order of the enumeration");

const TopicFacts& facts_of(Focus focus) {
  return topic_table.at(static_cast<std::size_t>(focus));
}

}  // namespace

std::vector<Topic> topics_of(const Measurements& measured, std::optional<Focus> asked) {
  std::vector<Topic> found;
  for (const TopicFacts& topic : topic_table) {
    if (topic.is_main == nullptr && topic.focus != asked) continue;
    found.push_back({.focus = topic.focus,
                     .statements = statements_on(topic.focus, measured),
                     .is_main = topic.is_main != nullptr && topic.is_main(measured)});
  }
  return found;
}

std::vector<Statement> statements_on(Focus focus, const Measurements& measured) {
  const auto make = facts_of(focus).statements;
  return make == nullptr ? std::vector<Statement>() : make(measured);
}

std::string_view missing_text(Focus focus) {
  return facts_of(focus).missing;
}

Sentence not_answered(Focus focus) {
  return {.text = fmt::format("Not answered: {}.", missing_text(focus)), .tone = Tone::warning};
}

}  // namespace breakeven
