# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernels' arithmetic is the CPU's: every operation on floating-point numbers is rounded on its own, to nearest.

Usage: kernel_arithmetic_test.py KERNELS.ptx [...]     PTX as nvcc writes it
"""

import collections
import re
import sys
import unittest

# An instruction as PTX spells it: "add.rn.f64", "fma.rn.f32", "sqrt.approx.ftz.f32".
INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+\s+)?([a-z]+)((?:\.[a-z0-9]+)*)\.f(?:32|64)\b", re.MULTILINE)
# What rounds; comparing, moving, negating and taking magnitudes do not.
ROUNDING = {"add", "sub", "mul", "div", "rcp", "sqrt", "fma", "mad", "rsqrt", "sin", "cos", "ex2", "lg2", "tanh"}


def rounding_instructions(text):
    """How often each rounding instruction occurs, by name and modifiers."""
    return collections.Counter((name, modifiers) for name, modifiers in INSTRUCTION.findall(text) if name in ROUNDING)


class KernelArithmeticTest(unittest.TestCase):
    texts = []

    def test_every_operation_is_rounded_on_its_own_to_nearest(self):
        for text in self.texts:
            found = rounding_instructions(text)
            others = {f"{name}{modifiers}" for name, modifiers in found
                      if name not in ("add", "sub", "mul", "div", "rcp", "sqrt") or modifiers != ".rn"}
            self.assertEqual(others, set())
            self.assertGreater(found["add", ".rn"], 50, "these are not the kernels")
            self.assertGreater(found["div", ".rn"], 10, "these are not the kernels")

    def test_sees_what_is_not(self):
        fused = "\tfma.rn.f64 \t%fd1, %fd2, %fd3, %fd4;\n@%p1 add.ftz.f32 %f1, %f2, %f3;\n\tmov.f64 %fd1, %fd2;\n"
        self.assertEqual(rounding_instructions(fused), {("fma", ".rn"): 1, ("add", ".ftz"): 1})


if __name__ == "__main__":
    KernelArithmeticTest.texts = [open(file, encoding="ascii").read() for file in sys.argv[1:]]
    if not KernelArithmeticTest.texts:
        sys.exit(__doc__)
    unittest.main(argv=sys.argv[:1])
