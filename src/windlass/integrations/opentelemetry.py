"""OpenTelemetry: traces from an enqueue to its runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from windlass.active_job import ActiveJob, running
from windlass.core.meta import logged_correlation
from windlass.errors import Cancel, ConfigError, Snooze, Throttled
from windlass.task import Request
from windlass.version import VERSION

if TYPE_CHECKING:
    from collections.abc import Generator

    from opentelemetry.context import Context
    from opentelemetry.trace import Link, Tracer, TracerProvider

    from windlass.app import Windlass
    from windlass.job import Job

EXPECTED = (Snooze, Throttled, Cancel)
"""What a task raises on purpose; not errors."""
SENDS = {
    "messaging.system": "windlass",
    "messaging.operation.name": "enqueue",
    "messaging.operation.type": "send",
}
PROCESSES = {
    "messaging.system": "windlass",
    "messaging.operation.name": "run",
    "messaging.operation.type": "process",
}
"""What the conventions for messaging call an enqueue, and a run."""


def trace_jobs(app: Windlass, *, tracer_provider: TracerProvider | None = None) -> None:
    """Make a span of every enqueue and of every run; a run's span belongs to the trace of its enqueue.

    The trace context travels in the job's metadata, under the names that the propagator gives it (``traceparent``). One
    that the caller has put there stays: the run belongs to it, and the span of the enqueue is linked to it.

    Needs the extra ``otel``, and only its interface: without an SDK nothing is recorded. Hooks that were added before
    run outside of the spans.
    """
    app.around_enqueue(_Enqueues(_tracer(tracer_provider)))
    app.around_run(_Runs(_tracer(tracer_provider)))


class _Enqueues:
    """The span of an enqueue, and the context that the job takes along."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def __call__(self, request: Request) -> Generator[Request, Job[Any], None]:
        from opentelemetry.propagate import inject
        from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

        attributes = {**SENDS, "windlass.task": request.name}
        _, given = _created_by(request.options.meta or {})
        # Not the current span: jobs that are enqueued together are siblings, and their spans are open at once.
        span = self._tracer.start_span(
            f"enqueue {request.name}", kind=SpanKind.PRODUCER, attributes=attributes, links=given
        )
        carrier: dict[str, str] = {}
        if not given:
            inject(carrier, context=set_span_in_context(span))
        try:
            job = yield request.with_meta(**carrier) if carrier else request
            span.set_attributes({"messaging.message.id": job.id, "messaging.destination.name": job.queue})
        except BaseException as error:
            span.record_exception(error)
            span.set_attribute("error.type", error_type(error))
            span.set_status(Status(StatusCode.ERROR, f"{type(error).__name__}: {error}"))
            raise
        finally:
            span.end()


class _Runs:
    """The span of a run, joined to that of the enqueue."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def __call__(self, job: ActiveJob) -> Iterator[None]:
        from opentelemetry.trace import SpanKind, StatusCode

        run = running.get()
        is_encrypted = run is not None and run.is_encrypted
        context, links = _created_by(job.meta)
        with self._tracer.start_as_current_span(
            f"run {job.task}",
            context=context,
            kind=SpanKind.CONSUMER,
            links=links,
            attributes={
                **PROCESSES,
                "messaging.destination.name": job.queue,
                "messaging.message.id": job.id,
                "windlass.task": job.task,
                "windlass.attempt": job.attempt,
            },
            record_exception=not is_encrypted,
            set_status_on_exception=not is_encrypted,
        ) as span:
            if (conversation := logged_correlation(job.correlation_id, job.id, is_encrypted=is_encrypted)) is not None:
                span.set_attribute("messaging.message.conversation_id", conversation)
            try:
                yield
            except EXPECTED as ended:
                span.set_attribute("windlass.ended_by", type(ended).__name__)
            except BaseException as error:
                span.set_attribute("error.type", error_type(error))
                if is_encrypted:  # the message and the traceback lie encrypted in the store
                    span.set_status(StatusCode.ERROR)
                raise


def _created_by(meta: Mapping[str, object]) -> tuple[Context, list[Link]]:
    """The context in which a job was created, by its metadata, and the link that the conventions want to it.

    Those who follow links find the run also where a trace is too long to be shown, or was not sampled as a whole.
    """
    from opentelemetry.propagate import extract
    from opentelemetry.trace import Link, get_current_span

    context = extract({name: text for name, text in meta.items() if isinstance(text, str)})
    created_in = get_current_span(context).get_span_context()
    return context, [Link(created_in)] if created_in.is_remote else []


def error_type(error: BaseException) -> str:
    """The name of an exception's class, as the conventions want it.

    >>> error_type(ValueError("x"))
    'ValueError'
    """
    kind = type(error)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _tracer(provider: TracerProvider | None) -> Tracer:
    try:
        from opentelemetry.trace import get_tracer
    except ImportError:
        raise ConfigError("trace_jobs needs the extra 'otel': pip install 'windlass-jobs[otel]'") from None
    return get_tracer("windlass", VERSION, tracer_provider=provider)
