"""Masks: who may see whom, for models of your own."""
import ctypes as c
from typing import Any, List, Sequence

from ._library import CMaskOptions, call, int32, library, matrix, numbers


def mask_names() -> List[str]:
    """The masks that there are (docs/masks.md)."""
    return library().statewise_mask_names().decode().split()


def mask(name: str, blocks: Sequence[int], slots: int = 0, window: int = 0, seed: int = 0) -> Any:
    """Which tokens read which: a boolean array of [slots + len(blocks)] rows
    (queries) and columns (keys); True: the query sees the key. blocks[i] is the
    block of token i: 0 for the problem, ascending. `slots` learned rows stand
    in front of the tokens. `window` belongs to the sliding masks (0: 256),
    `seed` to drawn ones.

        attend = torch.from_numpy(statewise.mask("ssa", blocks))
        torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=attend)
    """
    count = len(blocks)
    rows = max(int32(slots, "slots"), 0) + count
    how = CMaskOptions(name.encode(), slots, int32(window, "the window"), seed % 2**64)
    out = (c.c_uint8 * max(rows * rows, 1))()
    call("mask_matrix", c.byref(how), numbers(blocks, c.c_int32, "blocks"), count, out)
    found = matrix(out, rows, rows)
    return [[bool(v) for v in row] for row in found] if isinstance(found, list) else found.view(bool)
