# Finds the places of a library: the system's, and each folder NAME-VERSION that scripts/setup-libraries made.
#   breakeven_places(RESULT NAME SYSTEM [LIBRARY INCLUDE] FILES ... HEADER ...)
# RESULT is a list of "PROGRAM|LIBRARY|INCLUDE". The program for a folder's library has the folder's name; without a
# system's library, that of the newest one is NAME. FILES: possible names of the library's file in a folder. SYSTEM may
# be what find_library() and find_path() did not find.
function(breakeven_places result name)
  cmake_parse_arguments(ARG "" "HEADER" "SYSTEM;FILES" ${ARGN})
  set(places "")
  list(LENGTH ARG_SYSTEM found)
  if(found EQUAL 2)
    list(GET ARG_SYSTEM 0 library)
    list(GET ARG_SYSTEM 1 include)
    if(library AND include)
      list(APPEND places "${name}|${library}|${include}")
    endif()
  endif()
  file(GLOB folders LIST_DIRECTORIES true CONFIGURE_DEPENDS ${BREAKEVEN_BROUGHT_LIBRARIES}/${name}-*)
  list(SORT folders COMPARE NATURAL ORDER DESCENDING)
  foreach(folder ${folders})
    unset(brought_file)
    find_library(brought_file NAMES ${ARG_FILES} PATHS ${folder}/lib NO_DEFAULT_PATH NO_CACHE)
    if(NOT brought_file OR NOT EXISTS ${folder}/include/${ARG_HEADER})
      message(STATUS "${folder}: holds no ${name} that can be used and is left out; scripts/setup-libraries brings it anew")
    else()
      get_filename_component(program ${folder} NAME)
      if(NOT places)
        set(program ${name})
      endif()
      list(APPEND places "${program}|${brought_file}|${folder}/include")
    endif()
  endforeach()
  set(${result} "${places}" PARENT_SCOPE)
endfunction()

# Builds a backend program for one of these places. It reads the headers there before others, and has its name as
# BREAKEVEN_BACKEND_NAME.
function(breakeven_backend_at program library include)  # breakeven_backend_at(... SOURCES ... LIBRARIES ...)
  breakeven_backend(${program} ${ARGN} ${library})
  target_include_directories(breakeven-backend-${program} SYSTEM BEFORE PRIVATE ${include})
  target_compile_definitions(breakeven-backend-${program} PRIVATE BREAKEVEN_BACKEND_NAME="${program}")
  # A library outside the loader's path is found in the folder in which it was linked.
  set_target_properties(breakeven-backend-${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
endfunction()
