#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace breakeven {

/// Help in two columns, wrapped at `width`.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string two_columns(const std::string& left, const std::string& right) const;
  std::string paragraph(const std::string& text) const;

  std::size_t width_;
};

/// The text of `COMMAND --help` for any command. CLI11's own help() returns the help of the command that is
/// being parsed.
std::string help_of(const CLI::App& app);

}  // namespace breakeven
