# One libFuzzer program for each fuzz/fuzz_x.c; its seeds lie in fuzz/corpus/x. The target `fuzzers`
# builds them all, and nothing else.
if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "FLANGE_FUZZ needs clang, not ${CMAKE_C_COMPILER_ID}: use `cmake --preset fuzz`")
endif()
# -O1, because most files compile in half the time of -O2 with all the checks inside.
target_compile_options(flange_compiler INTERFACE -O1)
file(GLOB FLANGE_FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)

add_custom_target(fuzzers)
foreach(source ${FLANGE_FUZZ_SOURCES})
  cmake_path(GET source STEM target)
  add_executable(${target} ${source})
  # libFuzzer has no header that would declare its entry point
  set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Wno-missing-prototypes)
  target_link_libraries(${target} PRIVATE flange_inner)
  target_link_options(${target} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${target})
endforeach()
target_link_libraries(fuzz_results PRIVATE PkgConfig::HDF5)
# the command line is part of the tool, not of the library
target_sources(fuzz_options PRIVATE ${PROJECT_SOURCE_DIR}/src/cli/arguments.c)
