# What Flange uses: all from Debian 12 (scripts/bootstrap installs it), none under the GPL.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
set(FLANGE_DEPENDENCIES PkgConfig::FYAML PkgConfig::EXPAT Threads::Threads ${CMAKE_DL_LIBS} m)

# The others are not linked, but opened when they are first needed (src/base/opened_library.h), by the
# name that the dynamic linker knows them by. Of each: its file here, and the sources that open it.
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(OPENBLAS REQUIRED IMPORTED_TARGET openblas)
find_library(SUNDIALS_LINK_LIBRARIES sundials_arkode REQUIRED) # has no pkg-config file
pkg_check_modules(ASSIMP IMPORTED_TARGET assimp) # may be missing: it reads meshes that are neither STL nor OBJ
mark_as_advanced(SUNDIALS_LINK_LIBRARIES)
set(FLANGE_OPENED HDF5 OPENBLAS SUNDIALS)
set(FLANGE_OPENED_BY_HDF5 results/hdf5_library.c)
set(FLANGE_OPENED_BY_OPENBLAS math/lapack.c)
set(FLANGE_OPENED_BY_SUNDIALS dynamics/adaptive.c)
set(FLANGE_OPENED_BY_ASSIMP io/mesh_import.c io/mesh_read_test.c)
if(ASSIMP_FOUND)
  list(APPEND FLANGE_OPENED ASSIMP)
endif()

# FLANGE_NAME_OF_x: libhdf5_serial.so.103
foreach(opened ${FLANGE_OPENED})
  list(GET ${opened}_LINK_LIBRARIES 0 file)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env LC_ALL=C ${CMAKE_READELF} -d ${file}
    OUTPUT_VARIABLE dynamic COMMAND_ERROR_IS_FATAL ANY)
  if(NOT dynamic MATCHES "SONAME\\)[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${file} is no shared library with a name of its own")
  endif()
  set(FLANGE_NAME_OF_${opened} ${CMAKE_MATCH_1})
  list(APPEND FLANGE_OPENED_INCLUDES ${${opened}_INCLUDE_DIRS})
  list(TRANSFORM FLANGE_OPENED_BY_${opened} PREPEND ${PROJECT_SOURCE_DIR}/src/)
  set_source_files_properties(${FLANGE_OPENED_BY_${opened}} PROPERTIES
    COMPILE_DEFINITIONS "FLANGE_${opened}=\"${FLANGE_NAME_OF_${opened}}\"")
  # where it is, for programs of the build folder; installed ones ask the system
  file(REAL_PATH ${file} file)
  cmake_path(GET file PARENT_PATH folder)
  if(NOT folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    list(APPEND CMAKE_BUILD_RPATH ${folder})
  endif()
endforeach()
