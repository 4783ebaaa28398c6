#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <system_error>

#include "host/steady_clock.h"
#include "results/counted_samples.h"
#include "results/json.h"
#include "results/rescue.h"
#include "results/result.h"
#include "results/whole_file.h"

namespace breakeven {
namespace {

/// Calls `work`. An error while writing `path` becomes a ResultError.
template <typename Work>
void or_result_error(const std::filesystem::path& path, const Work& work) {
  try {
    work();
  } catch (const std::system_error& e) {
    throw ResultError(fmt::format("{}: cannot be written: {}; make room or give another place with --out",
                                  path.string(), e.code().message()));
  }
}

void print_whole(const std::string& text) {
  std::cout << text << std::flush;
  if (!std::cout) throw ResultError("standard output: cannot be written to");
}

bool has_measured(const Result& result) {
  return std::ranges::any_of(result.cases, [](const CaseResult& c) {
    return c.status != Status::interrupted && c.status != Status::unsupported;
  });
}

}  // namespace

ResultWriter::ResultWriter(std::filesystem::path path, const Words& words, std::uintmax_t most)
    : path_(std::move(path)), words_(&words), most_(most) {
  if (path_ == "-") {
    if (is_output_closed()) throw ResultError("standard output: is closed; name a file with --out");
    return;
  }
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) {
    throw ResultError(fmt::format("{}: is a folder; --out names a file", path_.string()));
  }
  or_result_error(path_, [&] { expect_writable(path_); });
  path_ = link_target(path_);
  has_older_ = std::filesystem::is_regular_file(path_, error);
  if (has_older_) or_result_error(previous_of(path_), [&] { expect_writable(previous_of(path_)); });
}

bool ResultWriter::must_stay(const Result& result) const {
  return has_older_ && !older_is_kept_ && !has_measured(result);
}

void ResultWriter::write(const std::string& text) {
  std::error_code error;
  if (has_older_ && !older_is_kept_ && std::filesystem::is_regular_file(path_, error)) {
    or_result_error(previous_of(path_), [&] {
      write_whole_file(previous_of(path_),
                       read_whole_file(path_, std::numeric_limits<std::uintmax_t>::max() - 1));
    });
  }
  older_is_kept_ = true;
  or_result_error(path_, [&] { write_whole_file(path_, text); });
}

void ResultWriter::update(const Result& result, std::size_t first_changed) {
  changed_from_ = std::min(changed_from_, first_changed);
  if (!result.complete && seconds_writing_ > seconds_since(start_) / 50) return;
  const auto start = Clock::now();
  const bool at_start = texts_.empty();
  for (; texts_.size() > changed_from_; texts_.pop_back()) size_ -= texts_.back().size();
  changed_from_ = std::numeric_limits<std::size_t>::max();
  try {
    for (std::size_t i = texts_.size(); i < result.cases.size(); ++i) {
      texts_.push_back(text_of(json_of(result.cases[i], words_)));
      size_ += texts_.back().size();
    }
    if (path_ != "-" && !is_special_file(path_) && has_measured(result))
      write(to_json_text(result, texts_, *words_));
  } catch (const std::exception&) {
    // A full disk, or memory that ends for a moment, does not stop the measurement: finish() tries again,
    // also elsewhere.
  }
  seconds_writing_ += seconds_since(start);
  expect_room(result, at_start);
}

void ResultWriter::expect_room(const Result& result, bool at_start) const {
  constexpr std::uintmax_t bytes_of_sample = 20;
  const auto missing =
      static_cast<std::uintmax_t>(std::ranges::count(result.cases, Status::interrupted, &CaseResult::status));
  // Later, a part is kept free for one more visit of a problem and for what is not a case.
  const std::uintmax_t coming = at_start ? missing * fewest_samples * bytes_of_sample : most_ / 16;
  if (size_ + coming > most_)
    throw FileTooLarge(
        fmt::format("a file of {} results would be larger than the {:g} MiB that are read; measure fewer at "
                    "once, with --filter, --backends or --shard, and into files of their own",
                    result.cases.size(), static_cast<double>(most_) / 0x1p20));
}

bool ResultWriter::finish(const Result& result) {
  if (must_stay(result)) return false;
  texts_ = {};  // is not needed any more, and the text below needs memory
  const std::string text = to_json_text(result, *words_);
  try {
    path_ == "-" ? print_whole(text) : write(text);
  } catch (const std::exception& e) {
    throw ResultError(fmt::format(
        "{}; {}", e.what(), describe_rescue(save_rescue(path_, results_folder_of(result.host.name), text))));
  }
  return true;
}

}  // namespace breakeven
