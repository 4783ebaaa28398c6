// The request loop of a backend program written in C++.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace breakeven {

/// Calls what the backend has registered for the start (worker/backend.h). Before the first request is read.
void start_up();

/// Answers the requests of `in`, one a line, until its end or `quit`. `send` takes each answer, a line
/// without its end, and is false where nobody listens any more. False if that was the end.
bool serve(std::istream& in, const std::function<bool(const std::string&)>& send);

}  // namespace breakeven
