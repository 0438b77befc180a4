# Simbody and DART, peers to compare trees of joints with: benchmarks may link them, the library never does. Both
# speak C++. A peer that is missing is left out.
find_package(PkgConfig)
if(PkgConfig_FOUND)
  pkg_check_modules(FLANGE_SIMBODY simbody)
  pkg_check_modules(FLANGE_DART dart)
endif()

add_library(tree_peers INTERFACE)
# tree_NAME.cpp with the include folders of a package and the libraries that are named; not with its options,
# which ask for an older C++ than its headers need.
function(flange_add_tree_peer name found libraries)
  if(NOT found)
    message(WARNING "${name} is left out: lib${name}-dev is missing")
    return()
  endif()
  string(TOUPPER ${name} upper)
  add_library(tree_${name} STATIC ${PROJECT_SOURCE_DIR}/bench/tree_${name}.cpp)
  target_compile_features(tree_${name} PRIVATE cxx_std_17)
  target_include_directories(tree_${name} SYSTEM PRIVATE ${FLANGE_${upper}_INCLUDE_DIRS})
  target_link_libraries(tree_${name} PUBLIC ${libraries})
  target_link_libraries(tree_peers INTERFACE tree_${name})
  target_compile_definitions(tree_peers INTERFACE FLANGE_HAS_${upper})
endfunction()

enable_language(CXX)
flange_add_tree_peer(simbody "${FLANGE_SIMBODY_FOUND}" "SimTKsimbody;SimTKmath;SimTKcommon")
flange_add_tree_peer(dart "${FLANGE_DART_FOUND}" dart)
