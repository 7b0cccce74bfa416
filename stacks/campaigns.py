"""The campaigns part: the campaigns, the functions behind /campaigns, the clean-up after them."""

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from constructs import Construct

from stacks.announcer import CampaignEvents
from stacks.api import INTEGRATION_TIMEOUT
from stacks.audience import Audience
from stacks.campaign_topics import CampaignTopics
from stacks.config import LAMBDA_TIMEOUT_MAX_SECONDS, Config
from stacks.devices import Devices
from stacks.function import Package, PythonFunction, part_environment
from stacks.launcher import CampaignLauncher
from stacks.queues import Queue, WorkQueue
from stacks.table import Table, text
from stacks.workflow import CampaignWorkflow

BY_CREATED_INDEX = "by_created"
# Deleting the members of a list of millions takes minutes.
CLEAN_UP_TIMEOUT = Duration.seconds(LAMBDA_TIMEOUT_MAX_SECONDS)
# Campaigns that are cleaned up side by side: it is no hurry, and they share the tables.
CLEAN_UPS_AT_ONCE = 2


class Campaigns(Construct):
    """Keeps the campaigns, runs a workflow for each, removes what a deleted one leaves behind."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        package: Package,
        devices: Devices,
        audience: Audience,
        topics: CampaignTopics,
    ) -> None:
        super().__init__(scope, id)
        self._add_tables(config)
        self.workflow = CampaignWorkflow(
            self,
            "Workflow",
            config=config,
            package=package,
            campaigns=self.table,
            audience=audience,
            topics=topics,
        )
        self.clean_up_queue = WorkQueue(
            self,
            "CleanUpQueue",
            config=config,
            consumer_timeout=CLEAN_UP_TIMEOUT,
            dead_letters=Queue(self, "CleanUpDeadLetters", config=config),
        )
        settings = {
            "campaigns_table": self.table.table_name,
            "lists_table": audience.lists.table_name,
            "schedule_group": self.workflow.schedules.group_name,
        }
        self.api_function = PythonFunction(
            self,
            "CampaignsApi",
            handler="functions.campaigns.api.handler",
            package=package,
            timeout=INTEGRATION_TIMEOUT,
            environment=part_environment(
                "campaigns",
                **settings,
                idempotency_table=self.idempotency.table_name,
                schedule_role_arn=self.workflow.schedules.role.role_arn,
                due_function_arn=self.workflow.due.function_arn,
                gate_days=str(config.gate_days),
            ),
        )
        # What can reach a device directly is kept apart from what anybody calls all the time.
        self.messages_function = PythonFunction(
            self,
            "MessagesApi",
            handler="functions.campaigns.messages_api.handler",
            package=package,
            timeout=INTEGRATION_TIMEOUT,
            environment=part_environment(
                "campaigns",
                campaigns_table=self.table.table_name,
                devices_table=devices.table.table_name,
                idempotency_table=self.idempotency.table_name,
            ),
        )
        self.members_function = PythonFunction(
            self,
            "MembersApi",
            handler="functions.campaigns.members_api.handler",
            package=package,
            timeout=INTEGRATION_TIMEOUT,
            environment=part_environment(
                "campaigns",
                campaigns_table=self.table.table_name,
                lists_table=audience.lists.table_name,
            ),
        )
        self.clean_up = PythonFunction(
            self,
            "CleanUp",
            handler="functions.campaigns.clean_up.handler",
            package=package,
            timeout=CLEAN_UP_TIMEOUT,
            environment=part_environment(
                "campaigns", **settings, topic_arn_prefix=topics.arn_prefix
            ),
        )
        self._grant(audience)
        topics.allow(self.clean_up, "DeleteTopic")
        self.clean_up_queue.work_off(self.clean_up, batch_size=1, max_concurrency=CLEAN_UPS_AT_ONCE)
        CampaignLauncher(
            self,
            "CampaignLauncher",
            config=config,
            package=package,
            campaigns=self.table,
            workflow=self.workflow,
            clean_up_queue=self.clean_up_queue,
        )

        self.events = CampaignEvents(
            self, "Events", config=config, package=package, campaigns=self.table
        )

    def _add_tables(self, config: Config) -> None:
        self.table = Table(
            self,
            "CampaignsTable",
            config=config,
            partition_key="campaign_id",
            sort_key="record",
            stream=dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
            indexes=[
                dynamodb.GlobalSecondaryIndexPropsV2(
                    index_name=BY_CREATED_INDEX,
                    partition_key=text("kind"),
                    sort_key=text("created_at"),
                )
            ],
        )
        # https://docs.aws.amazon.com/powertools/python/latest/utilities/idempotency/
        self.idempotency = Table(
            self,
            "IdempotencyTable",
            config=config,
            partition_key="id",
            time_to_live_attribute="expiration",
        )

    def _grant(self, audience: Audience) -> None:
        for function in (self.api_function, self.clean_up):
            self.table.allow_items(function)
            audience.lists.allow_items(function)
            self.workflow.schedules.allow(function, "DeleteSchedule")
            self.workflow.allow_stopping(function)
        self.workflow.schedules.allow(self.api_function, "CreateSchedule")
        self.workflow.schedules.allow_pass_role(self.api_function)
        self.table.allow_index(self.api_function, BY_CREATED_INDEX)
        self.table.allow_reading(self.messages_function)
        self.table.allow_noting(self.messages_function)
        self.idempotency.allow_items(self.messages_function)
        self.table.allow_items(self.members_function)
        audience.lists.allow_items(self.members_function)
        self.idempotency.allow_items(self.api_function)
        self.api_function.allow(
            "states:SendTaskSuccess", on=self.workflow.state_machine.state_machine_arn
        )
