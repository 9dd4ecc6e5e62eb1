"""The Python API at its edges: wrong use, and stores that are not what they should be."""
