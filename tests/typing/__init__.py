"""What type checkers say about code that uses Windlass; ``make lint`` runs mypy and pyright over it."""
