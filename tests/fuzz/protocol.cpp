// Fuzzes the protocol: a program's line is an answer or a ProtocolError; a driver's line is a request or one
// of two errors.
#include "fuzz/input.h"
#include "fuzz/json_mutator.h"
#include "protocol/messages.h"

using namespace breakeven;

template <typename T>
static void read_answer(const std::string& line) {
  fuzz::read_or_refuse<ProtocolError>([&] { return parse_answer<T>(line); });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line = fuzz::text_of_input(data, size);
  read_answer<answer::Hello>(line);
  read_answer<answer::Ready>(line);
  read_answer<Evidence>(line);
  read_answer<answer::Sample>(line);
  read_answer<answer::Epoch>(line);
  read_answer<Fit>(line);
  read_answer<answer::Done>(line);
  fuzz::read_or_refuse<ProtocolError>([&] { return parse_introduction(line); });
  try {
    fuzz::read_or_refuse<ProtocolError>([&] { return parse_request(line); });
  } catch (const InvalidCase&) {
  }
  return 0;
}
