// Errors in JSON documents.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace breakeven {

/// Thrown for JSON that cannot be used. The message names the place and, if it is known, the file.
class JsonError : public std::runtime_error {
 public:
  explicit JsonError(const std::string& message) : std::runtime_error(message), problem_(message) {}
  /// `pointer`: a JSON pointer to the place; empty: the whole document.
  JsonError(const std::string& pointer, const std::string& problem)
      : std::runtime_error((pointer.empty() ? "/" : pointer) + " " + problem),
        pointer_(pointer),
        problem_(problem) {}

  const std::string& pointer() const { return pointer_; }
  /// The message without the place.
  const std::string& problem() const { return problem_; }

 private:
  std::string pointer_, problem_;
};

/// Thrown for text that is not JSON.
class JsonSyntaxError : public JsonError {
 public:
  JsonSyntaxError(std::size_t byte, const std::string& problem)
      : JsonError("is not valid JSON, perhaps truncated: " + problem), byte_(byte), syntax_(problem) {}

  /// The position at which the parser stopped, counted from 1; one past the end if the text ended too early.
  std::size_t byte() const { return byte_; }
  /// The parser's message: "line 3, column 5: invalid literal; last read: 'nul'".
  const std::string& syntax() const { return syntax_; }

 private:
  std::size_t byte_;
  std::string syntax_;
};

}  // namespace breakeven
