"""Translates CUDA code to C++. kernel<<<grid, block, bytes, stream>>>(arguments) becomes
emulated::launch(grid, block, bytes, stream, KERNEL, arguments). Shared memory whose size is given at launch becomes
a pointer to it. asm volatile("INSTRUCTION" : results : operands : clobbered) becomes
emulated::execute("INSTRUCTION", registers(results), registers(operands)). The newest emulated architecture is
assumed. Usage: translate.py FROM TO"""

import re
import sys


def closing(text, at, pairs):
    """The index of the bracket that closes the one at `at`."""
    depth = 0
    for i in range(at, len(text)):
        if text[i] == pairs[0]:
            depth += 1
        elif text[i] == pairs[1]:
            depth -= 1
            if depth == 0:
                return i
    raise ValueError(f"nothing closes {text[at:at + 40]!r}")


def kernel_before(text, end):
    """The index at which the name of a kernel begins, with its template's arguments, that ends before `end`."""
    i = end
    while text[i - 1].isspace():
        i -= 1
    if text[i - 1] == ">":
        depth = 0
        while True:
            i -= 1
            depth += (text[i] == ">") - (text[i] == "<")
            if depth == 0:
                break
    while text[i - 1].isalnum() or text[i - 1] == "_":
        i -= 1
    return i


def sections(text):
    """The parts between colons outside brackets and strings."""
    parts, depth, quoted = [""], 0, False
    for character in text:
        quoted ^= character == '"'
        depth += 0 if quoted else (character in "([{") - (character in ")]}")
        if character == ":" and depth == 0 and not quoted:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def without_asm(text):
    text = re.sub(r"#if __CUDA_ARCH__ >= (\d+)", r"#if 900 >= \1", text)
    text = re.sub(r'"[=+]?[frdl]"\(', "(", text)  # constraints
    while (at := text.find("asm volatile(")) >= 0:
        opening = text.index("(", at)
        close = closing(text, opening, "()")
        instruction, results, operands = (sections(text[opening + 1:close]) + ["", ""])[:3]
        text = (f"{text[:at]}emulated::execute({instruction}, emulated::registers({results}), "
                f"emulated::registers({operands})){text[close + 1:]}")
    return text


def translated(text):
    text = without_asm(text)
    text = re.sub(r"extern __shared__ (\w+) (\w+)\[\];",
                  r"\1* const \2 = static_cast<\1*>(emulated::shared_memory());", text)
    while (at := text.find("<<<")) >= 0:
        start = kernel_before(text, at)
        kernel = text[start:at].strip()
        end = text.index(">>>", at)
        configuration = text[at + 3:end]
        opening = text.index("(", end)
        close = closing(text, opening, "()")
        arguments = text[opening + 1:close]
        call = f"[=](auto... a) {{ {kernel}(a...); }}"
        text = f"{text[:start]}emulated::launch({configuration}, {call}, {arguments}){text[close + 1:]}"
    return text


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as source, open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write(f'#include "device_code.h"\n#line 1 "{sys.argv[1]}"\n{translated(source.read())}')
