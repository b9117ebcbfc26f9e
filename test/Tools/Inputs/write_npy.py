"""Write numbers to a .npy file of one dimension.

write_npy.py FILE NUMBER...; numbers are i32.
"""

import struct
import sys

name, *numbers = sys.argv[1:]
header = f"{{'descr': '<i4', 'fortran_order': False, 'shape': ({len(numbers)},), }}"
header += " " * ((-len(header) - 11) % 64) + "\n"
with open(name, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack(f"<{len(numbers)}i", *map(int, numbers)))
