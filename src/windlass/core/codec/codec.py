"""The codec: calls, results and metadata as text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from windlass.core.codec.class_labels import require_storable
from windlass.core.codec.convert import check_meta, convert_call, convert_result
from windlass.core.codec.decode import decode, needs_decoding
from windlass.core.codec.encode import encode
from windlass.core.codec.envelope import read_envelope
from windlass.core.codec.limits import Limits, bounded, call_too_large
from windlass.core.codec.signature import Signature, signature_of, unsigned
from windlass.core.codec.stored_text.jsontext import parse, to_json
from windlass.core.codec.stored_text.seal import seal

_DEFAULT_LIMITS = Limits()
_ANYTHING = msgspec.json.Decoder(object)
_OBJECT = msgspec.json.Decoder(dict[str, object])


class Codec:
    """Stores values exactly, or rejects them with PayloadError. Every text that it gives is sealed.

    Instances need their class in the task's annotations or in ``types``. Decoding raises nothing but PayloadError,
    whatever the text.
    """

    def __init__(self, types: Iterable[type] = (), limits: Limits = _DEFAULT_LIMITS) -> None:
        self._types = require_storable(types)
        self._limits = limits
        self._unsigned = unsigned(self._types)

    @property
    def limits(self) -> Limits:
        return self._limits

    def signature(self, function: Callable[..., object]) -> Signature:
        """What the annotations of ``function`` allow besides the registered classes. Slow: keep it with the task."""
        return signature_of(function, registered=self._types)

    def encode_call(self, signature: Signature | None, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
        """Equal calls give equal text: keywords are sorted, and so are sets. Dicts keep their order."""
        known = signature or self._unsigned
        ordered = {name: kwargs[name] for name in sorted(kwargs)} if len(kwargs) > 1 else kwargs
        call = convert_call(encode, known, args, ordered, depth=self._limits.depth)
        text = to_json(call)
        if len(text) > self._limits.payload:
            raise call_too_large(len(text), self._limits.payload, known, call)
        return seal(text)

    def decode_call(self, signature: Signature | None, text: str) -> tuple[tuple[object, ...], dict[str, object]]:
        """Also raises NewerFormat, so that the job can be left to newer workers."""
        call = read_envelope(text)
        if needs_decoding(text, self._limits.depth):
            known = signature or self._unsigned
            call = convert_call(decode, known, call.args, call.kwargs, depth=self._limits.depth)
        return tuple(call.args), call.kwargs

    def encode_result(self, signature: Signature | None, value: object) -> str | None:
        """None stays None, so that tasks that return nothing store nothing."""
        if value is None:
            return None
        json = convert_result(encode, signature or self._unsigned, value, depth=self._limits.depth)
        return seal(bounded(to_json(json), self._limits.result, "result"))

    def decode_result(self, signature: Signature | None, text: str | None) -> object:
        if text is None:
            return None
        json = parse(text, _ANYTHING)
        if not needs_decoding(text, self._limits.depth):
            return json
        return convert_result(decode, signature or self._unsigned, json, depth=self._limits.depth)

    def encode_meta(self, meta: Mapping[str, object]) -> str:
        """Metadata is plain JSON that any program can read: no tags, no classes."""
        plain = dict(meta)
        check_meta(plain, depth=self._limits.depth)
        return seal(bounded(to_json(plain), self._limits.meta, "meta"))

    def decode_meta(self, text: str) -> dict[str, object]:
        return parse(text, _OBJECT)
