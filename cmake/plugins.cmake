# Plug-ins for the tests, built as a user would: with the plain compiler, one header, and none of our
# options. They lie together in build/plugins; tests that include "plugins.h" learn where.
#
#   mass_spring   examples/own-subsystem     servo      a controller
#   pendulum      with a port that turns
#   body          examples/own-subsystem/body.c
#   faulty0..27   tests/plugins/faulty.c, with one thing wrong each
set(FLANGE_PLUGIN_FOLDER ${PROJECT_BINARY_DIR}/plugins)

function(flange_add_plugin name source)
  add_library(plugin_${name} MODULE ${source})
  set_target_properties(plugin_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${FLANGE_PLUGIN_FOLDER})
  target_include_directories(plugin_${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_compile_options(plugin_${name} PRIVATE -Wall -Wextra -Wpedantic
    $<$<BOOL:${FLANGE_STRICT}>:-Werror>)
  target_link_libraries(plugin_${name} PRIVATE m)
  add_dependencies(flange_plugins plugin_${name})
endfunction()

add_custom_target(flange_plugins)
flange_add_plugin(mass_spring ${PROJECT_SOURCE_DIR}/examples/own-subsystem/mass_spring.c)
flange_add_plugin(body ${PROJECT_SOURCE_DIR}/examples/own-subsystem/body.c)
flange_add_plugin(servo ${PROJECT_SOURCE_DIR}/tests/plugins/servo.c)
flange_add_plugin(pendulum ${PROJECT_SOURCE_DIR}/tests/plugins/pendulum.c)
foreach(fault RANGE 27)
  flange_add_plugin(faulty${fault} ${PROJECT_SOURCE_DIR}/tests/plugins/faulty.c)
  target_compile_definitions(plugin_faulty${fault} PRIVATE FAULT=${fault})
endforeach()
