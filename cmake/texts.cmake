# Files of the project as arrays of bytes, for generated sources that contain them (src/compile/texts.h).
set(FLANGE_TEXTS_SOURCE ${PROJECT_BINARY_DIR}/texts/texts.c)
set(texts "/* made by cmake/texts.cmake */\n#include \"compile/texts.h\"\n")
foreach(text plugin=include/flange/plugin.h sine_kernel=src/dynamics/sine_kernel.h
    shared_runtime=src/compile/shared_runtime.h joint_space=src/compile/joint_space.h robot_runtime=src/compile/robot_runtime.h
    robot_ports=src/compile/robot_ports.h
    mechanism_tables=src/compile/mechanism_tables.h
    mechanism_rows=src/compile/mechanism_rows.h mechanism_step=src/compile/mechanism_step.h
    mechanism_signals=src/compile/mechanism_signals.h mechanism_told=src/compile/mechanism_told.h
    mechanism_forces=src/compile/mechanism_forces.h
    mechanism_ports=src/compile/mechanism_ports.h mechanism_plane=src/compile/mechanism_plane.h
    planar_code=src/compile/planar_code.h planar_rows=src/compile/planar_rows.h
    planar_columns=src/compile/planar_columns.h planar_step=src/compile/planar_step.h
    plugin_table=src/compile/plugin_table.h
    vec3=src/math/vec3.h mat3=src/math/mat3.h rotation=src/math/rotation.h
    exp_kernel=src/math/exp_kernel.h spatial=src/math/spatial.h
    axial=src/math/axial.h dense_small=src/math/dense_small.h six=src/math/six.h larger=src/math/larger.h
    log_kernel=src/math/log_kernel.h relative=src/dynamics/relative.h
    constraint_row=src/dynamics/constraint_row.h coordinate_kernels=src/dynamics/coordinate_kernels.h
    bushing_kernels=src/forces/bushing_kernels.h
    frozen_kernels=src/interface/frozen_kernels.h joint_kernels=src/dynamics/joint_kernels.h
    body_kernels=src/parts/body_kernels.h part_work=src/parts/part_work.h
    space_code=src/compile/space_code.h space_rows=src/compile/space_rows.h
    space_columns=src/compile/space_columns.h space_step=src/compile/space_step.h
    space_alone=src/compile/space_alone.h mechanism_space=src/compile/mechanism_space.h
    tree_code=src/assembly/tree_code.h tree_step=src/compile/tree_step.h
    signal_calls=src/compile/signal_calls.h tree_ports=src/compile/tree_ports.h
    exponential=src/math/exponential.h exponential_code=src/math/exponential.c
    curve=src/model/curve.h curve_code=src/model/curve.c
    source_kernels=src/model/source_kernels.h signal_kernels=src/assembly/signal_kernels.h)
  string(REGEX MATCH "^([a-z_0-9]+)=(.*)$" parts ${text})
  set(name ${CMAKE_MATCH_1})
  set(path ${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_2})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(APPEND texts "static const unsigned char ${name}[] = {${bytes}};\n"
    "const flg_text flg_text_${name} = {${name}, sizeof ${name}};\n")
endforeach()
file(CONFIGURE OUTPUT ${FLANGE_TEXTS_SOURCE} CONTENT "${texts}" @ONLY)
