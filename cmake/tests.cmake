# One program for each src/*/x_test.c and tests/x_test.c, one ctest each, named folder/x.
#
#   includes "allocations.h"  gets tests/allocations.c, which replaces malloc in that program only
#   includes <hdf5.h>         is linked with HDF5; <lapacke.h> or "dense_run.h": with LAPACKE
#   includes "plugins.h"      is told where the plug-ins of cmake/plugins.cmake are
#   mujoco_x_test.c           compares with MuJoCo, built only where libmujoco is found
#   siconos_x_test.c          compares with Siconos, built only where libsiconos-numerics is found
#   x_soak_test.c             a long run: label soak, run by `ctest -C soak -L soak` alone
#
# Simulations of many steps are long runs, too, where sanitizers make them ten times slower; shorter
# tests reach the same code there (couplings: scheme_contract, coupling_schemes, coupling_tips).
set(FLANGE_LONG_WITH_SANITIZERS assembly_figures assembly_friction assembly_groups
  assembly_limits assembly_stops bushing_interface contact_chains contact_closed_forms
  contact_stacks coupling_capture coupling_chain coupling_elements coupling_ground coupling_jacobi
  coupling_oscillator coupling_rings coupling_touching coupling_wall_push coupling_wrist
  cyclo_drive flexible_assembly robot_part_limits rounded_geometry spbot stiff structure_random)
# What these print stands in pages of the documentation; scripts/check-figures compares the two.
set(FLANGE_MEASURED coupling_capture coupling_chain coupling_oscillator coupling_wall_push
  coupling_wrist motor)
