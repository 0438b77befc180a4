# The web page of `flange report` and `flange view` (src/viewer/page), as a source of the tool. Built
# by npm; without npm the tool has an empty page, and says so when it is asked for one.
set(FLANGE_PAGE_FOLDER ${PROJECT_BINARY_DIR}/page-packages CACHE PATH
  "Where npm keeps the packages of the page; builds may share it")
file(GLOB page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/viewer/page/*)
set(FLANGE_PAGE_SOURCE ${PROJECT_BINARY_DIR}/page/page.c)
add_custom_command(OUTPUT ${FLANGE_PAGE_SOURCE}
  COMMAND ${PROJECT_SOURCE_DIR}/scripts/build-page ${FLANGE_PAGE_FOLDER} ${PROJECT_BINARY_DIR}/page
  DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/scripts/build-page
  COMMENT "Building the page of reports" VERBATIM)
