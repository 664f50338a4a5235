# SPDX-License-Identifier: GPL-3.0-or-later
# What every Tesseray target has in common: C++20, the same bits on every machine, strict warnings.

# One interface target carries the flags, so that no folder repeats them.
add_library(tesseray_flags INTERFACE)
target_compile_features(tesseray_flags INTERFACE cxx_std_20)
target_include_directories(tesseray_flags INTERFACE "${CMAKE_SOURCE_DIR}")
# Contraction into fused multiply-adds would change bits between compilers and instruction sets. Nobody reads errno or
# traps of the maths library: without them square roots become one instruction and loops become vectors, bits unchanged.
# Members have initialisers of their own (-Wno-missing-field-initializers).
# CUDA's compiler takes other flags (cuda/CMakeLists.txt).
target_compile_options(tesseray_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:
  -ffp-contract=off -fno-math-errno -fno-trapping-math -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-align -Woverloaded-virtual -Wdouble-promotion -Wno-missing-field-initializers
  $<$<BOOL:${TESSERAY_WERROR}>:-Werror>>)

# Headers that nearly every file includes are compiled once per library, and once for all tests. Not where a compiler
# cache does better: there a file that forgets an include is found out.
if(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()
set(tesseray_usual_headers <algorithm> <array> <cmath> <cstdint> <filesystem> <functional> <limits> <map> <memory>
  <optional> <span> <string> <string_view> <utility> <vector>)
# A library of fewer files takes as long without.
set(tesseray_files_worth_a_header 8)

# Several files of a target are compiled as one, where most of the time would go into the templates of a large library
# (JSON, GDAL, GoogleTest), the same in each file. Elsewhere it saves nothing. Their names must not clash then.
function(tesseray_compile_together)
  if(NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set_target_properties(${ARGN} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()

# tesseray_library(NAME SOURCES a.cpp ... [LINKS lib ...]): one folder of core/ as a static library. HEADERS are
# precompiled beside the usual ones.
function(tesseray_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;PRIVATE_LINKS;HEADERS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC tesseray_flags ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  list(LENGTH ARG_SOURCES files)
  if(files GREATER_EQUAL tesseray_files_worth_a_header)
    target_precompile_headers(${name} PRIVATE ${tesseray_usual_headers} ${ARG_HEADERS})
  endif()
endfunction()

# What all test programs are compiled with.
function(tesseray_test_flags name)
  target_link_libraries(${name} PRIVATE tesseray_flags tesseray_test_folders GTest::gtest_main)
  # A test is compiled as often as it is run; what it tests is optimised as for users. Of what the sanitizers add the
  # optimiser makes twice as much work as they themselves do.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1> $<$<CONFIG:RelWithDebInfo>:-O0>)
endfunction()

# For what hangs alone: the longest program takes 200 s of two cores, several times that on a busy machine. An emulator
# takes ten to twenty times as long.
set(tesseray_test_timeout_s 1500)
if(CMAKE_CROSSCOMPILING)
  set(tesseray_test_timeout_s 15000)
endif()

# tesseray_test(NAME SOURCES a.cpp ... LINKS lib ... [ARGUMENTS argument ...]): one GoogleTest program, known to ctest.
function(tesseray_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;ARGUMENTS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINKS})
  tesseray_test_flags(${name})
  target_precompile_headers(${name} REUSE_FROM tesseray_test_headers)
  add_test(NAME ${name} COMMAND ${name} ${ARG_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${tesseray_test_timeout_s})
endfunction()
