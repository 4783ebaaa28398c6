// For CI systems that show JUnit XML: GitLab, Jenkins, Azure Pipelines, and actions of GitHub.
#pragma once

#include <span>

#include "reports/tool_report.h"

namespace breakeven {

/// A test suite for each backend of each file, a test case for each of its cases: `wrong` and `implausible`
/// are failures, `unsupported` is skipped, every other status but `ok` an error. A run that did not come to
/// its end has an error more. `time` is what was spent inside samples. As Jenkins' junit-10.xsd has it:
/// https://github.com/jenkinsci/xunit-plugin
FormattedReport junit_report(std::span<const Result> results);

}  // namespace breakeven
