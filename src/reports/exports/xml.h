// XML as a tree of elements, and its text. What is put into it may be any bytes: what comes out is well
// formed.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace breakeven {

struct XmlElement {
  std::string name;  // a literal of ours, and so are the names of attributes
  std::vector<std::pair<std::string, std::string>> attributes = {};
  std::vector<XmlElement> children = {};
  std::string text = {};  // in front of the children; may have several lines
};

/// A whole document in UTF-8, with its declaration and one element a line. The values of attributes become
/// printable() text, and so does each line of an element's text; what XML 1.0 cannot hold even when escaped
/// is left out.
std::string xml_document(const XmlElement& root);

}  // namespace breakeven
