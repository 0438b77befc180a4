# Random mechanisms and what must hold of them: tests/generate/README.md. A thousand in the tests,
# fewer where sanitizers make them slow; a million in soak runs, which the environment can split.
file(GLOB FLANGE_GENERATE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/generate/*.c)
add_executable(generate ${FLANGE_GENERATE_SOURCES})
target_include_directories(generate PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(generate PRIVATE flange_inner)

set(FLANGE_GENERATE_COUNT 1000)
if(FLANGE_SANITIZE)
  set(FLANGE_GENERATE_COUNT 50)
endif()
add_test(NAME generate/systems COMMAND generate --count ${FLANGE_GENERATE_COUNT})
set_tests_properties(generate/systems PROPERTIES TIMEOUT 600)
add_test(NAME generate/soak COMMAND generate --count 1000000 CONFIGURATIONS soak)
set_tests_properties(generate/soak PROPERTIES TIMEOUT 172800 LABELS soak)
# side by side, the threads of OpenBLAS would spin for each other's processors
set_tests_properties(generate/systems generate/soak PROPERTIES ENVIRONMENT OPENBLAS_NUM_THREADS=1)
