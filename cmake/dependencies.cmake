# What Flange links: all from Debian 12 (scripts/bootstrap installs it), none under the GPL.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(FYAML REQUIRED IMPORTED_TARGET libfyaml)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-serial)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke openblas)
set(FLANGE_DEPENDENCIES PkgConfig::FYAML PkgConfig::HDF5 PkgConfig::LAPACKE Threads::Threads m)
