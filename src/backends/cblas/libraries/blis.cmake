set(package "apt-get install libblis-dev, or -DBLIS_LIBRARY= and -DBLIS_INCLUDE=")
set(header cblas.h)
set(files blis blis-mt)
find_library(BLIS_LIBRARY NAMES ${files} PATH_SUFFIXES blis-openmp blis-pthread)
# cblas.h is in the folder of blis.h. In its parent, the same name may be a link to another library's header.
find_path(BLIS_INCLUDE blis.h PATH_SUFFIXES blis blis-openmp blis-pthread)
set(library ${BLIS_LIBRARY})
set(include ${BLIS_INCLUDE})
