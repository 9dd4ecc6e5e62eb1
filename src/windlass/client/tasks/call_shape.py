"""Which calls a task's function takes, so that a wrong one is rejected before it is stored."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from windlass.active_job import ActiveJob
from windlass.client.hints import hint_for_option
from windlass.errors import ConfigError
from windlass.options import OPTION_NAMES


class CallShape(Struct, frozen=True):
    """The parameters of a function, without the one for the job."""

    signature: inspect.Signature
    least: int
    most: float
    job_parameter: str | None
    job_position: int | None
    """Where the job parameter stands among those that may be given by position."""

    @classmethod
    def of(cls, function: Callable[..., Any]) -> CallShape:
        signature = inspect.signature(function)
        job_parameter = _job_parameter(function, signature)
        given = [p for name, p in signature.parameters.items() if name != job_parameter]
        positional = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        needs_keywords = any(p.kind is p.KEYWORD_ONLY and p.default is p.empty for p in given)
        has_star = any(p.kind is p.VAR_POSITIONAL for p in given)
        return cls(
            signature.replace(parameters=given),
            # More than any call has: such a function is always bound in full.
            least=2**31 if needs_keywords else sum(p.default is p.empty for p in positional),
            most=float("inf") if has_star else len(positional),
            job_parameter=job_parameter,
            job_position=_position(job_parameter, signature),
        )

    def with_job(
        self, args: tuple[object, ...], kwargs: dict[str, object], job: ActiveJob
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        """The call of a function that wants its job, with the job where the function expects it."""
        assert self.job_parameter is not None
        if self.job_position is not None and self.job_position < len(args):
            return (*args[: self.job_position], job, *args[self.job_position :]), kwargs
        return args, {**kwargs, self.job_parameter: job}

    def check(self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> None:
        """Raise what the call itself would raise; binding in full is slow and mostly not needed."""
        if kwargs or not self.least <= len(args) <= self.most:
            self.bind(name, args, kwargs)

    def bind(self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> Mapping[str, object]:
        """The arguments by name, defaults included."""
        bound = self._bound(name, args, kwargs)
        bound.apply_defaults()
        return bound.arguments

    def normal_form(
        self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]
    ) -> tuple[tuple[object, ...], dict[str, object]]:
        """The same call with every argument by position that may be given so. Defaults are not filled in."""
        bound = self._bound(name, args, kwargs)
        return bound.args, bound.kwargs

    def _bound(self, name: str, args: tuple[object, ...], kwargs: Mapping[str, object]) -> inspect.BoundArguments:
        try:
            return self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"task {name!r}: {error}{self._meant(kwargs)}") from None

    def _meant(self, kwargs: Mapping[str, object]) -> str:
        """What to do where an option was given among the arguments."""
        for name in kwargs:
            if name in self.signature.parameters:
                continue
            if name in OPTION_NAMES:
                return f"; options go before the call: task.options({name}=...).enqueue(...)"
            if hint := hint_for_option(name):
                return f"; options go before the call, as in task.options(...).enqueue(...): {hint}"
        return ""


def _job_parameter(function: Callable[..., Any], signature: inspect.Signature) -> str | None:
    """The parameter annotated ``ActiveJob``, which the worker fills in."""
    for name, parameter in signature.parameters.items():
        annotation = parameter.annotation
        if annotation is ActiveJob or (isinstance(annotation, str) and annotation.split(".")[-1] == "ActiveJob"):
            if parameter.kind not in (parameter.KEYWORD_ONLY, parameter.POSITIONAL_OR_KEYWORD):
                raise ConfigError(f"{function!r}: the ActiveJob parameter {name!r} must be accepted by name")
            return name
    return None


def _position(name: str | None, signature: inspect.Signature) -> int | None:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    positional = [parameter.name for parameter in signature.parameters.values() if parameter.kind in kinds]
    return positional.index(name) if name in positional else None
