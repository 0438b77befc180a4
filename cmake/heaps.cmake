# Bullet and ODE, peers to compare heaps of bodies with: benchmarks may link them, the library never
# does. Bullet speaks C++.
find_package(PkgConfig)
if(PkgConfig_FOUND)
  pkg_check_modules(FLANGE_HEAPS IMPORTED_TARGET bullet ode)
endif()

# Sets FLANGE_HAS_HEAPS where these and MuJoCo are found; says on whose account if not.
function(flange_need_heaps name)
  flange_need_mujoco(${name})
  if(FLANGE_HAS_MUJOCO AND FLANGE_HEAPS_FOUND)
    set(FLANGE_HAS_HEAPS ON PARENT_SCOPE)
  else()
    set(FLANGE_HAS_HEAPS OFF PARENT_SCOPE)
    message(WARNING "${name} is not built: it needs libmujoco-dev, libbullet-dev and libode-dev")
  endif()
endfunction()

# MuJoCo's own driver is a source of the program, so that it finds MuJoCo's headers.
macro(flange_link_heaps target)
  enable_language(CXX)
  flange_link_mujoco(${target})
  target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/bench/heap_mujoco.c)
  add_library(heap_peers STATIC ${PROJECT_SOURCE_DIR}/bench/heap_bullet.cpp ${PROJECT_SOURCE_DIR}/bench/heap_ode.c)
  target_link_libraries(heap_peers PUBLIC PkgConfig::FLANGE_HEAPS)
  target_link_libraries(${target} PRIVATE heap_peers)
endmacro()
