#include "simulated/fault.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "protocol/messages.h"

namespace breakeven::simulated {
namespace {

using Json = nlohmann::ordered_json;

struct Details {
  int number;          // exit status or signal; 0: the usual one
  std::string status;  // of a refusal
};

/// Returns the text to write instead of `line`, which has no newline at its end.
using Kind = std::function<std::string(const std::string& line, const Details& details)>;

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

Kind writing(const std::string& text) {
  return [text](const std::string&, const Details&) { return text + "\n"; };
}

Kind editing(std::function<void(Json&)> edit) {
  return [edit = std::move(edit)](const std::string& line, const Details&) {
    Json answer = Json::parse(line);
    edit(answer);
    return answer.dump() + "\n";
  };
}

Kind with(const char* key, const Json& value) {
  return editing([key, value](Json& answer) { answer[key] = value; });
}

const std::map<std::string, Kind>& kinds() {
  static const std::map<std::string, Kind> all{
      {"exit", [](const auto&, const Details& d) -> std::string { _exit(d.number != 0 ? d.number : 7); }},
      {"hang", [](const auto&, const Details&) -> std::string { wait_for_ever(); }},
      {"signal",
       [](const auto&, const Details& d) -> std::string {
         const int number = d.number != 0 ? d.number : SIGKILL;
         std::signal(number, SIG_DFL);  // sanitizers catch some of them
         raise(number);
         wait_for_ever();  // for a signal that does not kill
       }},
      {"hog",  // takes 256 MiB, for a group with a lower limit
       [](const std::string& line, const Details&) {
         const std::vector<char> taken(256U << 20U, 'x');
         return line + (taken.back() == 'x' ? "\n" : "");
       }},
      {"rubbish", writing("\x01}{ 0xdeadbeef \xff")},
      {"long_line", [](const auto&, const Details&) { return std::string(65U << 20U, 'x') + "\n"; }},
      {"half_line",
       [](const std::string& line, const Details&) -> std::string {
         const auto half = line.size() / 2;
         _exit(write(STDOUT_FILENO, line.data(), half) == static_cast<ssize_t>(half) ? 0 : 1);
       }},
      {"close",
       [](const auto&, const Details&) -> std::string {
         close(STDOUT_FILENO);
         wait_for_ever();
       }},
      {"print",
       [](const std::string& line, const Details&) { return "Some Library 1.0 greets you\n" + line + "\n"; }},
      {"twice", [](const std::string& line, const Details&) { return line + "\n" + line + "\n"; }},
      {"no_newline",
       [](const std::string& line, const Details&) -> std::string {
         if (write(STDOUT_FILENO, line.data(), line.size()) < 0) _exit(1);
         wait_for_ever();
       }},
      {"nul", [](const std::string& line, const Details&) { return line + std::string("\0\n", 2); }},
      {"many_keys",
       [](const auto&, const Details&) {
         std::string answer = R"({"ok":true)";
         for (int i = 0; i < 50'000; ++i) answer += fmt::format(",\"{}\":0", i);
         return answer + "}\n";
       }},
      {"deep", writing("{\"ok\":" + std::string(500'000, '['))},
      {"chatter",  // not a fault if the driver reads the output
       [](const std::string& line, const Details&) {
         for (int i = 0; i < 8 * 1024; ++i) fmt::print(stderr, "{:1023}\n", "warning");
         return line + "\n";
       }},
      {"refuse",
       [](const auto&, const Details& d) {
         return to_line(answer::Refusal{.status = d.status, .reason = "it was told to refuse"}) + "\n";
       }},
      {"protocol", with("protocol", protocol_version + 1)},
      {"wrong", editing([](Json& a) { a["elements"][0] = a["elements"][0].get<double>() + 1000; })},
      {"nan", editing([](Json& a) { a["elements"][0] = nullptr; })},
      {"fewer_elements", editing([](Json& a) { a["elements"].erase(0); })},
      // Not a fault: a part of the result is not checked, which is noted.
      {"no_projections", editing([](Json& a) { a.erase("projections"); })},
      {"null_seconds", with("seconds", nullptr)},
      {"negative_seconds", with("seconds", -1)},
      {"negative_cpu_seconds", with("cpu_seconds", -1)},
      {"accuracy_of_2", with("accuracy", 2)},
      {"zero_seconds", with("seconds", 0)},
      {"infinite_seconds", writing(R"({"ok": true, "iterations": 1, "seconds": 1e999})")},
      {"wrong_iterations",
       editing([](Json& a) { a["iterations"] = a["iterations"].get<std::int64_t>() + 1; })},
  };
  return all;
}

}  // namespace

Fault Fault::taken_from(Settings& settings) {
  Fault fault;
  fault.kind_ = settings.take_text("fault", "");
  fault.at_ = settings.take_text("at", "");
  fault.backend_ = settings.take_text("backend", "");
  fault.status_ = settings.take_text("status", "failed");
  fault.nth_ = settings.take_integer("nth", 0);
  fault.process_ = settings.take_integer("process", 0);
  fault.number_ = static_cast<int>(settings.take_integer("number", 0));
  if (const auto text = settings.take_text("case", ""); !text.empty()) fault.case_.emplace(text);
  if (fault.kind_.empty()) return fault;
  if (!kinds().contains(fault.kind_)) {
    std::vector<std::string> names;  // clang 14 cannot compile std::views::keys
    for (const auto& [name, kind] : kinds()) names.push_back(name);
    throw SettingsError(fmt::format("fault={}: must be one of {}", fault.kind_, fmt::join(names, " ")));
  }
  constexpr std::array requests{"hello", "prepare", "verify", "sample", "epoch", "fit", "release", "quit"};
  if (std::find(requests.begin(), requests.end(), fault.at_) == requests.end())
    throw SettingsError(fmt::format("at={}: must be one of {}", fault.at_, fmt::join(requests, " ")));
  return fault;
}

bool Fault::strikes(const std::string& request, const std::string& case_id, const std::string& backend,
                    int process) {
  if (kind_.empty() || request != at_) return false;
  if (!backend_.empty() && backend != backend_) return false;
  if (process_ != 0 && process != process_) return false;
  if (case_ && !std::regex_search(case_id, *case_)) return false;
  ++met_;
  return nth_ == 0 || met_ == nth_;
}

std::string Fault::perform(const std::string& line) const {
  return kinds().at(kind_)(line, {.number = number_, .status = status_});
}

}  // namespace breakeven::simulated
