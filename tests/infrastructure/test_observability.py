import json
from typing import Any

from tests.infrastructure.synthesized import Synthesized


def test_these_alarms_watch_these_metrics(fanfare: Synthesized) -> None:
    alarms = {
        path: (alarm["Namespace"], alarm["MetricName"], alarm["Threshold"])
        for path, alarm in fanfare.of_type("AWS::CloudWatch::Alarm").items()
    }

    messages = ("AWS/SQS", "ApproximateNumberOfMessagesVisible", 0)
    assert alarms == {
        # DeadLetter empties this queue; what counts is that it received something.
        "Audience/SubscribeDeadLetters/Alarm": ("AWS/SQS", "NumberOfMessagesReceived", 0),
        "Audience/SubscribeParked/Alarm": messages,
        "Campaigns/Workflow/ProbeDeadLetters/Alarm": messages,
        "Campaigns/Workflow/DueDeadLetters/Alarm": messages,
        "Campaigns/CampaignLauncher/LaunchDeadLetters/Alarm": messages,
        "Campaigns/CleanUpDeadLetters/Alarm": messages,
        "Devices/Events/EndpointEventsDeadLetters/Alarm": messages,
        "Imports/LoadDeadLetters/Alarm": ("AWS/SQS", "NumberOfMessagesReceived", 0),
        "Campaigns/Events/AnnounceDeadLetters/Alarm": messages,
        "Imports/LoadParked/Alarm": messages,
        "Imports/FailedAlarm": ("AWS/States", "ExecutionsFailed", 0),
        "Observability/OldestMessageAlarm": ("AWS/SQS", "ApproximateAgeOfOldestMessage", 43_200),
        "Observability/FailedExecutionsAlarm": ("AWS/States", "ExecutionsFailed", 0),
        "Observability/ServerErrorsAlarm": ("AWS/ApiGateway", "5xx", 0),
    }


def test_an_alarm_says_what_to_do_and_is_silent_without_data(fanfare: Synthesized) -> None:
    for path, alarm in fanfare.of_type("AWS::CloudWatch::Alarm").items():
        assert len(alarm["AlarmDescription"]) > 30, path
        assert alarm["TreatMissingData"] == "notBreaching"
        assert alarm["ComparisonOperator"] == "GreaterThanThreshold"
        assert "Metrics" not in alarm  # metric math


def test_the_dashboard_shows_the_metrics_that_the_functions_write(fanfare: Synthesized) -> None:
    body = json.loads(fanfare.properties("Observability/Dashboard")["DashboardBody"])

    shown: set[tuple[Any, ...]] = {
        tuple(metric[1:4])
        for widget in body["widgets"]
        for metric in widget["properties"]["metrics"]
        if metric[0] == "Fanfare"
    }
    assert shown == {
        ("RowsChecked", "service", "imports"),
        ("RowsStored", "service", "imports"),
        ("RowsRejected", "service", "imports"),
        ("EndpointsThrottled", "service", "imports"),
        ("DevicesSubscribed", "service", "audience"),
        ("DevicesUnsubscribed", "service", "audience"),
        ("DevicesSkipped", "service", "audience"),
        ("SubscribeThrottled", "service", "audience"),
        ("SubscribeFailed", "service", "audience"),
        ("ListBuildSeconds", "service", "campaigns"),
        ("PublishToReceiptMs", "service", "campaigns"),
    }
