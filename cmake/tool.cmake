# The tool `flange` from src/cli/*.c and src/verbs/*.c, and what it says about itself: its man page and completion.
file(GLOB FLANGE_TOOL_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/cli/*.c
  ${PROJECT_SOURCE_DIR}/src/verbs/*.c)
list(FILTER FLANGE_TOOL_SOURCES EXCLUDE REGEX "_test\\.c$")

if(FLANGE_TOOL_SOURCES)
  include(cmake/page.cmake)
  add_library(flange_tool_objects OBJECT ${FLANGE_TOOL_SOURCES})
  target_link_libraries(flange_tool_objects PRIVATE flange_inner)
  add_executable(flange $<TARGET_OBJECTS:flange_tool_objects> ${FLANGE_PAGE_SOURCE})
  target_link_libraries(flange PRIVATE flange_inner)
endif()

# Only a tool that runs here can write its own pages, and nobody installs a sanitised one.
if(TARGET flange AND NOT CMAKE_CROSSCOMPILING AND NOT FLANGE_SANITIZE)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/flange.1
    COMMAND flange help --man > ${PROJECT_BINARY_DIR}/flange.1
    DEPENDS flange COMMENT "Writing the man page" VERBATIM)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/flange.bash
    COMMAND flange help --completion > ${PROJECT_BINARY_DIR}/flange.bash
    DEPENDS flange COMMENT "Writing the completion for bash" VERBATIM)
  add_custom_target(flange_pages ALL
    DEPENDS ${PROJECT_BINARY_DIR}/flange.1 ${PROJECT_BINARY_DIR}/flange.bash)
endif()
