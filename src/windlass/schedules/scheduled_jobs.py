"""Makes the job of a slot."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from windlass.core.codec import Codec
from windlass.core.encryption.encryption import Encryption
from windlass.core.encryption.text import refuse_unopened
from windlass.schedules.encrypted import opened_definition
from windlass.store.operations.enqueue import NewJob, Uniqueness
from windlass.store.operations.schedules.definition import Definition

if TYPE_CHECKING:
    from windlass.client.client import Client
    from windlass.client.tasks.registry import Registry


class ScheduledJobs:
    """Makes jobs from what schedules say, the same in every process; where the task is known, its call is checked."""

    def __init__(
        self,
        *,
        codec: Codec,
        registry: Registry,
        next_id: Callable[[], str],
        encryption: Encryption,
        encrypt: Callable[[NewJob, Uniqueness | None], NewJob],
    ) -> None:
        self._codec = codec
        self._encryption = encryption
        self._encrypt = encrypt
        self._registry = registry
        self._next_id = next_id

    def make(self, name: str, definition: Definition, planned: int | None) -> NewJob:
        """The job of a slot, or, without one, of a schedule that is run now.

        Raises what a call of the task would raise if the arguments do not fit it any more.
        """
        definition = opened_definition(self._encryption, name, definition)
        refuse_unopened(definition.payload)
        refuse_unopened(definition.meta or "")
        self._check_call(definition)
        plain = {} if definition.meta is None else msgspec.json.decode(definition.meta, type=dict[str, object])
        plain["schedule"] = name
        if planned is not None:
            plain["planned_at"] = planned
        job = definition.new_job(self._next_id(), meta=self._codec.encode_meta(plain))
        return self._encrypt(job, definition.uniqueness)

    def _check_call(self, definition: Definition) -> None:
        task = self._registry.known(definition.job.task)
        if task is not None:
            args, kwargs = self._codec.decode_call(task.signature, definition.payload)
            task.shape.check(task.name, args, kwargs)


def scheduled_jobs(client: Client) -> ScheduledJobs:
    """For the jobs of an app's schedules."""

    def encrypt(job: NewJob, naming: Uniqueness | None) -> NewJob:
        return client.enqueuer.encrypted_job(job, naming, client.registry.find(job.task))

    return ScheduledJobs(
        codec=client.codec,
        registry=client.registry,
        next_id=client.ids.next,
        encryption=client.encryption,
        encrypt=encrypt,
    )
