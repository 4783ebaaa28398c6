#include "unit/well_formed.h"

#include <fmt/format.h>

#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <map>
#include <set>
#include <sstream>
#include <variant>

#include "json/text.h"
#include "reports/charts/ranking_charts.h"
#include "reports/charts/result_charts.h"
#include "reports/charts/svg.h"
#include "reports/document/builders.h"
#include "reports/render/terminal.h"
#include "text/printable.h"

namespace breakeven::well_formed {
namespace {

Fault fault_of_xml(const std::string& text) {
  try {
    xml_of(text);
    return "";
  } catch (const boost::property_tree::xml_parser_error& e) {
    return e.what();
  }
}

Fault fault_of_json(const std::string& text) {
  try {
    parse_strictly(text);
    return "";
  } catch (const JsonError& e) {
    return e.what();
  }
}

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

template <char separator = ','>
Fault fault_of_csv(const std::string& text) {
  const auto cells = csv_cells(text, separator);
  return std::set<std::size_t>(cells.begin(), cells.end()).size() == 1 && cells.front() > 0
             ? ""
             : "its records have unlike numbers of cells";
}

Fault fault_of_open_metrics(const std::string& text) {
  return text == "# EOF\n" || text.ends_with("\n# EOF\n") ? "" : "it does not end with # EOF";
}

Fault fault_of_annotations(const std::string& text) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with("::")) return "a line is no command: " + line;
  }
  return "";
}

/// Checks what the format wrote.
Fault fault_of(const OutputFormat& format, const std::string& text) {
  using Check = Fault (*)(const std::string&);
  static const std::map<std::string, Check> checks{{"--annotations", fault_of_annotations},
                                                   {"--bencher", fault_of_json},
                                                   {"--csv", fault_of_csv<>},
                                                   {"--csv-comma", fault_of_csv<';'>},
                                                   {"--csv-point", fault_of_csv<>},
                                                   {"--github", fault_of_json},
                                                   {"--google-benchmark", fault_of_json},
                                                   {"--html", fault_of_page},
                                                   {"--junit", fault_of_xml},
                                                   {"--markdown", fault_of_markdown},
                                                   {"--openmetrics", fault_of_open_metrics},
                                                   {"--out", fault_of_json}};
  const auto check = checks.find(format.option);
  // JSON is read by programs, and holds any character that it need not escape.
  const bool is_json = check != checks.end() && check->second == fault_of_json;
  const bool is_for_spreadsheets = format.option.starts_with("--csv-") && text.starts_with(byte_order_mark);
  const std::string_view shown =
      std::string_view(text).substr(is_for_spreadsheets ? byte_order_mark.size() : 0);
  const Fault characters = is_json ? Fault() : fault_of_characters(shown, format.control_characters);
  return !characters.empty() || check == checks.end() ? characters : check->second(text);
}

/// Checks terminal text with colours. Escape sequences that set them are no fault; all others are.
Fault fault_of_coloured(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto end =
        text.starts_with("\x1b[") ? text.find_first_not_of("0123456789;", 2) : std::string_view::npos;
    if (end != std::string_view::npos && text[end] == 'm') {
      text.remove_prefix(end + 1);
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  return fault_of_characters(plain, "\n");
}

std::vector<Chart> charts_of(const Subject& subject) {
  if (const auto* measured = std::get_if<const Measured*>(&subject))
    return charts((*measured)->results, (*measured)->thresholds);
  if (const auto* ranking = std::get_if<const Rankings*>(&subject)) return rank_charts(**ranking);
  return {};
}

}  // namespace

boost::property_tree::ptree xml_of(const std::string& text) {
  std::istringstream in(text);
  boost::property_tree::ptree tree;
  boost::property_tree::read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  return tree;
}

std::vector<std::size_t> csv_cells(const std::string& text, char separator) {
  std::vector<std::size_t> cells(1, 1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (!quoted && text[i] == separator) ++cells.back();
    if (!quoted && text.compare(i, 2, "\r\n") == 0) cells.push_back(1);
    if (text[i] == '\n' && (i == 0 || text[i - 1] != '\r')) return {0};
  }
  if (quoted || !text.ends_with("\r\n")) return {0};
  cells.pop_back();
  return cells;
}

Fault fault_of_markdown(const std::string& text) {
  std::istringstream stream(text);
  std::size_t columns = 0;
  for (std::string line; std::getline(stream, line);) {
    std::size_t bars = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (line[i] == '\\') {
        ++i;
      } else if (line[i] == '|') {
        ++bars;
      }
    }
    if (!line.starts_with('|')) {
      columns = 0;
    } else if (columns == 0) {
      columns = bars;
    } else if (bars != columns) {
      return fmt::format("a row has {} bars and its heading {}: {}", bars, columns, line);
    }
  }
  return "";
}

Fault fault_of_page(const std::string& text) {
  std::size_t scripts = 0;
  for (std::size_t at = text.find("</script"); at != std::string::npos; at = text.find("</script", at + 1))
    ++scripts;
  return scripts == 2 ? ""
                      : fmt::format("it has {} scripts where it should have its data and its own", scripts);
}

Fault fault_of_characters(std::string_view text, std::string_view allowed) {
  while (!text.empty()) {
    const char byte = text.front();
    const char32_t c = next_character(text);
    if (c == 0xfffd && static_cast<unsigned char>(byte) != 0xef) return "it is not UTF-8";
    const bool is_control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    if (is_control && (c > 0x7f || allowed.find(static_cast<char>(c)) == std::string_view::npos))
      return fmt::format("it has the control character {:#x}", static_cast<unsigned>(c));
  }
  return "";
}

Fault fault_of_any_form(const Subject& subject) {
  for (const OutputFormat& format : all_formats()) {
    if (!format.takes(subject)) continue;
    const std::string text = format.format(subject).text;
    if (Fault fault = fault_of(format, text); !fault.empty())
      return fmt::format("{}: {}", format.option, fault);
  }
  const Document document = std::visit([](const auto* of) { return document_of(*of); }, subject);
  for (const bool decides : {false, true}) {
    for (const TerminalStyle& style : {TerminalStyle{.colour = true, .width = 40, .unicode = true},
                                       TerminalStyle{.colour = false, .width = 120, .unicode = false}}) {
      const std::string text = render_terminal(document, {.style = style, .answer_first = decides});
      Fault fault = style.colour ? fault_of_coloured(text) : fault_of_characters(text, "\n");
      if (!fault.empty()) return fmt::format("terminal: {}", fault);
    }
  }
  for (const Chart& chart : charts_of(subject)) {
    const std::string text = svg_text(chart, {});
    Fault fault = fault_of_characters(text, "\n");
    if (fault.empty()) fault = fault_of_xml(text);
    if (!fault.empty()) return fmt::format("chart {}: {}", chart.name, fault);
  }
  return "";
}

}  // namespace breakeven::well_formed
