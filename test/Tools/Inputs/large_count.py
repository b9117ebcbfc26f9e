"""Copies bytecode and makes its count of strings too large for any file: large_count.py FROM TO."""

import sys

with open(sys.argv[1], "rb") as file:
    data = bytearray(file.read())
# A file starts with "ML\xefR", the version, the producer up to a zero, and the section of strings: number, length, count.
length = data.index(0, 5) + 2
count = length + 1 + (data[length] & -data[length]).bit_length() - 1
data[count] = 0x10  # Marks a number of five bytes.
with open(sys.argv[2], "wb") as file:
    file.write(data)
