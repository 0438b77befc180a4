# What `cmake --install` puts under the prefix; nothing in it names the prefix, so it can be moved.
# Components are the packages of cmake/package.cmake.
#
#   find_package(flange)                     flange::flange, and flange::flange_static where the
#                                            libraries that it needs are found
#   find_package(flange COMPONENTS static)   the same, and fails without flange::flange_static
#   pkg-config [--static] flange
include(CMakePackageConfigHelpers)

# The pkg-config modules behind the PkgConfig:: targets of cmake/dependencies.cmake: whoever links
# the static library has to find them again.
set(FLANGE_MODULES_FYAML libfyaml)
set(FLANGE_MODULES_EXPAT expat)

set(FLANGE_FIND_MODULES "")
set(FLANGE_MODULES "")
set(FLANGE_PC_LIBS "")
foreach(dependency ${FLANGE_DEPENDENCIES})
  if(NOT dependency MATCHES "::")
    string(APPEND FLANGE_PC_LIBS " -l${dependency}")
  endif()
  if(NOT dependency MATCHES "^PkgConfig::(.+)$")
    continue()
  endif()
  set(name ${CMAKE_MATCH_1})
  if(NOT DEFINED FLANGE_MODULES_${name})
    message(FATAL_ERROR "cmake/install.cmake: which pkg-config modules are behind ${dependency}?")
  endif()
  string(REPLACE ";" " " modules "${FLANGE_MODULES_${name}}")
  string(APPEND FLANGE_FIND_MODULES "  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${modules})\n")
  string(APPEND FLANGE_FIND_MODULES "  list(APPEND flange_needed PkgConfig::${name})\n")
  string(APPEND FLANGE_MODULES " ${modules}")
  list(JOIN ${name}_LDFLAGS " " flags)
  string(APPEND FLANGE_PC_LIBS " ${flags}")
endforeach()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/flange ${PROJECT_BINARY_DIR}/include/flange
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.h")
# Two sets, so that users of the shared library need not have what the static one links.
install(TARGETS flange_shared EXPORT flangeTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS flange_static EXPORT flangeStaticTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/flange)
install(EXPORT flangeTargets NAMESPACE flange:: DESTINATION ${package_dir} COMPONENT development)
install(EXPORT flangeStaticTargets NAMESPACE flange:: DESTINATION ${package_dir}
  COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/flangeConfig.cmake.in
  ${PROJECT_BINARY_DIR}/flangeConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/flangeConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/flangeConfig.cmake
  ${PROJECT_BINARY_DIR}/flangeConfigVersion.cmake DESTINATION ${package_dir}
  COMPONENT development)

file(RELATIVE_PATH FLANGE_PC_UP ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(${PROJECT_SOURCE_DIR}/cmake/flange.pc.in ${PROJECT_BINARY_DIR}/flange.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/flange.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)

if(TARGET flange)
  install(TARGETS flange RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT tool)
endif()
if(TARGET flange_pages)
  install(FILES ${PROJECT_BINARY_DIR}/flange.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    COMPONENT tool)
  install(FILES ${PROJECT_BINARY_DIR}/flange.bash RENAME flange
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT tool)
endif()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
install(FILES README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool OPTIONAL)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATADIR}/flange COMPONENT tool OPTIONAL
  PATTERN "expected.json" EXCLUDE PATTERN "*.so" EXCLUDE)
# pip puts the Python package where its user wants it: here it is for Debian's python3 alone
install(DIRECTORY python/flange DESTINATION lib/python3/dist-packages COMPONENT python
  EXCLUDE_FROM_ALL FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
