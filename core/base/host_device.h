// SPDX-License-Identifier: GPL-3.0-or-later
// TESSERAY_HD marks a function that is compiled for the host and, under nvcc, for the device too;
// TESSERAY_HD_ONCE one of which a kernel has a single copy, however often it calls it: kernels that are larger than the
// cache of instructions wait for these most of the time.
#pragma once

#ifdef __CUDACC__
#define TESSERAY_HD __host__ __device__
#define TESSERAY_HD_ONCE __host__ __device__ __noinline__
#else
#define TESSERAY_HD
#define TESSERAY_HD_ONCE
#endif
