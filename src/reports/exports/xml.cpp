#include "reports/exports/xml.h"

#include <boost/algorithm/string/erase.hpp>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>
#include <string_view>

#include "reports/text.h"

namespace breakeven {
namespace {

using Tree = boost::property_tree::ptree;

/// Of the characters that printable() lets through, XML 1.0 has no U+FFFE and U+FFFF (section 2.2, Char).
std::string legal(std::string_view text) {
  std::string shown = printable(text);
  for (const char* noncharacter : {"\xef\xbf\xbe", "\xef\xbf\xbf"})
    boost::algorithm::erase_all(shown, noncharacter);
  return shown;
}

std::string legal_lines(const std::string& text) {
  std::istringstream in(text);
  std::string all;
  for (std::string line; std::getline(in, line);) {
    if (!all.empty()) all += '\n';
    all += legal(line);
  }
  return all;
}

Tree to_tree(const XmlElement& element) {
  Tree tree(legal_lines(element.text));
  if (!element.attributes.empty()) {
    Tree attributes;
    for (const auto& [name, value] : element.attributes) attributes.push_back({name, Tree(legal(value))});
    tree.push_back({"<xmlattr>", std::move(attributes)});
  }
  for (const XmlElement& child : element.children) tree.push_back({child.name, to_tree(child)});
  return tree;
}

}  // namespace

std::string xml_document(const XmlElement& root) {
  Tree document;
  document.push_back({root.name, to_tree(root)});
  std::ostringstream out;
  boost::property_tree::write_xml(out, document,
                                  boost::property_tree::xml_writer_make_settings<std::string>(' ', 1));
  return out.str();
}

}  // namespace breakeven
