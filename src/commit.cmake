# Writes HEADER with the commit of SOURCE, such as 1a2b3c4d5e6f-dirty; empty outside a git checkout. It runs at every
# build, and changes the header only if the commit has changed, so that at most one file is compiled again.
cmake_minimum_required(VERSION 3.22)
set(COMMIT "")
if(GIT)
  # A git hook that builds this tells git by variables to look at its own repository, or at another index.
  execute_process(COMMAND ${GIT} rev-parse --local-env-vars OUTPUT_VARIABLE names ERROR_QUIET)
  string(REGEX MATCHALL "[A-Z_]+" names "${names}")
  foreach(name IN LISTS names)
    unset(ENV{${name}})
  endforeach()
  file(REAL_PATH ${SOURCE} source)
  execute_process(COMMAND ${GIT} -C ${source} rev-parse --show-toplevel
                  OUTPUT_VARIABLE top ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(top)
    file(REAL_PATH ${top} top)
  endif()
  if(top STREQUAL source)  # an archive may be unpacked in a checkout of another project
    execute_process(COMMAND ${GIT} --no-optional-locks -C ${source} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE described ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(described)
      set(COMMIT ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT "#pragma once

namespace breakeven {
inline constexpr const char* commit = \"@COMMIT@\";
}  // namespace breakeven
")
