set(package "apt-get install libblis-dev, or -DBLIS_LIBRARY= and -DBLIS_INCLUDE=")
set(header cblas.h)
set(files blis blis-mt)
find_library(BLIS_LIBRARY NAMES ${files} PATH_SUFFIXES blis-openmp blis-pthread)
# Its cblas.h stands beside blis.h; another library's may stand under the same name where that is a link.
find_path(BLIS_INCLUDE blis.h PATH_SUFFIXES blis blis-openmp blis-pthread)
set(library ${BLIS_LIBRARY})
set(include ${BLIS_INCLUDE})
