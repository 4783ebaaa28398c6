#pragma once

namespace breakeven {

/// Prepares the process for unusual surroundings. Must be called before anything is opened.
/// - Closed standard streams become /dev/null, opened in the wrong direction: reading or writing them still
///   fails, and no file that is opened later gets their descriptors and with them the text for the terminal.
/// - Writing beyond the largest size of a file (`ulimit -f`) becomes an ordinary error instead of ending the
///   process (SIGXFSZ).
/// - Some memory is reserved for undoing work and reporting the error when memory runs out.
void prepare_process();

}  // namespace breakeven
