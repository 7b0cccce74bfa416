"""Files shared out into groups, one for each call of the check: many small ones together, so that
their rows fill the slices' buffers together; a large one alone.
"""

from collections.abc import Mapping

from functions.imports.records import Group

# Some 200,000 rows, twenty seconds of a check.
GROUP_BYTES = 64 * 1024 * 1024


def grouped(unpacked: Mapping[int, int]) -> list[Group]:
    """Groups of neighbours, out of the unpacked sizes of the files by their numbers."""
    groups: list[Group] = []
    held = 0
    for number, size in sorted(unpacked.items()):
        if groups and held + size <= GROUP_BYTES:
            last = groups.pop()
            groups.append(Group(number=last.number, first=last.first, last=number))
            held += size
        else:
            groups.append(Group(number=len(groups) + 1, first=number, last=number))
            held = size
    return groups
