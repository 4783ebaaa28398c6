#include "json/other_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "json/value.h"
#include "text/printable.h"

namespace breakeven {
namespace {

using namespace std::string_view_literals;

/// A format whose files have these bytes at this offset.
struct Signature {
  std::string_view bytes, what;
  std::size_t offset = 0;
};

constexpr std::array<Signature, 30> signatures{{
    {"\x1f\x8b"sv, "is gzip-compressed; gunzip it first"},
    {"\x28\xb5\x2f\xfd"sv, "is zstd-compressed; unzstd it first"},
    {"\xfd"
     "7zXZ\0"sv,
     "is xz-compressed; unxz it first"},
    {"BZh"sv, "is bzip2-compressed; bunzip2 it first"},
    {"\x04\x22\x4d\x18"sv, "is lz4-compressed; decompress it first (lz4 -d)"},
    {"\x1f\x9d"sv, "is compressed; uncompress it first"},
    {"LZIP"sv, "is lzip-compressed; lunzip it first"},
    {"PK\x03\x04"sv, "is a ZIP archive; unzip it first"},
    {"PK\x05\x06"sv, "is an empty ZIP archive; is it the right file?"},
    {"7z\xbc\xaf\x27\x1c"sv, "is a 7z archive; unpack it first (7z x)"},
    {"Rar!\x1a\x07"sv, "is a RAR archive; unpack it first"},
    {"ustar"sv, "is a tar archive; unpack it first (tar -xf)", 257},
    {"%PDF-"sv, "is a PDF document; is it the right file?"},
    {"\x89PNG\r\n\x1a\n"sv, "is a PNG image; is it the right file?"},
    {"\xff\xd8\xff"sv, "is a JPEG image; is it the right file?"},
    {"GIF8"sv, "is a GIF image; is it the right file?"},
    {"SQLite format 3\0"sv, "is an SQLite database; `breakeven history` reads those that it made"},
    {"\x7f"
     "ELF"sv,
     "is a program or a library (ELF); is it the right file?"},
    {"MZ"sv, "is a program of Windows; is it the right file?"},
    {"#!"sv, "is a script; is it the right file?"},
    {"\x93NUMPY"sv, "is a NumPy array; is it the right file?"},
    {"PAR1"sv, "is a Parquet file; is it the right file?"},
    {"\x89HDF\r\n\x1a\n"sv, "is an HDF5 file; is it the right file?"},
    {R"({\rtf)"sv, "is rich text (RTF); save it as plain text in UTF-8"},
    {"version https://git-lfs"sv, "is a pointer of Git LFS; `git lfs pull` brings the file"},
    {"<<<<<<< "sv, "has conflict markers of git; resolve them first"},
    // The longer mark is first: it begins with the other.
    {"\xff\xfe\0\0"sv, "is UTF-32 text; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"},
    {"\0\0\xfe\xff"sv, "is UTF-32 text; save it as UTF-8 (iconv -f UTF-32 -t UTF-8)"},
    {"\xff\xfe"sv, "is UTF-16 text, as PowerShell's > writes; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
    {"\xfe\xff"sv, "is UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)"},
}};

/// Encodings of JSON without a byte order mark: which of the first four bytes are 0 (RFC 4627, section 3).
struct Encoding {
  std::string_view zeros, name;
};

constexpr std::array<Encoding, 4> encodings{
    {{"000x", "UTF-32BE"}, {"x000", "UTF-32LE"}, {"0x0x", "UTF-16BE"}, {"x0x0", "UTF-16LE"}}};

char lower(char c) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

std::string_view without_spaces(std::string_view text) {
  constexpr std::string_view spaces = " \t\r\n\v\f";
  const auto first = text.find_first_not_of(spaces);
  return first == std::string_view::npos ? "" : text.substr(first, text.find_last_not_of(spaces) + 1 - first);
}

/// The first lines with any text in them.
std::vector<std::string_view> first_lines(std::string_view text) {
  constexpr std::size_t most = 5;
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most) {
    const auto end = text.find('\n');
    const std::string_view line = without_spaces(text.substr(0, end));
    if (!line.empty()) lines.push_back(line);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// The length of the word at the beginning of a line.
std::size_t word_length(std::string_view line) {
  const auto* const end = std::ranges::find_if_not(line, is_word_character);
  return static_cast<std::size_t>(end - line.begin());
}

/// "word = value" or "[section]", as in TOML and INI files.
bool is_toml(std::string_view line) {
  if (line.starts_with('[')) {
    line.remove_prefix(line.starts_with("[[") ? 2 : 1);
    const std::size_t length = word_length(line);
    return length > 0 && std::isalpha(static_cast<unsigned char>(line.front())) != 0 &&
           line.substr(length).starts_with(']');
  }
  const std::size_t length = word_length(line);
  return length > 0 && without_spaces(line.substr(length)).starts_with('=');
}

/// "---", "word:" or "- value".
bool is_yaml(std::string_view line) {
  if (line.starts_with("---") || line.starts_with("- ")) return true;
  const std::size_t length = word_length(line);
  const std::string_view rest = line.substr(length);
  return length > 0 && (rest == ":" || rest.starts_with(": "));
}

/// True if the two lines have as many separators, and the first begins with a word, which may be in quotes.
bool is_csv(std::string_view header, std::string_view row) {
  if (word_length(header.substr(header.starts_with('"') ? 1 : 0)) == 0) return false;
  if (header.find_first_of("{}[]:") != std::string_view::npos) return false;
  return std::ranges::any_of(",;\t"sv, [&](char separator) {
    const auto columns = std::ranges::count(header, separator);
    return columns > 0 && columns == std::ranges::count(row, separator);
  });
}

/// The format of text without a signature. JSON begins with a bracket, a number, a quote or a word.
std::string text_format(std::string_view text) {
  std::vector<std::string_view> lines = first_lines(text);
  std::string begin(lines.front().substr(0, 14));
  std::ranges::transform(begin, begin.begin(), lower);
  if (begin.starts_with("<!doctype html") || begin.starts_with("<html"))
    return "is an HTML page; is it the right file, or what a server sent in its place?";
  if (begin.starts_with("<svg")) return "is an SVG image; is it the right file?";
  if (begin.starts_with('<')) return "is XML; is it the right file?";
  if (lines.size() > 1 && lines[0].starts_with('{') && lines[1].starts_with('{') && Json::accept(lines[0]))
    return "is a list of JSON documents, one on each line; give a file of one document";
  if (begin.starts_with('{')) return "";
  std::erase_if(lines, [](std::string_view line) { return line.starts_with('#'); });
  if (lines.empty()) return "holds only comments; is it the right file?";
  if (is_toml(lines.front())) return "looks like TOML; write it as JSON";
  if (is_yaml(lines.front())) return "looks like YAML; write it as JSON";
  if (lines.size() > 1 && is_csv(lines[0], lines[1])) return "looks like CSV; give JSON";
  return "";
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const bool is_replacement = text.starts_with("\xEF\xBF\xBD");
    if (next_character(text) == U'\uFFFD' && !is_replacement) return false;
  }
  return true;
}

}  // namespace

std::string other_format(std::string_view text) {
  for (const Signature& signature : signatures) {
    if (text.substr(std::min(signature.offset, text.size())).starts_with(signature.bytes))
      return std::string(signature.what);
  }
  std::string zeros(text.substr(0, 4));
  std::ranges::transform(zeros, zeros.begin(), [](char c) { return c == '\0' ? '0' : 'x'; });
  for (const Encoding& encoding : encodings) {
    if (zeros == encoding.zeros)
      return fmt::format("is {0} text; save it as UTF-8 (iconv -f {0} -t UTF-8)", encoding.name);
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (without_spaces(text).empty()) return "is empty; is it the right file?";
  if (text.find('\0') != std::string_view::npos || !is_utf8(text))
    return "is not UTF-8 text; is it the right file, and was it saved as UTF-8?";
  return text_format(text);
}

}  // namespace breakeven
