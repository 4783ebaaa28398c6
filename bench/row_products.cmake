# The backend without its main(), and the library that bench-bare-loop is linked to.
if(TARGET bench_openblas)
  add_library(bench_openblas_backend INTERFACE)
  target_sources(bench_openblas_backend INTERFACE ${PROJECT_SOURCE_DIR}/src/backends/cblas/gemm.cpp
                 ${PROJECT_SOURCE_DIR}/src/backends/cblas/program.cpp
                 ${PROJECT_SOURCE_DIR}/src/backends/cblas/libraries/openblas.cpp
                 $<FILTER:$<TARGET_OBJECTS:worker>,EXCLUDE,/main[.]cpp>)
  target_compile_definitions(bench_openblas_backend INTERFACE BREAKEVEN_CBLAS_HEADER=<cblas.h>
                             BREAKEVEN_BACKEND_NAME="openblas")
  set(libraries bench_openblas_backend bench_openblas cblas_common statistics network ${BREAKEVEN_SHARED_PARTS})
else()
  set(missing "OpenBLAS is not found")
endif()
