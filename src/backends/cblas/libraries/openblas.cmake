# Of Debian's two variants the one built on OpenMP: it shares its threads with this program's own loops.
set(package "apt-get install libopenblas-openmp-dev, scripts/setup-libraries openblas, or -DOPENBLAS_LIBRARY= and -DOPENBLAS_INCLUDE=")
set(header cblas.h)
set(files openblas scipy_openblas)
find_library(OPENBLAS_LIBRARY openblas PATH_SUFFIXES openblas-openmp openblas-pthread)
find_path(OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas-openmp openblas-pthread openblas)
set(library ${OPENBLAS_LIBRARY})
set(include ${OPENBLAS_INCLUDE})
