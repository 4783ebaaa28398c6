// The parts of reports/document/ that were one file.
#pragma once

#include "reports/document/descriptions.h"
#include "reports/document/remarks.h"
#include "reports/document/standings.h"
