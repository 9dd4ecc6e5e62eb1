"""An archive in a bucket: one object for each job, under the week in which it finished.

    app = Windlass(archive=BucketArchive(boto3.client("s3"), "my-jobs"))

``put_object`` is called as boto3's S3 client has it; any object with such a method will do.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, Protocol

from windlass import ArchivedJob

log = logging.getLogger(__name__)


class Bucket(Protocol):
    """The part of an S3 client that is used here."""

    def put_object(self, *, Bucket: str, Key: str, Body: bytes, ContentType: str) -> Any: ...


class BucketArchive:
    """Writes what it can: a job that could not be written stays in the store and comes again."""

    def __init__(self, client: Bucket, bucket: str, *, prefix: str = "jobs") -> None:
        self._client = client
        self._bucket = bucket
        self._prefix = prefix

    def keep(self, jobs: Sequence[ArchivedJob]) -> list[str]:
        kept = []
        for job in jobs:
            # The key is the same each time, so that a job that comes twice is one object.
            key = f"{self._prefix}/{job.week}/{job.id}.json"
            try:
                self._client.put_object(
                    Bucket=self._bucket, Key=key, Body=job.to_json(), ContentType="application/json"
                )
            except Exception:  # what a client raises is its own; the other jobs go on
                log.exception("job %s could not be archived", job.id)
            else:
                kept.append(job.id)
        return kept
