# MuJoCo, a peer to compare with: tests and benchmarks may link it, the library never does.
find_path(MUJOCO_INCLUDE_DIR mujoco/mujoco.h)
find_library(MUJOCO_LIBRARY mujoco)
mark_as_advanced(MUJOCO_INCLUDE_DIR MUJOCO_LIBRARY)

# Sets FLANGE_HAS_MUJOCO where both are found; says on whose account if not.
function(flange_need_mujoco name)
  if(MUJOCO_INCLUDE_DIR AND MUJOCO_LIBRARY)
    set(FLANGE_HAS_MUJOCO ON PARENT_SCOPE)
  else()
    set(FLANGE_HAS_MUJOCO OFF PARENT_SCOPE)
    message(WARNING "${name} is not built: libmujoco (Debian: libmujoco-dev) is missing")
  endif()
endfunction()

function(flange_link_mujoco target)
  target_include_directories(${target} SYSTEM PRIVATE ${MUJOCO_INCLUDE_DIR})
  target_link_libraries(${target} PRIVATE ${MUJOCO_LIBRARY})
endfunction()
