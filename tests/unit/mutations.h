// Makes valid inputs invalid, for tests of every reader, and for fuzzers.
#pragma once

#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace breakeven::mutations {

using Json = nlohmann::ordered_json;
/// Its numbers are the same everywhere, because the standard defines them; it does not define those of
/// distributions.
using Random = std::mt19937_64;

/// The parts of a text between spaces.
inline std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  return {std::istream_iterator<std::string>(in), {}};
}

/// A number below `count`, which is above 0.
inline std::size_t pick(std::size_t count, Random& random) {
  return static_cast<std::size_t>(random() % count);
}

template <typename List>
const auto& one_of(const List& list, Random& random) {
  return list[pick(std::size(list), random)];
}

/// Between one and three changes: a flipped bit, another byte, bytes inserted, taken out, doubled or moved,
/// the end cut off.
std::string mutated_bytes(const std::string& text, Random& random);

/// `text`, which is JSON, with between one and three changes of its values, members and elements; they may
/// make it something else than JSON. Any other text has its bytes changed.
std::string mutated_json(const std::string& text, Random& random);

}  // namespace breakeven::mutations
