"""A campaign's workflow: the state machine, what its steps run in, and what wakes it."""

from aws_cdk import ArnFormat, Duration, Stack
from aws_cdk import aws_iam as iam
from constructs import Construct

from stacks.acknowledged import acknowledge
from stacks.audience import Audience
from stacks.campaign_topics import CampaignTopics
from stacks.config import LAMBDA_TIMEOUT_MAX_SECONDS, Config
from stacks.function import Package, PythonFunction, part_environment
from stacks.queues import Queue, WorkQueue
from stacks.schedules import PublishSchedules
from stacks.state_machine import CampaignStateMachine
from stacks.table import Table

SHORT = Duration.seconds(30)
# Sending what SNS is known not to have accepted again: functions/campaigns/publishing.py.
PUBLISHER_TIMEOUT = Duration.seconds(60)
# Tallying the members of a list of millions takes minutes.
STEP_TIMEOUT = Duration.seconds(LAMBDA_TIMEOUT_MAX_SECONDS)


class CampaignWorkflow(Construct):
    """One execution a campaign, started by the launcher, woken by task tokens."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        config: Config,
        package: Package,
        campaigns: Table,
        audience: Audience,
        topics: CampaignTopics,
    ) -> None:
        super().__init__(scope, id)
        self._config = config
        self._package = package
        self._campaigns = campaigns
        self._add_probe(topics)
        self._add_due()
        self.schedules = PublishSchedules(self, "Schedules", due=self.due)
        self.publisher = self._function("Publisher", timeout=PUBLISHER_TIMEOUT)
        topics.allow(self.publisher, "Publish")
        self._add_steps(audience, topics)
        self.state_machine = CampaignStateMachine(
            self,
            "Machine",
            config=config,
            steps=self.steps,
            list_segment=audience.list_segment,
            sweep=audience.sweep,
            publisher=self.publisher,
        ).state_machine
        self._allow_waking(
            audience.subscriber, audience.dead_letter, self.steps, self.receipt, self.due
        )

    def allow_stopping(self, function: PythonFunction) -> None:
        """Lets the function stop the execution of any campaign."""
        executions = Stack.of(self).format_arn(
            service="states",
            resource="execution",
            resource_name=f"{self.state_machine.state_machine_name}:*",
            arn_format=ArnFormat.COLON_RESOURCE_NAME,
        )
        function.allow(
            "states:StopExecution",
            on=executions,
            because="Executions are started at run time; the state machine is this stack's.",
        )

    def _add_probe(self, topics: CampaignTopics) -> None:
        """The queue that hears each publish as a device does, and the function that notes it."""
        self.probe_queue = WorkQueue(
            self,
            "ProbeQueue",
            config=self._config,
            consumer_timeout=SHORT,
            dead_letters=Queue(self, "ProbeDeadLetters", config=self._config),
        )
        topics.allow_delivery_to(self.probe_queue)
        self.receipt = self._function("Receipt")
        self.probe_queue.work_off(self.receipt, batch_size=10)

    def _add_due(self) -> None:
        """The function that a schedule calls. Lambda tries it three times; then somebody must know
        that a campaign was not sent at its time."""
        dead_letters = Queue(self, "DueDeadLetters", config=self._config)
        dead_letters.alarm_on_messages(
            "A campaign was due and could not be published; the message names it. Once the cause "
            "in Due's log is gone, publish it by hand."
        )
        acknowledge(dead_letters, "SQS3", "It holds what a function could not do, not a queue's.")
        self.due = self._function("Due", dead_letter_queue=dead_letters)

    def _add_steps(self, audience: Audience, topics: CampaignTopics) -> None:
        self.steps = self._function(
            "Workflow",
            timeout=STEP_TIMEOUT,
            memory_mb=1024,
            lists_table=audience.lists.table_name,
            topic_name_prefix=topics.name_prefix,
            probe_queue_arn=self.probe_queue.queue_arn,
            scan_segments=str(self._config.scan_segments),
            schedule_group=self.schedules.group_name,
            schedule_role_arn=self.schedules.role.role_arn,
            due_function_arn=self.due.function_arn,
        )
        audience.lists.allow_items(self.steps)
        topics.allow(self.steps, "CreateTopic", "Subscribe", "DeleteTopic")
        self.schedules.allow(self.steps, "CreateSchedule")
        self.schedules.allow_pass_role(self.steps)

    def _allow_waking(self, *functions: PythonFunction) -> None:
        """A policy apart from the functions' own: the state machine depends on these already."""
        iam.Policy(
            self,
            "WakeWorkflow",
            roles=[function.own_role for function in functions],
            statements=[
                iam.PolicyStatement(
                    actions=["states:SendTaskSuccess"],
                    resources=[self.state_machine.state_machine_arn],
                )
            ],
        )

    def _function(
        self,
        id: str,
        *,
        timeout: Duration = SHORT,
        memory_mb: int = 512,
        dead_letter_queue: Queue | None = None,
        **settings: str,
    ) -> PythonFunction:
        function = PythonFunction(
            self,
            id,
            handler=f"functions.campaigns.{id.lower()}.handler",
            package=self._package,
            timeout=timeout,
            memory_mb=memory_mb,
            dead_letter_queue=dead_letter_queue,
            environment=part_environment(
                "campaigns", campaigns_table=self._campaigns.table_name, **settings
            ),
        )
        self._campaigns.allow_items(function)
        return function
