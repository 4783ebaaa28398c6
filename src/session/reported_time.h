// Decides whether the time that a program reports for a sample can be true: pure functions. What they hold
// the program to is in docs/worker-protocol.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "protocol/messages.h"
#include "results/result.h"

namespace breakeven {

/// What the driver and the kernel know of the time of a request for a sample, in seconds.
struct RequestTimes {
  double wall = 0;        // on the driver's clock, until the threads of the program slept again
  double computed = 0;    // the program's CPU time, divided by the number of CPUs that it may use
  double untimed = 0;     // that the protocol allows the program to spend besides what it reports
  double clock_step = 0;  // of the driver's clock; 0 if it is too small to matter
};

/// The total seconds of all iterations of a sample.
double total_seconds(const answer::Sample& sample);

/// Why the sample's time is not believed; empty if it is. It is not believed if it is longer than the
/// request, if it is less than six tenths of it (a tenth of the request may be messages and waiting), if the
/// times of its single iterations do not add up to it, or if no clock can have measured it. A single such
/// sample proves nothing: the driver may have been stopped, a clock set.
std::string why_not_believed(const answer::Sample& sample, const RequestTimes& request);

/// True if a clock went back or jumped ahead in the sample, rather than that time is missing.
bool shows_clock_jump(const answer::Sample& sample, const RequestTimes& request);

/// True if an epoch of training took far longer than the `seconds` that are reported of it.
bool is_too_short(double seconds, const RequestTimes& request);

/// Why the times of epochs are not believed: their steps took less than three tenths of the time of the same
/// steps in samples. Empty if they are. `step` is the least time of a step in the samples, in seconds, at the
/// machine's own speed.
std::string why_epochs_are_not_believed(const Training& training, double step);

/// The length of a request, in seconds, at which its messages and the waits of a busy machine no longer
/// matter. `timeout` is the time that the program has for an answer.
double telling_request_seconds(double timeout);

/// The number of iterations with which a sample is repeated that was not believed, from those that took
/// `wall` seconds: at most four times as many, and no longer than telling_request_seconds().
std::int64_t more_iterations(std::int64_t iterations, double wall, double timeout);

/// The step of the clock with which these totals were measured, in seconds; 0 if it is too small to be seen.
/// `totals` are the total seconds of samples. At least five are needed.
double clock_step_of(const std::vector<double>& totals);

/// The least length of a sample, in seconds, that a clock with this step measures to one percent.
double long_against(double clock_step);

/// Replaces the warning of a clock that steps by as many seconds, or that jumped in `jumps` samples, among
/// `warnings`. There is none if it did neither.
void set_clock_warning(std::vector<Note>& warnings, double step, std::size_t jumps);

}  // namespace breakeven
