# From Intel's packages or PyPI's mkl-devel, in a prefix in CMAKE_PREFIX_PATH (for a virtual environment: its
# folder). PyPI's has no libmkl_rt.so without a version suffix.
set(remedy "run scripts/setup-libraries mkl and build again (docs/compare-libraries.md, \"MKL\")")
if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(remedy "Intel builds MKL for x86-64 processors only")
endif()
set(versions VERSIONS)
set(header mkl_cblas.h)
set(files mkl_rt libmkl_rt.so.3 libmkl_rt.so.2)
find_library(MKL_LIBRARY NAMES ${files})
find_path(MKL_INCLUDE mkl_cblas.h PATH_SUFFIXES mkl)
set(library ${MKL_LIBRARY})
set(include ${MKL_INCLUDE})
