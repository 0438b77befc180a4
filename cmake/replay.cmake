# The fuzz targets on fixed inputs, one ctest each: the seeds in fuzz/corpus/x and mutations of them.
# libFuzzer, which finds new ones, is for soak runs (scripts/fuzz).
add_library(fuzz_replay STATIC ${PROJECT_SOURCE_DIR}/fuzz/replay.c)
target_link_libraries(fuzz_replay PRIVATE flange_compiler PUBLIC faults_mutate)
# Numbers of mutations that take about a second.
set(FLANGE_REPLAY_HEAVY component results scenario urdf)
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/fuzz_*.c)
foreach(source ${sources})
  cmake_path(GET source STEM stem)
  string(REGEX REPLACE "^fuzz_" "" name ${stem})
  add_executable(replay_${name} ${source})
  target_link_libraries(replay_${name} PRIVATE fuzz_replay flange_inner)
  set(mutations 5000)
  if(name IN_LIST FLANGE_REPLAY_HEAVY)
    set(mutations 500)
  endif()
  add_test(NAME fuzz/${name}
    COMMAND replay_${name} ${PROJECT_SOURCE_DIR}/fuzz/corpus/${name} ${mutations})
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})
endforeach()
target_link_libraries(replay_results PRIVATE PkgConfig::HDF5)
target_sources(replay_options PRIVATE ${PROJECT_SOURCE_DIR}/src/cli/arguments.c)
