# Of several builds the one on OpenMP: it shares its threads with this program's own loops. Debian has them in folders;
# Fedora has libopenblaso (OpenMP), libopenblasp (own threads) and libopenblas, which has one thread.
set(remedy "install OpenBLAS (Debian: libopenblas-openmp-dev; or scripts/setup-libraries openblas) and build again")
set(versions VERSIONS)
set(header cblas.h)
set(files openblas scipy_openblas)
find_library(OPENBLAS_LIBRARY NAMES openblaso openblasp openblas NAMES_PER_DIR PATH_SUFFIXES openblas-openmp openblas-pthread)
find_path(OPENBLAS_INCLUDE openblas_config.h PATH_SUFFIXES openblas-openmp openblas-pthread openblas)
set(library ${OPENBLAS_LIBRARY})
set(include ${OPENBLAS_INCLUDE})
