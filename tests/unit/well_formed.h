// Checks that every format of a report writes what its readers take.
#pragma once

#include <boost/property_tree/ptree_fwd.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reports/exports/format.h"

namespace breakeven::well_formed {

/// A description of what is wrong with a text; empty if nothing is.
using Fault = std::string;

/// Throws what the parser throws.
boost::property_tree::ptree xml_of(const std::string& text);

/// The number of cells of each record, by RFC 4180 apart from the separator. One record without cells if a
/// line end or a quotation mark is misplaced.
std::vector<std::size_t> csv_cells(const std::string& text, char separator = ',');

/// Every row of a table must have as many cells as its heading.
Fault fault_of_markdown(const std::string& text);

/// A browser ends a script at the first such tag, wherever it is.
Fault fault_of_page(const std::string& text);

/// The text must be valid UTF-8 without control characters but those that are listed.
Fault fault_of_characters(std::string_view text, std::string_view allowed);

/// Writes the report in every form that there is. Returns the first fault, with the form that has it.
Fault fault_of_any_form(const Subject& subject);

}  // namespace breakeven::well_formed
