# The Python package: its tests, by the python3 of Debian with its numpy and pytest, which another one
# earlier on the path may hide. Not with sanitizers: Python is not built with them.
find_program(FLANGE_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH)
set(FLANGE_PYTHON_COMPLETE 1)
if(FLANGE_PYTHON)
  execute_process(COMMAND ${FLANGE_PYTHON} -c "import numpy, pytest"
    RESULT_VARIABLE FLANGE_PYTHON_COMPLETE OUTPUT_QUIET ERROR_QUIET)
endif()
if(NOT FLANGE_PYTHON_COMPLETE EQUAL 0)
  message(WARNING "/usr/bin/python3 with numpy and pytest is not there: python/tests is not run")
elseif(NOT FLANGE_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "--coverage")
  add_test(NAME python/tests COMMAND ${FLANGE_PYTHON} -m pytest -q -p no:cacheprovider
    ${PROJECT_SOURCE_DIR}/python/tests)
  set_tests_properties(python/tests PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS}
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    ENVIRONMENT "FLANGE_LIBRARY=$<TARGET_FILE:flange_shared>;FLANGE_TOOL=$<TARGET_FILE:flange>;OPENBLAS_NUM_THREADS=1;PYTHONDONTWRITEBYTECODE=1")
endif()
