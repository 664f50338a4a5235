// SPDX-License-Identifier: GPL-3.0-or-later
// TESSERAY_HD marks a function that is compiled for the host and, under nvcc, for the device too.
#pragma once

#ifdef __CUDACC__
#define TESSERAY_HD __host__ __device__
#else
#define TESSERAY_HD
#endif
