# Faults from outside (tests/faults/README.md): shims that are loaded before the tool, and inputs with
# mistakes. A small share of the cases in the tests, all of them in soak runs, by scripts/faults.
foreach(shim power_cut failing_malloc missing_library)
  add_library(faults_${shim} MODULE ${PROJECT_SOURCE_DIR}/tests/faults/${shim}.c)
  set_target_properties(faults_${shim} PROPERTIES PREFIX "" OUTPUT_NAME ${shim}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/faults)
  target_link_libraries(faults_${shim} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
add_executable(faults_allocations ${PROJECT_SOURCE_DIR}/tests/faults/allocations.c
  ${PROJECT_SOURCE_DIR}/tests/faults/folder.c)
set_target_properties(faults_allocations PROPERTIES OUTPUT_NAME allocations
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/faults)
add_library(faults_mutate STATIC ${PROJECT_SOURCE_DIR}/tests/faults/mutate.c)
target_link_libraries(faults_mutate PRIVATE flange_compiler)
add_executable(faults_inputs ${PROJECT_SOURCE_DIR}/tests/faults/inputs.c)
set_target_properties(faults_inputs PROPERTIES OUTPUT_NAME inputs
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/faults)
target_link_libraries(faults_inputs PRIVATE faults_mutate flange_inner)

# The first of so many parts of all cases.
function(flange_add_faults kind parts)
  add_test(NAME faults/${kind}
    COMMAND ${PROJECT_SOURCE_DIR}/tests/faults/${kind} $<TARGET_FILE:flange> ${PROJECT_BINARY_DIR}/faults
      1 ${parts})
  set_tests_properties(faults/${kind} PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})
endfunction()
if(FLANGE_SANITIZE)
  flange_add_faults(inputs 5000)
else() # sanitizers want to be loaded before shims
  flange_add_faults(inputs 2000)
  flange_add_faults(results 100)
  flange_add_faults(allocations 1000)
  flange_add_faults(kills 100)
  flange_add_faults(cuts 50)
  flange_add_faults(disks 20)
  flange_add_faults(libraries 1)
endif()
