"""What all tests share: servers and places as fixtures, and Hypothesis settings that make a failure repeatable."""

from hypothesis import settings

pytest_plugins = ["tests.servers.fixtures", "tests.places.fixtures", "tests.faults.fixtures"]

# New examples in every run; a failure prints how to repeat it. Deadlines would measure the machine, not us.
settings.register_profile("ci", print_blob=True, derandomize=False, deadline=None)
settings.load_profile("ci")
