"""What Windlass offers to the tests of its users."""
