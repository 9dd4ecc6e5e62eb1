"""The tests of Windlass; a package, so that benchmarks can import ``tests.servers`` too."""
