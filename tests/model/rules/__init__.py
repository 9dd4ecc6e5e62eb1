"""Those who act in random histories, and what they do."""
