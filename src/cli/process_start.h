#pragma once

namespace breakeven {

/// Makes the process ready for what its surroundings may be, before anything is opened:
/// - Standard streams that are closed become /dev/null, opened the wrong way round: what is written to them
///   or read from them still fails, and no file that is opened later gets their numbers and with them what
///   was meant for the terminal.
/// - Writing beyond the largest size of a file (`ulimit -f`) is an error like others, not the end (SIGXFSZ).
/// - Some memory is kept back for what must be done when memory ends: to undo, and to say so.
void prepare_process();

}  // namespace breakeven
