"""Chunk sizes: much work in parts that fit into memory."""


def portions(n: int, most: int) -> list[int]:
    """Chunk sizes that add up to ``n``, each at most ``most``, but at least one.

    >>> portions(10, 4), portions(2, 0)
    ([4, 4, 2], [1, 1])
    """
    together = max(1, most)
    return [min(together, n - done) for done in range(0, n, together)]
