"""What only SQLite has: its file, its locks, its two libraries."""
