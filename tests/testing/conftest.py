"""The fixtures that users get, tried out on ourselves."""

from windlass.testing.plugin import windlass_app, windlass_clock

__all__ = ["windlass_app", "windlass_clock"]
