# libflange, shared and static, from one set of objects: src/*/*.c without tests, tool and main.
# A new source file needs no line here.
file(GLOB FLANGE_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.c)
list(FILTER FLANGE_SOURCES EXCLUDE REGEX "_test\\.c$|/src/(cli|verbs)/")

configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${PROJECT_BINARY_DIR}/include/flange/version.h)

include(cmake/texts.cmake)
add_library(flange_objects OBJECT ${FLANGE_SOURCES} ${FLANGE_TEXTS_SOURCE})
target_include_directories(flange_objects PUBLIC
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/include)
target_include_directories(flange_objects SYSTEM PRIVATE ${FLANGE_OPENED_INCLUDES})
target_link_libraries(flange_objects PUBLIC ${FLANGE_DEPENDENCIES} PRIVATE flange_compiler)

add_library(flange_shared SHARED)
add_library(flange_static STATIC)
foreach(library flange_shared flange_static)
  target_sources(${library} PRIVATE $<TARGET_OBJECTS:flange_objects>)
  target_include_directories(${library} INTERFACE
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  set_target_properties(${library} PROPERTIES OUTPUT_NAME flange)
endforeach()
target_link_libraries(flange_shared PRIVATE ${FLANGE_DEPENDENCIES} flange_compiler)
target_link_libraries(flange_static PRIVATE ${FLANGE_DEPENDENCIES})
# Before 1.0 a minor version may change anything: then it is part of the name that programs ask for.
set(soversion ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(soversion 0.${PROJECT_VERSION_MINOR})
endif()
set_target_properties(flange_shared PROPERTIES
  EXPORT_NAME flange VERSION ${PROJECT_VERSION} SOVERSION ${soversion})

# The shared library exports what public headers declare with FLG_API, and nothing else: hidden
# visibility alone lets the resolvers of FLG_WIDE_VECTORS out.
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/flange/*.h)
list(APPEND headers ${PROJECT_BINARY_DIR}/include/flange/version.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
set(FLANGE_EXPORTS "")
foreach(header ${headers})
  file(STRINGS ${header} declarations REGEX "^FLG_API ")
  foreach(declaration ${declarations})
    if(declaration MATCHES "(flg_[a-z0-9_]+)\\(")
      string(APPEND FLANGE_EXPORTS "    ${CMAKE_MATCH_1};\n")
    endif()
  endforeach()
endforeach()
set(exports ${PROJECT_BINARY_DIR}/flange.exports)
file(CONFIGURE OUTPUT ${exports} CONTENT "FLANGE_${soversion} {\n  global:\n@FLANGE_EXPORTS@  local: *;\n};\n" @ONLY)
target_link_options(flange_shared PRIVATE LINKER:--version-script=${exports})
set_target_properties(flange_shared PROPERTIES LINK_DEPENDS ${exports})

# What the tool, the tests and the benchmarks link, with inner headers: the static library. With
# sanitizers one shared library that shows all symbols (see compiler.cmake): 200 copies of it would take
# longer to link than all tests take to compile.
set(inner flange_static)
if(FLANGE_SANITIZE AND NOT FLANGE_FUZZ)
  add_library(flange_whole SHARED $<TARGET_OBJECTS:flange_objects>)
  target_link_libraries(flange_whole PRIVATE ${FLANGE_DEPENDENCIES} flange_compiler)
  set(inner flange_whole)
endif()
add_library(flange_inner INTERFACE)
target_link_libraries(flange_inner INTERFACE
  ${inner} ${FLANGE_DEPENDENCIES} flange_compiler)
target_include_directories(flange_inner INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/include)