# Limits find tests that hang, not slow machines: many times of what the longest takes alone.
set(FLANGE_TEST_SECONDS 1800)
# Where nothing is known of earlier runs, ctest begins with what takes longest.
set(FLANGE_LONGEST assembly_groups contact_chains coupling_chain coupling_oscillator distance flex)
# Two hundred programs are linked: GNU's gold, of the same package as ld, takes a quarter of its time.
include(CheckLinkerFlag)
check_linker_flag(C -fuse-ld=gold FLANGE_HAS_GOLD)
# Their own work, a search in all directions, is most of what they do.
set(FLANGE_SEARCHING distance parallel_edges)
find_package(Python3 COMPONENTS Interpreter)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke openblas)
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
file(GLOB FLANGE_UNIT_TESTS CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/src/*/*_test.c ${PROJECT_SOURCE_DIR}/tests/*_test.c)

include(cmake/mujoco.cmake)
include(cmake/siconos.cmake)
include(cmake/plugins.cmake)
include(cmake/generate.cmake)
include(cmake/stored.cmake)

# Which helpers a test needs is read from its text, so CMake looks again when the text changes.
function(flange_link_helpers target source)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
  file(STRINGS ${source} includes_allocations REGEX "^#include \"allocations\\.h\"")
  if(includes_allocations)
    target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/allocations.c)
  endif()
  # tests compare with these libraries themselves, of which Flange links none
  file(STRINGS ${source} includes_hdf5 REGEX "^#include <hdf5\\.h>")
  if(includes_hdf5)
    target_link_libraries(${target} PRIVATE PkgConfig::HDF5)
  endif()
  file(STRINGS ${source} includes_lapack REGEX "^#include (<lapacke\\.h>|\"dense_run\\.h\")")
  if(includes_lapack)
    target_link_libraries(${target} PRIVATE PkgConfig::LAPACKE)
  endif()
  file(STRINGS ${source} includes_plugins REGEX "^#include \"plugins\\.h\"")
  if(includes_plugins)
    add_dependencies(${target} flange_plugins)
    target_compile_definitions(${target} PRIVATE PLUGIN_FOLDER="${FLANGE_PLUGIN_FOLDER}")
  endif()
  file(STRINGS ${source} includes_generate REGEX "^#include \"generate/write\\.h\"")
  if(includes_generate)
    foreach(name draw draw_pile draw_wide features write)
      target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/generate/${name}.c)
    endforeach()
  endif()
endfunction()

function(flange_add_test source)
  cmake_path(GET source STEM stem)
  cmake_path(GET source PARENT_PATH folder)
  cmake_path(GET folder FILENAME folder)
  string(REGEX REPLACE "_test$" "" name ${stem})
  set(target ${folder}_${stem})
  if(name MATCHES "^mujoco_")
    flange_need_mujoco(${folder}/${name})
    if(NOT FLANGE_HAS_MUJOCO)
      return()
    endif()
  elseif(name MATCHES "^siconos_")
    flange_need_siconos(${folder}/${name})
    if(NOT FLANGE_HAS_SICONOS)
      return()
    endif()
  endif()

  add_executable(${target} ${source})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${target} PRIVATE flange_inner PkgConfig::CMOCKA)
  # tests run once: the library is optimised, their own work need not be (and at -O1 GCC takes for
  # uninitialised what it sees written at -O3)
  if(FLANGE_SANITIZE) # a list with commas, which generator expressions do not take
    set(optimised -O0)
  elseif(name IN_LIST FLANGE_SEARCHING)
    set(optimised -O3)
  else()
    set(optimised -O1)
  endif()
  target_compile_options(${target} PRIVATE ${optimised}
    $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  if(FLANGE_HAS_GOLD)
    target_link_options(${target} PRIVATE -fuse-ld=gold)
  endif()
  if(FLANGE_WHOLE)
    target_compile_definitions(${target} PRIVATE FLANGE_WHOLE)
  endif()
  flange_link_helpers(${target} ${source})
  if(name MATCHES "^mujoco_")
    flange_link_mujoco(${target})
  elseif(name MATCHES "^siconos_")
    flange_link_siconos(${target})
  endif()

  # figures of the documentation come from these
  set(command ${target})
  if(name IN_LIST FLANGE_MEASURED AND NOT FLANGE_SANITIZE AND Python3_EXECUTABLE)
    set(command ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check-figures $<TARGET_FILE:${target}>)
  endif()
  if(name MATCHES "soak" OR (FLANGE_SANITIZE AND name IN_LIST FLANGE_LONG_WITH_SANITIZERS))
    add_test(NAME ${folder}/${name} COMMAND ${command} CONFIGURATIONS soak)
    set_tests_properties(${folder}/${name} PROPERTIES TIMEOUT 36000 LABELS soak)
  else()
    add_test(NAME ${folder}/${name} COMMAND ${command})
    set_tests_properties(${folder}/${name} PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})
  endif()
  if(name IN_LIST FLANGE_LONGEST)
    set_tests_properties(${folder}/${name} PROPERTIES COST 10)
  endif()
  # side by side, the threads of OpenBLAS would spin for each other's processors
  set_tests_properties(${folder}/${name} PROPERTIES
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ENVIRONMENT OPENBLAS_NUM_THREADS=1)
endfunction()

foreach(source ${FLANGE_UNIT_TESTS})
  flange_add_test(${source})
endforeach()

# A program outside of this tree builds against what `cmake --install` leaves behind. Not with
# instrumented libraries, which only programs built the same way can link.
if(NOT FLANGE_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "--coverage")
  add_test(NAME outside/package
    COMMAND ${PROJECT_SOURCE_DIR}/tests/outside/check
      ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER} ${PROJECT_VERSION})
  set_tests_properties(outside/package PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})
endif()

# The longest table, whole.
if(Python3_EXECUTABLE)
  add_test(NAME docs/chains CONFIGURATIONS soak
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/check-figures
      $<TARGET_FILE:tests_coupling_chain_test>)
  set_tests_properties(docs/chains PROPERTIES TIMEOUT 36000 LABELS soak
    ENVIRONMENT "OPENBLAS_NUM_THREADS=1;FLANGE_MARKS=all")
endif()

# Numbers do not depend on the units of length, mass and time: by powers of two bit for bit, by 1e3 and 1e-3 to 1e-9,
# with contacts to 1e-6. Two examples amplify rounding, and are bound by ten times what a last bit of their input makes:
# the steps of `adaptive` (pendulum/modelica) end where an estimate of 1e-10 says so, and in the ladder of four-bars
# pivots of a singular pose are compared with a threshold at t = 6.62 s, to which rounding has grown by 1e6. Examples
# with plug-ins are left out: their numbers are compiled.
set(scaled_examples pendulum/pendulum pendulum/simple pendulum/friction oscillator/oscillator governor/governor
    squeezer/squeezer slider-crank/slider-crank bouncing/bouncing incline/incline tower/tower wrist/wrist ssrms/reach
    flexible-arm/cantilever flexible-arm/wrist flexible-arm/flexible-arm own-subsystem/twin own-subsystem/bounce-twin
    capture/hop capture/capture capture/friction table-ii/table-ii ssrms/poses spbot/spbot
    wall-push/manoeuvre1-flexible wall-push/manoeuvre1-rigid wall-push/manoeuvre1-flexible-locked
    wall-push/manoeuvre1-rigid-locked wall-push/manoeuvre2-flexible wall-push/manoeuvre2-rigid
    wall-push/manoeuvre2-flexible-locked wall-push/manoeuvre2-rigid-locked)
set(scaled_amplifying pendulum/modelica four-bars/four-bars)
list(TRANSFORM scaled_examples REPLACE "(.+)" "examples/\\1.yaml")
list(TRANSFORM scaled_amplifying REPLACE "(.+)" "--amplifies;examples/\\1.yaml")
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import yaml" RESULT_VARIABLE no_yaml OUTPUT_QUIET ERROR_QUIET)
if(TARGET flange AND Python3_EXECUTABLE AND no_yaml EQUAL 0 AND NOT FLANGE_SANITIZE)
  add_test(NAME tool/scaled COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tool/scaled $<TARGET_FILE:flange>
    ${scaled_examples} ${scaled_amplifying} --by 1000,1e6,g --by 0.001,1e-6,g --by 1024,1048576,g
    --by 0.0009765625,1,g WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # interfaces that joints block on both sides, from 1e-12 to 1e18 kg and from micrometres to a thousand kilometres
  add_test(NAME tool/scaled_trusses COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tool/scaled
    $<TARGET_FILE:flange> tests/trusses/two.yaml tests/trusses/three.yaml --by 1,9.094947017729282e-13,1
    --by 1,1152921504606846976,1 --by 9.5367431640625e-07,1,g --by 1048576,1,g WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # rows that take no part are many times as soft as bodies, in any unit
  add_test(NAME tool/scaled_slides COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/tool/scaled
    $<TARGET_FILE:flange> tests/slides/root.yaml tests/slides/sequential.yaml tests/slides/parallel.yaml
    --by 1,9.094947017729282e-13,1 --by 1,1073741824,1 --by 9.313225746154785e-10,1,1 --by 1073741824,1,1
    --by 9.5367431640625e-07,1,g --by 1048576,1,g WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
endif()

# Words that the glossary has retired, tolerances without a name or a reason. The texts are the same in all builds; maxima are looked at by the step layers
# of scripts/test.
if(NOT FLANGE_SANITIZE)
  add_test(NAME sources/words_test COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-words --self-test)
  add_test(NAME sources/words COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-words)
  add_test(NAME sources/facts_test COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-facts --self-test)
  add_test(NAME sources/facts COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-facts)
  if(Python3_EXECUTABLE)
    add_test(NAME sources/tolerances
      COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/tolerances --check)
  endif()
endif()

# The reference of the C interface: every public name is documented. The headers are the same in all
# builds.
find_program(FLANGE_DOXYGEN doxygen)
if(FLANGE_DOXYGEN AND NOT FLANGE_SANITIZE)
  add_test(NAME sources/reference COMMAND ${PROJECT_SOURCE_DIR}/scripts/reference)
elseif(NOT FLANGE_DOXYGEN)
  message(WARNING "There is no doxygen: sources/reference is not run")
endif()

# The tool as a user meets it: help, runs, mistakes, interrupts, full disks.
add_test(NAME tool/check COMMAND ${PROJECT_SOURCE_DIR}/tests/tool/check $<TARGET_FILE:flange>)
set_tests_properties(tool/check PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS} COST 20)
add_test(NAME tool/neighbours COMMAND ${PROJECT_SOURCE_DIR}/tests/tool/neighbours $<TARGET_FILE:flange>)
set_tests_properties(tool/neighbours PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})

# What only reads files is the same in all builds.
if(NOT FLANGE_SANITIZE)
  # exports that no other source needs
  add_test(NAME tool/exports
    COMMAND ${PROJECT_SOURCE_DIR}/scripts/check-exports ${PROJECT_BINARY_DIR})
  # figures of pages that have drifted fail the tests that print them; the changelog says nothing twice
  add_test(NAME tool/figures COMMAND ${PROJECT_SOURCE_DIR}/tests/tool/figures)
  add_test(NAME tool/changelog COMMAND ${PROJECT_SOURCE_DIR}/tests/tool/changelog)
endif()

# What the documentation says of --json.
add_test(NAME tool/json COMMAND ${PROJECT_SOURCE_DIR}/tests/tool/json $<TARGET_FILE:flange>)
set_tests_properties(tool/json PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})

# What the documentation tells users to type. With sanitizers a long run: tool/check starts each verb
# there, too.
set(pages_configurations)
if(FLANGE_SANITIZE)
  set(pages_configurations CONFIGURATIONS soak)
endif()
add_test(NAME tool/pages ${pages_configurations}
  COMMAND ${PROJECT_SOURCE_DIR}/tests/tool/pages $<TARGET_FILE:flange> README.md CONTRIBUTING.md
    docs/ARCHITECTURE.md docs/c-interface.md docs/capture.md docs/compiled.md docs/complementarity.md docs/components.md docs/contact.md
    docs/coupling.md docs/flexible.md docs/glossary.md docs/json.md docs/limits.md docs/plugins.md docs/results.md
    docs/robots.md docs/signals.md docs/theory.md docs/tolerances.md docs/view.md docs/wall-push.md)
set_tests_properties(tool/pages PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})
if(FLANGE_SANITIZE)
  set_tests_properties(tool/pages PROPERTIES LABELS soak)
endif()

# The tool as it is built where npm is missing: the page is made with a PATH that does not have it.
if(NOT FLANGE_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "--coverage")
  set(pageless ${PROJECT_BINARY_DIR}/pageless)
  foreach(name bash dirname mkdir env)
    find_program(FLANGE_PATH_${name} ${name} REQUIRED)
    file(MAKE_DIRECTORY ${pageless}/bin)
    file(CREATE_LINK ${FLANGE_PATH_${name}} ${pageless}/bin/${name} SYMBOLIC)
  endforeach()
  add_custom_command(OUTPUT ${pageless}/page.c
    COMMAND ${CMAKE_COMMAND} -E env PATH=${pageless}/bin ${pageless}/bin/bash -c
      "exec ${PROJECT_SOURCE_DIR}/scripts/build-page ${pageless}/packages ${pageless} 2>${pageless}/log"
    DEPENDS ${PROJECT_SOURCE_DIR}/scripts/build-page
    COMMENT "Building a tool without the page of reports" VERBATIM)
  add_executable(flange_pageless $<TARGET_OBJECTS:flange_tool_objects> ${pageless}/page.c)
  target_link_libraries(flange_pageless PRIVATE flange_inner)
  add_test(NAME tool/pageless
    COMMAND ${PROJECT_SOURCE_DIR}/tests/tool/pageless $<TARGET_FILE:flange_pageless> ${pageless}/log)
  set_tests_properties(tool/pageless PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS})
endif()

# Reports in a browser. Not with sanitizers: the page is the same, and what writes it is tried by
# tool/check.
find_program(FLANGE_CHROMIUM chromium)
if(NOT FLANGE_SANITIZE AND NOT CMAKE_C_FLAGS MATCHES "--coverage")
  if(FLANGE_CHROMIUM)
    add_test(NAME page/check COMMAND ${PROJECT_SOURCE_DIR}/tests/page/check
      $<TARGET_FILE:flange> ${FLANGE_PAGE_FOLDER} ${FLANGE_PLUGIN_FOLDER})
    set_tests_properties(page/check PROPERTIES TIMEOUT ${FLANGE_TEST_SECONDS} COST 40)
    add_test(NAME page/all CONFIGURATIONS soak COMMAND ${PROJECT_SOURCE_DIR}/tests/page/check
      $<TARGET_FILE:flange> ${FLANGE_PAGE_FOLDER} ${FLANGE_PLUGIN_FOLDER})
    set_tests_properties(page/all PROPERTIES TIMEOUT 36000 LABELS soak ENVIRONMENT FLANGE_PAGES=all)
  else()
    message(WARNING "There is no chromium: page/check, which opens reports, is not run")
  endif()
endif()

# What scripts/bench-check counts the instructions of; not a test by itself.
find_path(VALGRIND_INCLUDE_DIR valgrind/callgrind.h)
mark_as_advanced(VALGRIND_INCLUDE_DIR)
if(VALGRIND_INCLUDE_DIR AND NOT FLANGE_SANITIZE)
  add_executable(kernels EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/bench/kernels.c)
  target_include_directories(kernels PRIVATE ${PROJECT_SOURCE_DIR}/tests ${VALGRIND_INCLUDE_DIR})
  target_compile_options(kernels PRIVATE $<$<C_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_libraries(kernels PRIVATE flange_inner PkgConfig::CMOCKA)
endif()

include(cmake/faults.cmake)
if(FLANGE_SANITIZE)
  include(cmake/replay.cmake)
endif()
include(cmake/python.cmake)
