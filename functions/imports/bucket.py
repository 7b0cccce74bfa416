"""The gateway to the import bucket."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from functions.shared.aws_errors import code_of
from functions.shared.errors import UnavailableError

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

URL_SECONDS = 60 * 60
# One request each: whatever happens to a connection, only this much is asked for again.
READ_BYTES = 8 * 1024 * 1024
READ_TRIES = 4
BEGINNING_BYTES = 16
AT_ONCE = 16
# https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html: 5 MiB to 5 GiB a part, but
# for the last one.
PART_BYTES = 8 * 1024 * 1024
_CHANGED = frozenset({"PreconditionFailed", "NoSuchKey", "404", "412", "InvalidRange"})


class FileChangedError(Exception):
    """The object is another than it was, or gone."""


@dataclass(frozen=True, kw_only=True)
class Listed:
    """An object as a listing tells of it."""

    key: str
    bytes: int
    etag: str


class Bucket:
    """One bucket; its objects expire by themselves, and nothing here deletes any."""

    def __init__(self, s3: "S3Client", name: str) -> None:
        self._s3 = s3
        self._name = name

    def upload_url(self, key: str) -> str:
        """Where to PUT the object, without other credentials, within URL_SECONDS."""
        return self._s3.generate_presigned_url(
            "put_object", Params={"Bucket": self._name, "Key": key}, ExpiresIn=URL_SECONDS
        )

    def download_url(self, key: str, file_name: str) -> str:
        """Where to GET the object within URL_SECONDS, under this name if a browser does."""
        disposition = f"attachment; filename*=UTF-8''{quote(file_name, safe='')}"
        params = {
            "Bucket": self._name,
            "Key": key,
            "ResponseContentDisposition": disposition,
        }
        return self._s3.generate_presigned_url("get_object", Params=params, ExpiresIn=URL_SECONDS)

    def listed(self, prefix: str) -> Iterator[Listed]:
        """The objects whose keys begin so, in the order of their keys."""
        pages = self._s3.get_paginator("list_objects_v2").paginate(Bucket=self._name, Prefix=prefix)
        for page in pages:
            for item in page.get("Contents", []):
                yield Listed(key=item["Key"], bytes=item["Size"], etag=item["ETag"])

    def beginnings(self, wanted: Mapping[int, str]) -> dict[int, bytes]:
        """The first bytes of objects that are not empty, by the numbers that go with their keys."""

        def first(key: str) -> bytes:
            return self._read(Key=key, Range=f"bytes=0-{BEGINNING_BYTES - 1}")

        with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="s3") as pool:
            return dict(zip(wanted, pool.map(first, wanted.values()), strict=True))

    def put(self, key: str, body: bytes) -> None:
        """Writes an object; one that is there is replaced."""
        self._s3.put_object(Bucket=self._name, Key=key, Body=body)

    def get(self, key: str) -> bytes:
        """All of an object that we wrote."""
        return self._read(Key=key)

    def pieces(self, key: str, *, bytes_: int, etag: str) -> Iterator[bytes]:
        """The object's bytes in order; FileChangedError if it is not the one with this ETag."""
        for begin in range(0, bytes_, READ_BYTES):
            end = min(begin + READ_BYTES, bytes_) - 1
            yield self._read(Key=key, Range=f"bytes={begin}-{end}", IfMatch=etag)

    def write(self, key: str, pieces: Iterable[bytes]) -> None:
        """Writes an object of any length; it is there as a whole or not at all.

        https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html
        """
        parts = _parts(pieces)
        first = next(parts, b"")
        second = next(parts, None)
        if second is None:
            self.put(key, first)
            return
        where: Any = {"Bucket": self._name, "Key": key}
        upload = self._s3.create_multipart_upload(**where)["UploadId"]
        done: list[Any] = []
        try:
            for number, part in enumerate(chain([first, second], parts), start=1):
                answer = self._s3.upload_part(
                    **where, UploadId=upload, PartNumber=number, Body=part
                )
                done.append({"PartNumber": number, "ETag": answer["ETag"]})
            self._s3.complete_multipart_upload(
                **where, UploadId=upload, MultipartUpload={"Parts": done}
            )
        except BaseException:
            # What is left over expires after a day.
            with suppress(ClientError, BotoCoreError):
                self._s3.abort_multipart_upload(**where, UploadId=upload)
            raise

    def _read(self, **request: Any) -> bytes:
        for again in reversed(range(READ_TRIES)):
            try:
                return self._s3.get_object(Bucket=self._name, **request)["Body"].read()
            except ClientError as error:
                if code_of(error) in _CHANGED:
                    raise FileChangedError from error
                raise
            except (BotoCoreError, HTTPError):
                # The SDK repeats a request, but not the reading of an answer that broke off.
                if not again:
                    break
        raise UnavailableError("S3 does not answer for now")


def _parts(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in parts of PART_BYTES at least, but for the last one."""
    part = bytearray()
    for piece in pieces:
        part += piece
        if len(part) >= PART_BYTES:
            yield bytes(part)
            part.clear()
    if part:
        yield bytes(part)
