// Whatever line a program sends, it is an answer or a ProtocolError; whatever line a driver sends, a request or one of two errors.
#include <cstddef>
#include <cstdint>
#include <string>

#include "protocol/messages.h"

using namespace breakeven;

template <typename T>
static void read_answer(const std::string& line) {
  try {
    parse_answer<T>(line);
  } catch (const ProtocolError&) {
  }
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  read_answer<answer::Hello>(line);
  read_answer<answer::Ready>(line);
  read_answer<Evidence>(line);
  read_answer<answer::Sample>(line);
  read_answer<answer::Epoch>(line);
  read_answer<answer::Done>(line);
  try {
    parse_request(line);
  } catch (const ProtocolError&) {
  } catch (const InvalidCase&) {
  }
  return 0;
}
