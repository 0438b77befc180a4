# One program for each bench/x.c, named bench_x; `make bench` runs them.
file(GLOB FLANGE_BENCH_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.c)
foreach(source ${FLANGE_BENCH_SOURCES})
  cmake_path(GET source STEM stem)
  string(REGEX REPLACE "^(bench_)?" "bench_" target ${stem})
  add_executable(${target} ${source})
  target_link_libraries(${target} PRIVATE flange_inner)
endforeach()
