"""Traces that join producer and worker."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode, get_current_span, get_tracer

from tests.ledger.apps import Apps, failure_of
from tests.slow_shutdown import unhurried
from windlass import IdConflict, Retry, Snooze, Windlass, new_encryption_key
from windlass.integrations.opentelemetry import trace_jobs


class Spans:
    """What was traced, by name."""

    def __init__(self) -> None:
        self._exporter = InMemorySpanExporter()
        self.provider = TracerProvider()
        self.provider.add_span_processor(SimpleSpanProcessor(self._exporter))

    def named(self, name: str) -> list[ReadableSpan]:
        return [span for span in self._exporter.get_finished_spans() if span.name == name]


@pytest.fixture
def spans() -> Iterator[Spans]:
    spans = Spans()
    yield spans
    spans.provider.shutdown()


@pytest.fixture
def app(new_app: Apps, spans: Spans) -> Windlass:
    app = new_app()
    trace_jobs(app, tracer_provider=spans.provider)
    return app


def test_a_run_belongs_to_the_trace_of_whoever_enqueued_it(app: Windlass, spans: Spans) -> None:
    """B23: also a job that a job enqueues, and spans that the task makes."""
    tracer = get_tracer("shop", tracer_provider=spans.provider)

    @app.task(name="inner")
    async def inner() -> None:
        with tracer.start_as_current_span("query"):
            pass

    @app.task(name="outer")
    def outer() -> None:
        inner.enqueue()

    with tracer.start_as_current_span("request"):
        job = outer.enqueue()
    app.worker().run_until_empty()
    chain = ["request", "enqueue outer", "run outer", "enqueue inner", "run inner", "query"]
    found = [spans.named(name)[0] for name in chain]
    for parent, child in pairwise(found):
        assert child.parent is not None
        assert parent.context is not None
        assert (child.parent.span_id, child.parent.trace_id) == (parent.context.span_id, parent.context.trace_id)
    assert [span.kind for span in found[1:3]] == [SpanKind.PRODUCER, SpanKind.CONSUMER]
    attributes = found[2].attributes or {}
    assert (attributes["messaging.message.id"], attributes["windlass.attempt"]) == (job.id, 1)
    assert (found[1].attributes or {})["messaging.message.id"] == job.id


def test_a_run_is_linked_to_its_enqueue(app: Windlass, spans: Spans) -> None:
    """B23: the conventions for messaging ask for a link to what created the message, whatever the parent is."""

    @app.task(name="greet")
    def greet() -> None: ...

    greet.enqueue()
    app.worker().run_until_empty()
    [made], [run] = spans.named("enqueue greet"), spans.named("run greet")
    assert [link.context.span_id for link in run.links] == [made.context and made.context.span_id]
    assert made.links == ()
    kinds = {"messaging.system": "windlass", "messaging.destination.name": "default"}
    assert kinds.items() <= (made.attributes or {}).items()
    assert kinds.items() <= (run.attributes or {}).items()


def test_a_context_that_the_caller_brings_along_stays(app: Windlass, spans: Spans) -> None:
    """As of a job that came over HTTP, from a program in another language."""

    @app.task(name="greet")
    def greet() -> None: ...

    brought = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    job = greet.options(meta={"traceparent": brought}).enqueue()
    app.worker().run_until_empty()
    assert job.meta["traceparent"] == brought
    for span in (*spans.named("enqueue greet"), *spans.named("run greet")):
        assert [f"{link.context.span_id:016x}" for link in span.links] == ["b7ad6b7169203331"]
    [run] = spans.named("run greet")
    assert run.parent is not None
    assert f"{run.parent.trace_id:032x}" == "0af7651916cd43dd8448eb211c80319c"


def test_every_attempt_is_a_span_and_a_failed_one_says_so(app: Windlass, spans: Spans) -> None:
    @app.task(name="flaky", retry=Retry(attempts=2, base=0))
    def flaky() -> None:
        raise ValueError("bad luck")

    with app.worker():
        failure_of(flaky.enqueue())
    runs = spans.named("run flaky")
    assert [(run.status.status_code, [event.name for event in run.events]) for run in runs] == [
        (StatusCode.ERROR, ["exception"])
    ] * 2


def test_the_span_of_an_encrypted_job_has_no_text_of_it(new_app: Apps, spans: Spans) -> None:
    """B25: what lies encrypted in the store does not lie open beside it."""
    app = new_app(encryption_keys=[new_encryption_key()])
    trace_jobs(app, tracer_provider=spans.provider)

    @app.task(name="diagnose", retry=Retry(attempts=1))
    def diagnose(patient: str) -> None:
        raise ValueError(f"no bed for {patient}")

    with app.worker():
        failure_of(diagnose.options(correlation_id="case of ann").enqueue("ann"))
    [run] = spans.named("run diagnose")
    assert run.status.status_code == StatusCode.ERROR
    assert (run.attributes or {})["error.type"] == "ValueError"
    assert "ann" not in run.to_json()


def test_a_task_that_ends_itself_on_purpose_is_no_error(app: Windlass, spans: Spans) -> None:
    @app.task(name="later")
    def later() -> None:
        raise Snooze("10m")

    job = later.enqueue()
    app.worker().run_until_empty()
    assert job.refresh().state == "scheduled"
    [run] = spans.named("run later")
    assert (run.status.status_code, list(run.events)) == (StatusCode.UNSET, [])
    assert (run.attributes or {})["windlass.ended_by"] == "Snooze"


def test_jobs_that_are_enqueued_together_are_siblings(app: Windlass, spans: Spans) -> None:
    @app.task(name="one")
    def one(number: int) -> None: ...

    with get_tracer("shop", tracer_provider=spans.provider).start_as_current_span("request"):
        one.enqueue_many([(1,), (2,)])
    app.worker().run_until_empty()
    [request] = spans.named("request")
    parents = [span.parent for span in spans.named("enqueue one")]
    assert [parent.span_id for parent in parents if parent] == [request.context and request.context.span_id] * 2
    made = {span.context.span_id for span in spans.named("enqueue one") if span.context}
    assert {span.parent.span_id for span in spans.named("run one") if span.parent} == made


def test_an_enqueue_that_fails_says_so(app: Windlass, spans: Spans) -> None:
    app.enqueue_many([app.request("one", [1], id="same")])
    with pytest.raises(IdConflict):
        app.enqueue_many([app.request("one", [2], id="same")])
    stored, refused = spans.named("enqueue one")
    assert (stored.status.status_code, refused.status.status_code) == (StatusCode.UNSET, StatusCode.ERROR)
    assert [event.name for event in refused.events] == ["exception"]


def test_metadata_stays_the_callers(app: Windlass, spans: Spans) -> None:
    @app.task
    def look() -> bool:
        return get_current_span().get_span_context().is_valid

    job = look.options(meta={"tenant": "a", "pages": 3}).enqueue()
    app.worker().run_until_empty()
    assert job.refresh().result(timeout=0) is True
    assert {name: job.meta[name] for name in ("tenant", "pages")} == {"tenant": "a", "pages": 3}
    assert set(job.meta) == {"tenant", "pages", "traceparent"}


def test_without_an_sdk_nothing_is_recorded_and_nothing_is_sent_along() -> None:
    with unhurried(Windlass("sqlite:///:memory:")) as app:
        trace_jobs(app)

        @app.task
        def work() -> int:
            return 1

        job = work.enqueue()
        app.worker().run_until_empty()
        assert (job.refresh().result(timeout=0), job.meta) == (1, {})


def test_a_missing_extra_is_named() -> None:
    """C1."""
    program = (
        "import sys; sys.modules['opentelemetry.trace'] = None; import windlass;"
        "from windlass.integrations.opentelemetry import trace_jobs; trace_jobs(windlass.Windlass('sqlite:///:memory:'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    remedy = "trace_jobs needs the extra 'otel': pip install 'windlass-jobs[otel]'"
    assert f"windlass.errors.ConfigError: {remedy}" in done.stderr
