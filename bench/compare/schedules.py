"""What the text of a schedule says."""

import re

PREFIX, SUFFIX = "#conv.schedule<kernel = #conv.", ">"


def shorten(schedule):
    """The text without what all schedules have in common."""
    return schedule.removeprefix(PREFIX).removesuffix(SUFFIX)


def lengthen(text):
    return f"{PREFIX}{text}{SUFFIX}"


def read_fields(schedule):
    """The fields of a schedule's text, by name."""
    return dict(re.findall(r"(\w+) = (?:#conv\.)?(\[[^]]*\]|<[^>]*>|\w+)", schedule))


def get_family(schedule):
    """A name for the kernels that one set of constants describes.

    The name is the main loop, or else the kernel family, and says what brings its operands, and whether they are
    transformed or share halo tiles.
    """
    fields = read_fields(schedule)
    names = [fields.get("main_loop", fields.get("kernel", "?"))]
    names += [fields["producer"]] if "producer" in fields else []
    names += ["halo_tile"] if "halo_tile" in fields else []
    names += ["matrices"] if "transposed" in schedule else []
    names += ["merged_groups"] if "merged_groups" in fields else []
    names += ["transformed"] if "layouts" in fields or "channel_multiple" in fields else []
    names += ["im2col"] if "im2col" in fields else []
    names += ["space_to_batch"] if "space_to_batch" in fields else []
    names += ["widened"] if "operand_type" in fields else []
    return "+".join(names)
