#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace breakeven {

/// Help in two columns, wrapped at `width`. It is composed here in full, because versions of CLI11 differ in
/// headings and blank lines, and from 2.5 on wrap paragraphs at 80 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;

 private:
  std::string two_columns(const std::string& left, const std::string& right) const;
  std::string paragraph(const std::string& text) const;

  std::size_t width_;
};

/// The text of `COMMAND --help` for any command. CLI11's own help() returns the help of the command that is
/// being parsed.
std::string help_of(const CLI::App& app);

}  // namespace breakeven
