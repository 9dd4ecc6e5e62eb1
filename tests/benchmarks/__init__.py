"""The benchmark works; how fast anything is, is not asked here."""
