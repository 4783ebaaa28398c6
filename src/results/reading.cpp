#include "results/reading.h"

#include <fmt/format.h>

#include <system_error>

#include "results/whole_file.h"
#include "text/printable.h"

namespace breakeven {

void fail_reading(const std::string& file, std::string_view what) {
  throw ResultError(message_line(fmt::format("{}: {}", file, what)));
}

std::string read_result_text(const std::filesystem::path& path) {
  const std::string name = path == "-" ? "standard input" : path.string();
  try {
    return read_whole_file(path, largest_result_file);
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

}  // namespace breakeven
