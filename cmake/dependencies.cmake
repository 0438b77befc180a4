# What Flange links: all from Debian 12 (scripts/bootstrap installs it), none under the GPL.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke openblas)
pkg_check_modules(EXPAT REQUIRED IMPORTED_TARGET expat)
# SUNDIALS has no pkg-config file: its libraries go by their names
find_library(SUNDIALS_ARKODE_LIBRARY sundials_arkode REQUIRED)
mark_as_advanced(SUNDIALS_ARKODE_LIBRARY)
set(FLANGE_DEPENDENCIES PkgConfig::FYAML PkgConfig::EXPAT PkgConfig::HDF5 PkgConfig::LAPACKE
  sundials_arkode sundials_nvecserial Threads::Threads ${CMAKE_DL_LIBS} m)
# assimp reads meshes that are neither STL nor OBJ; it is opened at run time when one turns up
pkg_check_modules(ASSIMP assimp)
find_library(ASSIMP_LIBRARY assimp)
mark_as_advanced(ASSIMP_LIBRARY)
if(ASSIMP_FOUND AND ASSIMP_LIBRARY)
  get_filename_component(assimp_file ${ASSIMP_LIBRARY} REALPATH)
  get_filename_component(assimp_name ${assimp_file} NAME)
  # as programs would ask for it: libassimp.so.5, not libassimp.so.5.2.4
  string(REGEX MATCH "^lib[a-z]+\\.so\\.[0-9]+" FLANGE_ASSIMP_NAME ${assimp_name})
endif()
