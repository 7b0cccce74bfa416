"""The bucket of imports: what lies in it is passing through."""

from collections.abc import Sequence

from aws_cdk import Duration
from aws_cdk import aws_s3 as s3
from constructs import Construct

from stacks.acknowledged import acknowledge
from stacks.config import Config
from stacks.function import PythonFunction
from stacks.retention import removal_policy

KEPT_DAYS = 7
HALF_UPLOADED_DAYS = 1


class PassingBucket(s3.Bucket):
    """A private bucket whose objects go by themselves after a week.

    A stack that is deleted takes it along only when it is empty: CDK's way of emptying it would
    put a function with the right to delete anything into the stack.
    """

    def __init__(self, scope: Construct, id: str, *, config: Config) -> None:
        super().__init__(
            scope,
            id,
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=config.enforce_ssl,
            versioned=False,
            removal_policy=removal_policy(config),
            lifecycle_rules=[
                s3.LifecycleRule(
                    expiration=Duration.days(KEPT_DAYS),
                    abort_incomplete_multipart_upload_after=Duration.days(HALF_UPLOADED_DAYS),
                )
            ],
        )
        acknowledge(
            self,
            "S1",
            "Callers reach it by URLs that the API signs and logs, for an hour; nobody else does.",
        )
        if not config.enforce_ssl:
            acknowledge(self, "S10", "The context's enforce_ssl switches this off, by choice.")

    def allow(
        self,
        function: PythonFunction,
        *,
        reads: Sequence[str] = (),
        writes: Sequence[str] = (),
        lists: bool = False,
    ) -> None:
        """Lets the function read and write these parts of any import, and list what there is."""
        for part in reads:
            self._allow(function, part, "s3:GetObject")
        for part in writes:
            # Large objects are written in parts.
            self._allow(function, part, "s3:PutObject", "s3:AbortMultipartUpload")
        if lists:
            function.allow("s3:ListBucket", on=self.bucket_arn)

    def _allow(self, function: PythonFunction, part: str, *actions: str) -> None:
        function.allow(
            *actions,
            on=self.arn_for_objects(f"imports/*/{part}"),
            because="An import's objects lie under its id, which is made at run time.",
        )
