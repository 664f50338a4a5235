# SPDX-License-Identifier: GPL-3.0-or-later
# Looks for an nvcc of version 12 or later and says what it found: TESSERAY_HAS_CUDA.
set(TESSERAY_CUDA AUTO CACHE STRING "Build the CUDA kernels: AUTO (where an nvcc is found), ON or OFF")
set_property(CACHE TESSERAY_CUDA PROPERTY STRINGS AUTO ON OFF)
# Code for Hopper, and PTX from which drivers make code for every other GPU since Turing when a program first runs;
# or what the environment says, as CMake lets it.
set(architectures "75-virtual;90-real")
if(NOT "$ENV{CUDAARCHS}" STREQUAL "")
  set(architectures "$ENV{CUDAARCHS}")
endif()
set(TESSERAY_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "What the CUDA kernels are compiled for")

set(TESSERAY_HAS_CUDA FALSE)
if(TESSERAY_CUDA STREQUAL "OFF")
  message(STATUS "CUDA: not built (TESSERAY_CUDA=OFF)")
  return()
endif()

find_program(TESSERAY_NVCC NAMES nvcc HINTS ENV CUDACXX ENV CUDA_PATH ENV CUDA_HOME PATHS /usr/local/cuda
  PATH_SUFFIXES bin)
set(problem "no nvcc was found")
if(TESSERAY_NVCC)
  execute_process(COMMAND "${TESSERAY_NVCC}" --version OUTPUT_VARIABLE nvcc_says ERROR_QUIET)
  set(problem "${TESSERAY_NVCC} does not say its version")
  if(nvcc_says MATCHES "release ([0-9]+)\\.([0-9]+)")
    set(problem "")
    if(CMAKE_MATCH_1 LESS 12)
      set(problem "nvcc ${CMAKE_MATCH_1}.${CMAKE_MATCH_2} is older than 12")
    endif()
  endif()
endif()
if(problem)
  if(TESSERAY_CUDA STREQUAL "ON")
    message(FATAL_ERROR "CUDA: ${problem}; give -DTESSERAY_NVCC=/path/to/nvcc, or -DTESSERAY_CUDA=OFF")
  endif()
  message(STATUS "CUDA: not built (${problem})")
  return()
endif()

# CMake's own check of the compiler needs an architecture that the compiler still knows.
set(CMAKE_CUDA_COMPILER "${TESSERAY_NVCC}")
set(CMAKE_CUDA_ARCHITECTURES "${TESSERAY_CUDA_ARCHITECTURES}")
if(NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER AND DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CUDA_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
endif()
enable_language(CUDA)
find_package(CUDAToolkit 12 REQUIRED)
set(TESSERAY_HAS_CUDA TRUE)
message(STATUS "CUDA: built with nvcc ${CMAKE_CUDA_COMPILER_VERSION} for ${CMAKE_CUDA_ARCHITECTURES}")
