"""Arguments, results and metadata as JSON text, and back: exact, bounded, and never by importing a stored name."""

from windlass.core.codec.codec import Codec
from windlass.core.codec.envelope import NewerFormat
from windlass.core.codec.limits import Limits, limits_from
from windlass.core.codec.signature import Signature
from windlass.core.codec.text import storable

__all__ = ["Codec", "Limits", "NewerFormat", "Signature", "limits_from", "storable"]
