// The request loop of a backend program written in C++.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace breakeven {

/// Answers the requests in `in`, one per line, until its end or `quit`. `send` receives each answer, a line
/// without its end, and returns false if there is no reader any more. Returns false in that case. Each rank
/// of communicator() gets all requests.
bool serve(std::istream& in, const std::function<bool(const std::string&)>& send);

}  // namespace breakeven
