# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns a kernel as nvcc compiles it (PTX) into C++ that runs on the host, thread after thread.

A GPU's compiler optimises, lays arrays over each other and may err, which tests of a kernel's source on the host do not
see. This is for kernels whose threads share nothing: no barriers, no shared memory, no atomic operations.

Usage: ptx_to_cpp.py KERNEL.ptx KERNEL.cpp FUNCTION

KERNEL.cpp defines extern "C" void FUNCTION(const void* parameters, unsigned block, unsigned thread): `parameters` are
the bytes of the kernel's own. Local memory begins with bytes that are no sensible numbers. Exit status 1, with the line,
for what this does not know.
"""

import re
import sys

REGISTER = re.compile(r"%(p|rs|rd|r|fd|f)(\d+)")
REGISTER_TYPES = {"p": "bool", "rs": "b16", "r": "b32", "rd": "b64", "f": "f32", "fd": "f64"}
SPECIAL = {"%ctaid.x": "thread.ctaid_x", "%tid.x": "thread.tid_x", "%SP": "stack", "%SPL": "stack"}
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
# True for what is no number, too: the opposite is asked.
UNORDERED = {"ltu": ">=", "leu": ">", "gtu": "<=", "geu": "<", "neu": "=="}
WHOLE_OPERATORS = {"and": "&", "or": "|", "xor": "^"}
ROUNDINGS = {"rmi": "std::floor", "rpi": "std::ceil", "rzi": "std::trunc", "rni": "std::nearbyint"}


def arguments_of(text):
    """What lies between commas, but for those in braces and brackets."""
    found, depth, part = [], 0, ""
    for letter in text:
        depth += (letter in "{[(") - (letter in "}])")
        if letter == "," and depth == 0:
            found.append(part.strip())
            part = ""
        else:
            part += letter
    return found + [part.strip()] if part.strip() else found


def c_type(ptx_type):
    """Of a type of an instruction: "u32" and "b32" are one."""
    return "b" + ptx_type[1:] if ptx_type[0] == "u" else ptx_type


class Function:
    """One function of a module, as C++."""

    def __init__(self, header, body, arrays):
        self.name, parameters, self.returns = header["name"], header["parameters"], header["returns"]
        self.parameters = re.findall(r"([\w$]+)(?:\[\d+\])?\s*(?:,|$)", parameters.strip())
        self.body, self.arrays = body, arrays
        self.scopes, self.lines = [{}], []

    def signature(self):
        arguments = "".join(f", const char* argument_{k}" for k in range(len(self.parameters)))
        return f"void {cpp_name(self.name)}(const Thread& thread, [[maybe_unused]] char* returned{arguments})"

    def code(self):
        registers = [f"  {REGISTER_TYPES[kind]} {kind}_[{count}];" for kind, count in
                     re.findall(r"\.reg\s+\.\w+\s+%(p|rs|rd|r|fd|f)<(\d+)>;", self.body)]
        depot = re.search(r"\.local\s+\.align\s+\d+\s+\.b8\s+\w+\[(\d+)\];", self.body)
        memory = depot[1] if depot else "16"
        body = re.sub(r"\.(?:reg\s+\.\w+\s+%\w+<\d+>|reg\s+\.b64\s+%SPL?|local\s[^;]*);", "", self.body)
        for statement in re.findall(r"\s*(\$?[\w$]+:|[{}]|[^;{}\s][^;{}]*(?:\{[^{};]*\}[^;{}]*)*;)", body):
            self.add(" ".join(statement.split()))
        return "\n".join([self.signature() + " {", *registers, f"  alignas(16) char memory[{memory}];",
                          "  std::memset(memory, 0x5a, sizeof memory);",
                          "  [[maybe_unused]] const b64 stack = reinterpret_cast<b64>(memory);",
                          "  [[maybe_unused]] b32 carry = 0;", *self.lines, "}"])

    def add(self, statement):
        if statement in ("", ";"):
            return
        if statement in "{}":
            self.scopes = self.scopes + [{}] if statement == "{" else self.scopes[:-1]
            self.lines.append(statement)
        elif statement.endswith(":"):
            self.lines.append(cpp_name(statement[:-1]) + ":;")
        else:
            try:
                self.lines.append("  " + self.instruction(statement[:-1].strip()))
            except (KeyError, IndexError, TypeError, ValueError) as error:
                raise SystemExit(f"{self.name}: not known: {statement} ({error!r})") from error

    # Operands -------------------------------------------------------------------------------------------------------

    def type_of(self, operand):
        if register := REGISTER.fullmatch(operand):
            for scope in reversed(self.scopes):
                if operand in scope:
                    return scope[operand][1]
            return REGISTER_TYPES[register[1]]
        return next((scope[operand][1] for scope in reversed(self.scopes) if operand in scope), None)

    def value(self, operand):
        for scope in reversed(self.scopes):
            if operand in scope:
                return scope[operand][0]
        if operand.startswith("!"):
            return f"!{self.value(operand[1:])}"
        if register := REGISTER.fullmatch(operand):
            return f"{register[1]}_[{register[2]}]"
        if operand in SPECIAL:
            return SPECIAL[operand]
        if re.fullmatch(r"0d[0-9A-Fa-f]{16}", operand):
            return f"number(b64{{0x{operand[2:]}}})"
        if re.fullmatch(r"0f[0-9A-Fa-f]{8}", operand):
            return f"number(b32{{0x{operand[2:]}}})"
        if re.fullmatch(r"-?(?:0x[0-9A-Fa-f]+|\d+)", operand):
            return f"static_cast<b64>({operand}{'ull' if int(operand, 0) >= 2**63 else 'll'})"
        return self.base_address(operand)

    def base_address(self, name):
        if name in self.parameters:
            return f"reinterpret_cast<b64>(argument_{self.parameters.index(name)})"
        if name == self.returns:
            return "reinterpret_cast<b64>(returned)"
        if name in self.arrays or any(name in scope for scope in self.scopes):
            return f"reinterpret_cast<b64>({cpp_name(name)})"
        if name.startswith("__local_depot"):
            return "stack"
        raise ValueError(f"'{name}' is no operand")

    def address(self, operand):
        base, _, offset = operand.strip("[]").partition("+")
        is_array = not base.startswith("%")
        return f"({self.base_address(base) if is_array else self.value(base)} + static_cast<b64>({offset or 0}ll))"

    def whole(self, operand, kind):
        return f"static_cast<{kind}>({self.value(operand)})"

    # Instructions ---------------------------------------------------------------------------------------------------

    def instruction(self, text):
        condition = ""
        if guarded := re.match(r"@(!?)%p(\d+) (.*)", text):
            condition, text = f"if ({guarded[1]}p_[{guarded[2]}]) ", guarded[3]
        if text.startswith(".") or text.split()[0] in ("ret", "bra", "bra.uni", "call.uni"):
            return condition + self.without_result(text)
        name, rest = text.split(" ", 1)
        parts, operands = name.split("."), arguments_of(rest)
        if operands[0] in ("%SP", "%SPL"):
            return ""
        if parts[0] in ("ld", "st"):
            return condition + "{ " + self.memory(parts, operands) + " }"
        if parts[0] == "mov" and operands[0].startswith("{"):
            return condition + self.parted(parts[-1], operands)
        kind = self.type_of(operands[0])
        return f"{condition}{self.value(operands[0])} = static_cast<{kind}>({self.result(parts, operands, kind)});"

    def without_result(self, text):
        words = text.split()
        if words[0] == "ret":
            return "return;"
        if words[0].startswith("bra"):
            return f"goto {cpp_name(words[-1])};"
        if words[0] == "call.uni":
            call = re.match(r"call\.uni (?:\((\w+)\), )?([\w$]+), \(\s*(.*?)\s*\)", text)
            arguments = "".join(f", {argument}" for argument in arguments_of(call[3]))
            return f"{cpp_name(call[2])}(thread, {call[1] or 'nullptr'}{arguments});"
        if words[0] == ".param":
            name, size = re.fullmatch(r"(\w+)(?:\[(\d+)\])?", words[-1]).groups()
            self.scopes[-1][name] = (name, None)
            return f"alignas(16) char {name}[{size or 8}];"
        if words[0] == ".reg":
            names = [name.strip() for name in text.split(None, 2)[2].split(",")]
            self.scopes[-1].update({name: (f"local_{name.strip('%')}", c_type(words[1][1:])) for name in names})
            return f"[[maybe_unused]] {c_type(words[1][1:])} {', '.join(self.scopes[-1][name][0] for name in names)};"
        if words[0] == ".pragma":
            return ""
        raise ValueError(words[0])

    def memory(self, parts, operands):
        stored = c_type(parts[-1])
        size = int(stored[1:]) // 8
        place, registers = (operands[1], operands[0]) if parts[0] == "ld" else (operands[0], operands[1])
        code = []
        for k, register in enumerate(arguments_of(registers.strip("{}"))):
            where, kind = f"{self.address(place)} + {k * size}", self.type_of(register)
            is_real = stored[0] == "f" or kind in ("f32", "f64")
            moved = kind if is_real and kind else stored
            if parts[0] == "ld":
                code.append(f"{self.value(register)} = static_cast<{kind}>(load<{moved}>({where}));")
            else:
                code.append(f"store<{moved}>({where}, static_cast<{moved}>({self.value(register)}));")
        return " ".join(code)

    def parted(self, kind, operands):
        """A register in two halves; "_" is none."""
        half = int(kind[1:]) // 2
        halves = [f"{self.value(part)} = static_cast<b{half}>(whole{f' >> {half}' if k else ''});"
                  for k, part in enumerate(arguments_of(operands[0].strip("{}"))) if part != "_"]
        return "{ " + f"const b{2 * half} whole = bits<b{2 * half}>({self.value(operands[1])}); {' '.join(halves)} }}"

    def result(self, parts, operands, kind):
        name, of = parts[0], c_type(parts[-1])
        given = operands[1:]
        is_real = of in ("f32", "f64")
        values = [self.value(operand) if is_real or kind == "bool" else self.whole(operand, of)
                  for operand in given if not operand.startswith("{")]
        if name == "mov":
            return self.moved(given[0], kind)
        if name == "cvta":
            return self.value(given[0])
        if name == "cvt":
            return self.converted(parts, given[0])
        if name == "setp":
            return self.compared(parts[1], of, given)
        if name == "selp":
            return f"{self.value(given[2])} ? {self.moved(given[0], kind)} : {self.moved(given[1], kind)}"
        if name in WHOLE_OPERATORS:
            return f"{values[0]} {WHOLE_OPERATORS[name]} {values[1]}"
        if name == "not":
            return f"!{values[0]}" if kind == "bool" else f"~{values[0]}"
        if name in ("shl", "shr"):
            return f"shifted_{'left' if name == 'shl' else 'right'}({values[0]}, {self.whole(given[1], 'b32')})"
        if name in ("add", "addc", "sub", "subc", "mad", "madc"):
            return self.summed(parts, values)
        if name == "mul":
            return self.multiplied(parts, given, values)
        if name in ("div", "rcp", "sqrt", "fma", "abs", "neg", "copysign", "min", "max", "clz", "prmt"):
            return self.by_function(name, values, is_real)
        raise ValueError(name)

    def moved(self, operand, kind):
        if operand.startswith("{"):
            low, high = arguments_of(operand.strip("{}"))
            width = 32 if kind in ("b64", "f64") else 16
            whole = f"static_cast<b{2 * width}>(b{2 * width}{{{self.whole(high, f'b{width}')}}} << {width} | " \
                    f"{self.whole(low, f'b{width}')})"
            return f"bits<{kind}>({whole})"
        own = self.type_of(operand)
        if kind == "bool" or own is None or own == kind:
            return self.value(operand) if kind != "bool" else f"{self.value(operand)} != 0"
        return f"bits<{kind}>({self.value(operand)})"

    def converted(self, parts, operand):
        to, of = c_type(parts[-2]), c_type(parts[-1])
        value = self.value(operand)
        if of in ("f32", "f64"):
            value = f"{ROUNDINGS[parts[1]]}({value})" if parts[1] in ROUNDINGS else value
            return f"static_cast<{to}>({value})" if to in ("f32", "f64") else f"saturated<{to}>({value})"
        return f"static_cast<{to}>(static_cast<{of}>({value}))"

    def compared(self, how, of, given):
        a, b = (self.value(operand) if of[0] == "f" else self.whole(operand, of) for operand in given)
        if how in UNORDERED:
            return f"!({a} {UNORDERED[how]} {b})"
        return f"{a} < {b} || {a} > {b}" if how == "ne" and of[0] == "f" else f"{a} {COMPARISONS[how]} {b}"

    @staticmethod
    def summed(parts, values):
        name = parts[0]
        if name in ("mad", "madc"):
            product = f"high_half({values[0]}, {values[1]})" if "hi" in parts else f"{values[0]} * {values[1]}"
            values = [product, values[2]]
        if "cc" not in parts and name in ("add", "sub", "mad"):
            return f"{values[0]} {'-' if name == 'sub' else '+'} {values[1]}"
        function = "subtract_with_borrow" if name.startswith("sub") else "add_with_carry"
        return f"{function}({values[0]}, {values[1]}, {'carry' if name.endswith('c') else 0}, carry)"

    def multiplied(self, parts, given, values):
        if "wide" in parts:
            narrow, sign = c_type(parts[-1]), "s" if parts[-1][0] == "s" else "b"
            wide = f"{sign}{2 * int(parts[-1][1:])}"
            a, b = (f"static_cast<{wide}>({self.whole(operand, narrow)})" for operand in given)
            return f"{a} * {b}"
        return f"high_half({values[0]}, {values[1]})" if "hi" in parts else f"{values[0]} * {values[1]}"

    @staticmethod
    def by_function(name, values, is_real):
        if name == "copysign":  # the sign of the first
            return f"std::copysign({values[1]}, {values[0]})"
        if name in ("min", "max"):
            smaller = "<" if name == "min" else ">"
            return f"std::f{name}({values[0]}, {values[1]})" if is_real else \
                f"{values[0]} {smaller} {values[1]} ? {values[0]} : {values[1]}"
        simple = {"div": "{0} / {1}", "rcp": "1 / {0}", "sqrt": "std::sqrt({0})", "fma": "std::fma({0}, {1}, {2})",
                  "abs": "std::fabs({0})", "neg": "-{0}", "clz": "std::countl_zero({0})",
                  "prmt": "permuted({0}, {1}, {2})"}
        return simple[name].format(*values)


def cpp_name(name):
    """Of a function, an array or a label, which may have dollars in theirs."""
    return "x" + re.sub(r"\W", "_", name) if not re.match(r"(?:param\d+|retval\d+)$", name) else name


def body_from(text, begin):
    """What lies between the brace at `begin` and its own."""
    depth = 0
    for k in range(begin, len(text)):
        depth += (text[k] == "{") - (text[k] == "}")
        if depth == 0:
            return text[begin + 1:k]
    raise SystemExit("a function has no end")


def translated(text, function):
    text = re.sub(r"//[^\n]*", "", text)
    arrays = {name: (align, size, numbers) for align, name, size, numbers in
              re.findall(r"\.global\s+\.align\s+(\d+)\s+\.b8\s+(\w+)\[(\d+)\]\s*=\s*\{([^}]*)\};", text)}
    functions, entry = {}, None
    header = re.compile(r"\.(?P<kind>entry|func)\s*(?:\(\s*\.param[^)]*?(?P<returns>[\w$]+)(?:\[\d+\])?\s*\))?\s*"
                        r"(?P<name>[\w$]+)\s*\((?P<parameters>[^)]*)\)[^{;]*(?P<end>[{;])")
    for found in header.finditer(text):
        if found["end"] == "{":
            functions[found["name"]] = Function(found, body_from(text, found.end() - 1), arrays)
            entry = functions[found["name"]] if found["kind"] == "entry" else entry
    if entry is None or len(entry.parameters) != 1:
        raise SystemExit("there is no kernel with one parameter")
    constants = [f"alignas({align}) const b8 {cpp_name(name)}[{size}] = {{{numbers}}};"
                 for name, (align, size, numbers) in arrays.items()]
    return "\n".join(['#include "tests/support/kernel_on_host/ptx_operations.h"', "namespace tesseray::ptx {",
                      "namespace {", *constants, *(f"{one.signature()};" for one in functions.values()),
                      *(one.code() for one in functions.values()), "}  // namespace", "}  // namespace tesseray::ptx",
                      f'extern "C" void {function}(const void* parameters, unsigned block, unsigned thread) {{',
                      f"  tesseray::ptx::{cpp_name(entry.name)}({{block, thread}}, nullptr, "
                      "static_cast<const char*>(parameters));", "}", ""])


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="ascii") as kernel:
        code = translated(kernel.read(), sys.argv[3])
    with open(sys.argv[2], "w", encoding="ascii") as output:
        output.write(code)


if __name__ == "__main__":
    main()
