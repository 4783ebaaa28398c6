// Fuzzes the driver's side of a session: whatever a program sends, in pieces of any size, its answers are
// accepted or it is a protocol error, and the recorded results can be read from their file.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "protocol/messages.h"
#include "results/result.h"
#include "session/identity.h"
#include "session/mismatch.h"
#include "session/received_lines.h"
#include "unit/texts_of_files.h"

using namespace breakeven;

namespace {

CaseResult row_of(const Case& problem) {
  CaseResult row;
  row.op = problem.workload->op();
  row.parameters = problem.parameters;
  row.id = problem.id();
  row.dtype = "f32";
  row.flop = problem.flop();
  row.bytes = problem.bytes();
  return row;
}

class Conversation {
 public:
  /// `piece`: the size of the pieces in which the program's output arrives.
  Conversation(std::string_view output, std::size_t piece) : output_(output), piece_(piece) {
    backend_.available = true;
  }

  /// Runs the session until the program's output ends it.
  void hold() {
    const auto elements = elements_to_check(product_.workload->output(product_.parameters).elements(), 1);
    hear<answer::Hello>(request::Hello{}, [&](const auto& hello) {
      if (hello_fault(hello, "/x").empty()) backend_ = to_record("/x", hello);
    });
    hear<answer::Ready>(request::Prepare{.problem = product_}, [&](const answer::Ready& ready) {
      row_.reason = mismatch_of(product_, ready);
      row_.algorithm = algorithm_text(ready);
    });
    hear<Evidence>(request::Verify{.elements = elements}, [&](const Evidence& shown) {
      const Evidence truth = product_.workload->expect(product_.parameters, 1, elements);
      row_.verification = judge(truth, shown, product_.workload->tolerance(product_.parameters, truth));
    });
    hear<answer::Sample>(request::Sample{.iterations = 3}, [&](const answer::Sample& sample) {
      row_.cpu_seconds = sample.cpu_seconds;
      row_.device_seconds = sample.device_seconds;
      row_.joules = sample.joules;
      Training& training = trained_.training.emplace();
      training.loss = sample.losses;
      training.steps = std::ssize(sample.losses);
    });
    hear<answer::Epoch>(request::Epoch{}, [](const auto&) {});
    hear<Fit>(request::Fit{}, [&](const Fit& fit) { fitting_.fit = fit; });
    hear<answer::Done>(request::Release{}, [](const auto&) {});
    hear<answer::Done>(request::Quit{}, [](const auto&) {});
  }

  Result result() {
    row_.reason += reason_;
    Result all;
    for (CaseResult* row : {&row_, &trained_, &fitting_}) {
      row->backend = backend_.name;
      row->device = backend_.device;
      row->status = Status::failed;
      all.cases.push_back(*row);
    }
    all.created = "2026-01-01T00:00:00Z";
    all.backends = {backend_};
    if (!backend_.device_id.empty()) all.host.gpus = {Gpu{.id = backend_.device_id}};
    return all;
  }

 private:
  template <typename T, typename Take>
  void hear(const Request& request, const Take& take) {
    if (lost_) return;
    const std::size_t longest = longest_answer(to_line(request));
    while (!received_.has_line() && received_.line_size() <= longest && !output_.empty()) {
      const std::size_t size = std::min(piece_, output_.size());
      received_.append(output_.substr(0, size));
      output_.remove_prefix(size);
    }
    const auto line = received_.take_line();
    lost_ = !line || line->size() > longest || !received_.empty();
    if (lost_) return;
    try {
      const auto answer = parse_answer<T>(*line);
      if (const auto* taken = std::get_if<T>(&answer)) return take(*taken);
      reason_ = std::get<answer::Refusal>(answer).reason;
    } catch (const ProtocolError& e) {
      lost_ = true;
      reason_ = e.what();
    }
  }

  const Case product_ = make_case(*find_workload("matmul"), {{"m", std::int64_t{2}},
                                                             {"n", std::int64_t{2}},
                                                             {"k", std::int64_t{2}},
                                                             {"dtype", std::string("f32")}});
  std::string_view output_;
  std::size_t piece_;
  ReceivedLines received_;
  bool lost_ = false;
  std::string reason_;
  BackendRecord backend_;
  CaseResult row_ = row_of(product_);
  CaseResult trained_ = row_of(
      make_case(*find_workload("train"), {{"network", std::string("mlp")}, {"batch", std::int64_t{1}}}));
  CaseResult fitting_ = row_of(make_case(*find_workload("fits"), {{"of", std::string("matmul")}}));
};

}  // namespace

/// The first byte is the size of a piece. An exception that leaves this function is an error found.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view output(reinterpret_cast<const char*>(data), size);
  Conversation conversation(output.substr(1), std::max<std::size_t>(1, data[0]));
  conversation.hold();
  result_from_text(to_json_text(conversation.result()), "what the driver has written");
  return 0;
}
