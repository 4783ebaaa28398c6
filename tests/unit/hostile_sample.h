// A result that could break a report's format, for the tests of reports.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "unit/reports_sample.h"

namespace breakeven::sample {

/// A result of every status, with names and numbers that could break a report's format. Some names differ
/// only in characters that are removed, or look like the suffixes that distinguish such names. It stands for
/// a file that somebody wrote by hand.
inline Result hostile() {
  using namespace std::string_literals;
  std::vector<CaseResult> cases;
  for (const std::string& id :
       {""s, "quote \" and \\ and '"s, "<b>&amp;</b>]]><!--"s, "two\nlines\r\n# EOF\n"s,
        "esc\x1b[2Jape\0nul\x7f"s, "not UTF-8: \xff\xc3 \xed\xa0\x80"s, "nonchar \xef\xbf\xbe\xef\xbf\xbf"s,
        "}\"},{\"name\":"s, "__proto__"s, "=1+1|x`y`"s, std::string(5000, 'x'), std::string(5000, 'x') + "y"s,
        std::string(999, 'x') + "\u00e9\u00e9"s, "same"s, "same\x01"s, "same/a (2)"s, "same/a"s,
        "\u202eturned"s}) {
    CaseResult r = product("a", 64, 0.5);
    r.id = id;
    r.label = r.algorithm = r.dtype = r.op = r.device = id;
    r.cpu_seconds = 0.25;
    cases.push_back(r);
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double seconds : {nan, infinity, 1e300, 1e-310, 0.0, -1.0, 1e-9}) {
    CaseResult r = product("numbers", 64, seconds);
    r.id = std::to_string(cases.size());
    r.seconds->samples = {seconds, nan};
    r.cpu_seconds = r.joules = r.device_seconds = seconds;
    r.flop = r.bytes = 1e308;
    cases.push_back(r);
  }
  for (const Status status : {Status::wrong, Status::implausible, Status::unsupported, Status::out_of_memory,
                              Status::failed, Status::timed_out, Status::interrupted}) {
    CaseResult r = refused(product("a", 64, 0.5), status, "why \"not\"?\n<\x02&\xff>");
    r.id = "status";
    r.warnings = quoted_notes({"<warned> \x03"});
    cases.push_back(r);
  }
  Result run = result(std::move(cases));
  run.host.name = run.host.cpu = run.host.os = run.created = run.tool_version = "<\"machine\\\">\n\xff";
  run.complete = false;
  BackendRecord hostile_backend = backend("a", true);
  hostile_backend.libraries = {{"<lib>\xff", "\"1\"\n"}};
  run.backends = {hostile_backend};
  return run;
}

}  // namespace breakeven::sample
