# Some builds of a CBLAS have a prefix before every function's name: scipy_cblas_sgemm. If HEADER declares
# such names, this script writes USUAL, a header that includes HEADER and defines each function's usual name.
# For any other header it writes nothing.
#   cmake -DHEADER=.../cblas.h -DUSUAL=.../usual.h -P usual_names.cmake
file(READ ${HEADER} text)
file(REMOVE ${USUAL})
string(REGEX MATCH "([A-Za-z0-9_]+_)cblas_sgemm[ (]" found "${text}")
if(NOT found)
  return()
endif()
set(prefix ${CMAKE_MATCH_1})
string(REGEX MATCHALL "[^A-Za-z0-9_]${prefix}[A-Za-z0-9_]+" names "${text}")
list(TRANSFORM names REPLACE "^.${prefix}" "")
list(REMOVE_DUPLICATES names)
set(usual "#include \"${HEADER}\"\n")
foreach(name ${names})
  string(APPEND usual "#define ${name} ${prefix}${name}\n")
endforeach()
file(WRITE ${USUAL} "${usual}")
