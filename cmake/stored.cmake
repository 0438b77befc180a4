# Results of many systems against stored ones: tests/stored/README.md.
file(GLOB FLANGE_STORED_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/stored/*.c)
set(FLANGE_STORED_DRAWN ${FLANGE_GENERATE_SOURCES})
list(FILTER FLANGE_STORED_DRAWN INCLUDE REGEX "/(draw.*|features|write|build|run)[.]c$")
add_executable(stored ${FLANGE_STORED_SOURCES} ${FLANGE_STORED_DRAWN})
target_include_directories(stored PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(stored PRIVATE flange_inner PkgConfig::CMOCKA)
target_compile_options(stored PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
# calls of the C library that processors round in their ways go through rounding.c
foreach(name sin cos sincos tan asin acos atan sinh cosh tanh exp exp2 log log2 atan2 hypot pow)
  target_link_options(stored PRIVATE -Wl,--wrap=${name})
endforeach()
set(every 1)
if(FLANGE_SANITIZE)
  set(every 10)
endif()
add_test(NAME stored/systems COMMAND stored --every ${every})
set_tests_properties(stored/systems PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS}
  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ENVIRONMENT OPENBLAS_NUM_THREADS=1)
