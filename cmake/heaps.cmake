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

macro(flange_link_heaps target)
  enable_language(CXX)
  flange_link_mujoco(${target})
  add_library(heap_bullet STATIC ${PROJECT_SOURCE_DIR}/bench/heap_bullet.cpp)
  target_link_libraries(heap_bullet PUBLIC PkgConfig::FLANGE_HEAPS)
  target_link_libraries(${target} PRIVATE heap_bullet)
endmacro()
