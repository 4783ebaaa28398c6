// Recognises the kind of a JSON file: results, the output of another command, or a file that users write. So
// a command accepts a whole folder, and reads the files of the kinds that it supports.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace breakeven {

enum class FileKind {
  result,
  threshold,
  verdict,
  selftest,
  gate_quality,
  history_check,
  ranking,
  fleet,
  config,
  shapes,
  prices,
  device_catalogue,
  device_list,
  result_without_schema,
  google_benchmark,
  unknown,
};

/// The kind of a document: by its schema, in any version, or by its keys if it has no schema.
FileKind kind_of(const nlohmann::ordered_json& document);
/// Describes the kind for messages: "a ranking of machines".
std::string_view describe(FileKind kind);

struct SkippedFile {
  std::filesystem::path file;
  FileKind kind = FileKind::unknown;
};

class AnyFile;

/// Calls `read` for each file of a wanted kind, in order ("-" is standard input), and returns the others. Of
/// results, figures are kept (Detail::figures). All errors, including those of `read`, become ResultErrors
/// that name the file. If no file is of a wanted kind, the error names the kinds found.
std::vector<SkippedFile> read_files_of(
    std::span<const std::filesystem::path> files, std::span<const FileKind> wanted,
    const std::function<void(const std::filesystem::path&, FileKind, AnyFile&)>& read);

/// A sentence such as "2 files skipped: a.json is a ranking of machines; b.json is a config". Empty if there
/// are none.
std::string skipped_text(std::span<const SkippedFile> skipped);

}  // namespace breakeven
