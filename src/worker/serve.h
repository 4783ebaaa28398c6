// The request loop of a backend program written in C++.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>

namespace breakeven {

class RankJob;

/// Calls the functions that the backend registered for its start (worker/backend.h). Must be called before
/// the first request is read.
void start_up();

/// Answers the requests in `in`, one per line, until its end or `quit`. `send` receives each answer, a line
/// without its end, and returns false if there is no reader any more. Returns false in that case. With a
/// `job`, all of its ranks carry out each request, and rank 0 reads and sends. `hello` is refused for a
/// `fault`.
bool serve(std::istream& in, const std::function<bool(const std::string&)>& send, RankJob* job = nullptr,
           const std::string& fault = "");

}  // namespace breakeven
