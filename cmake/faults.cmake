# Faults from outside: shims that are loaded before the tool (tests/faults).
foreach(shim power_cut failing_malloc)
  add_library(faults_${shim} MODULE ${PROJECT_SOURCE_DIR}/tests/faults/${shim}.c)
  set_target_properties(faults_${shim} PROPERTIES PREFIX "" OUTPUT_NAME ${shim}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/faults)
  target_link_libraries(faults_${shim} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
# sanitizers want to be loaded first
if(NOT FLANGE_SANITIZE)
  add_test(NAME tool/power_cuts
    COMMAND ${PROJECT_SOURCE_DIR}/tests/faults/cuts $<TARGET_FILE:flange> $<TARGET_FILE:faults_power_cut> 12)
  add_test(NAME tool/power_cuts_soak CONFIGURATIONS soak
    COMMAND ${PROJECT_SOURCE_DIR}/tests/faults/cuts $<TARGET_FILE:flange> $<TARGET_FILE:faults_power_cut> 500)
  set_tests_properties(tool/power_cuts_soak PROPERTIES LABELS soak TIMEOUT 7200)
endif()
