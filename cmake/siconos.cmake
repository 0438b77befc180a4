# Siconos, a peer to compare complementarity problems with: tests and benchmarks may link it, the
# library never does.
find_path(SICONOS_INCLUDE_DIR LCP_Solvers.h PATH_SUFFIXES siconos/numerics)
find_library(SICONOS_LIBRARY siconos_numerics)
mark_as_advanced(SICONOS_INCLUDE_DIR SICONOS_LIBRARY)

# Sets FLANGE_HAS_SICONOS where both are found; says on whose account if not.
function(flange_need_siconos name)
  if(SICONOS_INCLUDE_DIR AND SICONOS_LIBRARY)
    set(FLANGE_HAS_SICONOS ON PARENT_SCOPE)
  else()
    set(FLANGE_HAS_SICONOS OFF PARENT_SCOPE)
    message(WARNING
      "${name} is not built: libsiconos-numerics (Debian: libsiconos-numerics-dev) is missing")
  endif()
endfunction()

function(flange_link_siconos target)
  cmake_path(GET SICONOS_INCLUDE_DIR PARENT_PATH folder)
  target_include_directories(${target} SYSTEM PRIVATE
    ${SICONOS_INCLUDE_DIR} ${folder} ${folder}/externals)
  target_link_libraries(${target} PRIVATE ${SICONOS_LIBRARY})
endfunction()
