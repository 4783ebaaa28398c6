# From Intel's packages or PyPI's mkl-devel, in a prefix named by CMAKE_PREFIX_PATH (of a virtual environment: its
# folder). PyPI's has no libmkl_rt.so without a version behind it.
set(package "pip install mkl-devel and -DCMAKE_PREFIX_PATH=, or -DMKL_LIBRARY= and -DMKL_INCLUDE=")
set(header mkl_cblas.h)
find_library(MKL_LIBRARY NAMES mkl_rt libmkl_rt.so.3 libmkl_rt.so.2)
find_path(MKL_INCLUDE mkl_cblas.h PATH_SUFFIXES mkl)
set(library ${MKL_LIBRARY})
set(include ${MKL_INCLUDE})
