"""Handwritten digits with a real classifier's answers: a pool to try everything on.

One row an item, 1619 items, made by ``scripts/make_demo.py`` from scikit-learn's digits. The
classifier learned from 178 other digits, all tidy (upright, dark, clear of the sides), and it is
right on 82 of 100 in the pool. It was picked for its clear weak spots: good for a demo, no
evidence about a method.

========================= ==========================================================
``id``                    text, such as ``digit-0007``: the place in scikit-learn's set
``prediction``, ``score`` the most probable class, as text, and its probability
``p0`` ... ``p9``         the probability of each class
``ink``                   mean darkness of the image, between 0 (paper) and 1
``slant``                 ``left``, ``upright``, ``right``: where the ink leans
``size``                  ``small``, ``medium``, ``large``, in this order: the box around it
``holes``                 0, 1 or 2: regions of paper that the ink encloses
``touches_edge``          whether ink reaches the left or right side of the image
``label``                 the true digit, as text
``image``                 the name of the picture inside the archive
========================= ==========================================================

A shape can lean though its writer does not: a six has its weight at the lower right and mostly
counts as ``left``, so tidy digits hold few sixes, and sixes are where the classifier fails most.

The pictures are one archive, because 1619 files of 200 bytes would take ten times the room on
most disks and slow every install.
"""

from pathlib import Path

HOME = Path(__file__).parent


def table() -> Path:
    """The pool, as a Parquet file with the true labels in it.

    >>> table().name
    'digits.parquet'
    """
    return HOME / "digits.parquet"


def images() -> Path:
    """The pictures of all items, as a zip archive of PNG files.

    >>> images().name
    'digits_images.zip'
    """
    return HOME / "digits_images.zip"
