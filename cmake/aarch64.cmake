# SPDX-License-Identifier: GPL-3.0-or-later
# Debian's cross compiler for 64-bit ARM, and the emulator that runs what it makes: `make aarch64`.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

# Libraries for ARM lie in a folder of their own, where scripts/fetch-aarch64-libraries puts them.
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/../build/aarch64/root" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

set(libraries "${root}/usr/lib/aarch64-linux-gnu")
set(CMAKE_EXE_LINKER_FLAGS_INIT "\"-Wl,-rpath-link,${libraries}\"")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=${libraries}")
