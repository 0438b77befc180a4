# Warnings are errors in our presets, where FLANGE_STRICT is on, and not for users, whose compilers may
# know others. -fno-math-errno and -fno-trapping-math let sqrt become one instruction and
# change no result; nothing else that would reorder floating-point work is allowed.
add_library(flange_compiler INTERFACE)
target_compile_definitions(flange_compiler INTERFACE _POSIX_C_SOURCE=200809L)
target_compile_options(flange_compiler INTERFACE
  -Wall -Wextra -Wpedantic $<$<BOOL:${FLANGE_STRICT}>:-Werror> -Wshadow
  -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual -Wwrite-strings -Wvla -Wundef -Wdouble-promotion -Wformat=2
  -Wconversion -Wno-sign-conversion -Wno-missing-field-initializers
  -fno-math-errno -fno-trapping-math -ffp-contract=off)
# clang warns of NAN, a float, where it becomes a double; GCC watches over the real cases.
if(CMAKE_C_COMPILER_ID MATCHES "Clang")
  target_compile_options(flange_compiler INTERFACE -Wno-double-promotion)
endif()
if(NOT FLANGE_SANITIZE)
  target_compile_options(flange_compiler INTERFACE -fvisibility=hidden)
else()
  target_compile_definitions(flange_compiler INTERFACE FLANGE_SANITIZED)
  target_compile_options(flange_compiler INTERFACE
    -fsanitize=${FLANGE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(flange_compiler INTERFACE -fsanitize=${FLANGE_SANITIZE})
  # With all the checks inside, its unrolled kernels take half a minute to optimise.
  set_property(SOURCE ${PROJECT_SOURCE_DIR}/src/math/dense.c APPEND PROPERTY COMPILE_OPTIONS -O0)
endif()
