#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iostream>

#include "results/result.h"

namespace breakeven {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

ResultWriter::ResultWriter(std::filesystem::path path) : path_(std::move(path)) {
  replaceable_ = path_ != "-";
  if (!replaceable_) return;
  std::error_code error;
  if (std::filesystem::is_directory(path_, error)) {
    throw ResultError(fmt::format("{}: is a folder; --out names a file", path_.string()));
  }
  if (std::filesystem::exists(path_, error)) {
    if (std::filesystem::is_symlink(path_)) path_ = std::filesystem::canonical(path_);
    replaceable_ = std::filesystem::is_regular_file(path_);
    if (!replaceable_) return;
  }
  if (path_.has_parent_path()) std::filesystem::create_directories(path_.parent_path(), error);
  write_text(path_.string() + ".part", "");
  std::filesystem::remove(path_.string() + ".part", error);
  if (std::filesystem::exists(path_, error)) {
    std::filesystem::path previous = path_;
    previous.replace_extension(".previous" + path_.extension().string());
    std::filesystem::copy_file(path_, previous, std::filesystem::copy_options::overwrite_existing, error);
  }
}

void ResultWriter::write_text(const std::filesystem::path& path, const std::string& text) const {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (!out) {
    const int cause = errno;
    std::error_code error;
    if (std::filesystem::is_regular_file(path, error)) std::filesystem::remove(path, error);
    throw ResultError(fmt::format("{}: cannot be written: {}; make room or give another place with --out",
                                  path_.string(), cause != 0 ? std::strerror(cause) : "output error"));
  }
}

void ResultWriter::replace_file(const std::string& text) const {
  if (!replaceable_) return write_text(path_, text);
  const std::string part = path_.string() + ".part";
  write_text(part, text);
  std::filesystem::rename(part, path_);
}

void ResultWriter::update(const Result& result, std::size_t first_changed) {
  const auto start = std::chrono::steady_clock::now();
  texts_.resize(std::min(texts_.size(), first_changed));
  for (std::size_t i = texts_.size(); i < result.cases.size(); ++i)
    texts_.push_back(to_json_text(result.cases[i]));
  if (!replaceable_ || (!result.complete && seconds_writing_ > seconds_since(start_) / 50)) return;
  try {
    replace_file(to_json_text(result, texts_));
  } catch (const std::exception&) {
    // A disk that is full now is no reason to stop measuring: finish() tries again, and elsewhere.
  }
  seconds_writing_ += seconds_since(start);
}

void ResultWriter::finish(const Result& result) {
  const std::string text = to_json_text(result);
  if (path_ == "-") {
    std::cout << text << std::flush;
    if (!std::cout) throw ResultError("standard output: cannot be written to");
    return;
  }
  try {
    replace_file(text);
  } catch (const std::exception& e) {
    const auto rescue = std::filesystem::temp_directory_path() / fmt::format("breakeven-{}.json", getpid());
    write_text(rescue, text);
    throw ResultError(fmt::format("{}; what was measured is in {}", e.what(), rescue.string()));
  }
}

}  // namespace breakeven
