# One program for each src/*/x_test.c and tests/x_test.c, one ctest each, named folder/x.
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
file(GLOB FLANGE_UNIT_TESTS CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*/*_test.c ${PROJECT_SOURCE_DIR}/tests/*_test.c)

foreach(source ${FLANGE_UNIT_TESTS})
  cmake_path(GET source STEM stem)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  string(REGEX REPLACE "_test$" "" name ${stem})
  set(target ${folder}_${stem})
  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE flange_inner PkgConfig::CMOCKA)
  add_test(NAME ${folder}/${name} COMMAND ${target})
  set_tests_properties(${folder}/${name} PROPERTIES
    TIMEOUT 300 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endforeach()
