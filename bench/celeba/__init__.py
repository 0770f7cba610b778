"""Faces of CelebA without their pictures: a pool of 4096 arms whose joint structure is real."""
