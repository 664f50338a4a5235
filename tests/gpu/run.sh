#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Builds and checks the CUDA kernels on a bare GPU node: a C++ compiler, nvcc 12 or later, cmake and oneTBB are all it
# needs. Compares the GPU's rows of visibility with the CPU's bit for bit, and rays over the roofs, bounces and
# scattered power within 0.01 dB, repeats them, looks for memory faults and races with compute-sanitizer where that is
# installed, and prints times.
#
# Usage: tests/gpu/run.sh [CITY.tscene]     a scene of exportscene; without one a synthetic city of 20 km²
# Exit status: 0 when everything is equal; 3 when there is no GPU.
set -euo pipefail
cd "$(dirname "$0")/../.."
city=${1:-4600}
[ $# -le 1 ] || { echo "usage: $0 [CITY.tscene]" >&2; exit 2; }
build=${TESSERAY_GPU_BUILD:-build/gpu}

cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DTESSERAY_IO=OFF -DTESSERAY_TESTS=OFF -DTESSERAY_GPU_TESTS=ON \
  -DTESSERAY_CUDA=ON >"${TMPDIR:-/tmp}/tesseray-gpu-cmake.log" || { cat "${TMPDIR:-/tmp}/tesseray-gpu-cmake.log"; exit 2; }
programs=(gpu_visibility gpu_over_rooftop gpu_bounces gpu_scattering)
cmake --build "$build" --target "${programs[@]}" --parallel "${JOBS:-$(nproc)}"
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null || true)
[ -n "$sanitizer" ] || echo "compute-sanitizer is not installed: memory faults and races are not looked for"

# A small city for the sanitizers, which slow everything down a hundred times.
small_city=250
for program in "${programs[@]}"; do
  echo
  "$build/bin/$program" "$small_city"
  for tool in ${sanitizer:+memcheck racecheck synccheck}; do
    echo; echo "compute-sanitizer $tool $program"
    "$sanitizer" --tool "$tool" --error-exitcode 1 "$build/bin/$program" "$small_city" --only-gpu
  done
done
for program in "${programs[@]}"; do
  echo
  "$build/bin/$program" "$city"
done
