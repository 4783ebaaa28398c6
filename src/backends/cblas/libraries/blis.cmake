set(remedy "install BLIS (Debian: libblis-dev) and build again")
set(header cblas.h)
set(files blis blis-mt)
find_library(BLIS_LIBRARY NAMES bliso blisp ${files} NAMES_PER_DIR PATH_SUFFIXES blis-openmp blis-pthread)
# BLIS's cblas.h is beside blis.h. In a folder in which blis.h is only a link, cblas.h may be another library's.
find_path(BLIS_INCLUDE blis.h PATH_SUFFIXES blis blis-openmp blis-pthread)
set(library ${BLIS_LIBRARY})
set(include ${BLIS_INCLUDE})
