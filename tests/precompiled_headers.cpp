// SPDX-License-Identifier: GPL-3.0-or-later
// Empty: a library of headers that all test programs have compiled once needs a file.
