"""Arguments, results and metadata as JSON text and back; a stored name is never imported.

Files, in reading order:

- ``codec``: The codec: calls, results and metadata as text.
- ``signature``: What the codec learns from the function of a task.
- ``envelope``: The outermost form of a stored call.
- ``convert``: Converts arguments, results and metadata; an error names the argument.
- ``encode``: Python values to JSON values, with tags where JSON has no such type.
- ``decode``: JSON values back to Python values.
- ``tags``: What all tagged forms have in common: an object with the key ``$``.
- ``class_labels``: Which classes a call may use, and the labels they are stored under.
- ``annotations``: The classes that annotations name.
- ``plain``: Metadata: plain JSON without tags.
- ``stored_text/``: Texts as stores hold them: JSON, with a seal, of characters that every store takes.
- ``limits``: How large and how deeply nested stored values may be.
- ``rejection``: Why a value cannot be stored or rebuilt, and where in the value.
- ``types/``: The types that JSON does not have, a module for each kind.
"""

from windlass.core.codec.codec import Codec
from windlass.core.codec.envelope import NewerFormat
from windlass.core.codec.limits import Limits, limits_from
from windlass.core.codec.signature import Signature
from windlass.core.codec.stored_text.seal import seal, unseal
from windlass.core.codec.stored_text.storable import storable

__all__ = ["Codec", "Limits", "NewerFormat", "Signature", "limits_from", "seal", "storable", "unseal"]
