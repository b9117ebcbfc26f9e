"""Copies bytecode with a number of strings that no file has: large_count.py FROM TO."""

import sys

with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
# "ML\xefR", the version, and the producer up to a zero; then the section of strings: its number, its length, their count.
length = data.index(0, 5) + 2
count = length + 1 + (data[length] & -data[length]).bit_length() - 1
data[count] = 0x10  # The first of five bytes of a number.
with open(sys.argv[2], "wb") as file:
    file.write(data)
