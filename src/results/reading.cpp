#include "results/reading.h"

#include <fmt/format.h>

#include <system_error>

#include "results/whole_file.h"
#include "text/printable.h"

namespace breakeven {

void fail_reading(const std::string& file, std::string_view what) {
  throw ResultError(message_line(fmt::format("{}: {}", file, what)));
}

namespace {

/// Calls `read`. Errors become ResultErrors that name the file.
template <typename Read>
auto or_fail_reading(const std::filesystem::path& path, const Read& read) {
  const std::string name = path == "-" ? "standard input" : path.string();
  try {
    return read();
  } catch (const FileTooLarge& e) {
    fail_reading(name, e.what());
  } catch (const std::system_error& e) {
    const bool is_folder = e.code() == std::errc::is_a_directory;
    fail_reading(name, is_folder ? "is a folder, not a result file; name a file in it"
                                 : fmt::format("cannot be read: {}; check the path and its permissions",
                                               e.code().message()));
  } catch (const std::bad_alloc&) {
    fail_reading(name, no_memory);
  }
}

}  // namespace

std::string read_result_text(const std::filesystem::path& path) {
  return or_fail_reading(path, [&] { return read_whole_file(path, largest_document); });
}

TextParts read_result_parts(const std::filesystem::path& path) {
  return or_fail_reading(path, [&]() -> TextParts {
    return [path, next = parts_of_file(path, largest_document)] { return or_fail_reading(path, next); };
  });
}

void expect_readable(std::string_view text, const std::string& file, std::string_view remedy) {
  constexpr double mebibyte = 0x1p20;
  if (text.size() > largest_document)
    fail_reading(file, fmt::format("would be {:.1f} MiB large, and at most {:g} MiB are read; {}",
                                   static_cast<double>(text.size()) / mebibyte,
                                   static_cast<double>(largest_document) / mebibyte, remedy));
}

}  // namespace breakeven
