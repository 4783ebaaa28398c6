// The request loop of a backend program written in C++.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace breakeven {

/// Calls the functions that the backend registered for its start (worker/backend.h). Must be called before
/// the first request is read.
void start_up();

/// Answers the requests in `in`, one per line, until its end or `quit`. `send` receives each answer, a line
/// without its end, and returns false if there is no reader any more. Returns false in that case.
bool serve(std::istream& in, const std::function<bool(const std::string&)>& send);

}  // namespace breakeven
