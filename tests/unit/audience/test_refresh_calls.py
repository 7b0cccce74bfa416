"""What a refresh costs: nothing for what stays, its own share for what changes."""

from tests.unit.audience.count_refresh_calls import count


def test_an_unchanged_audience_costs_a_few_writes_and_no_call(aws: None) -> None:
    counted = count(400, changed=0)
    assert counted.sns == {}
    assert counted.messages == 0
    # The list opened and closed; the sweep and two segments claimed, each with the list's progress.
    assert counted.items_written == 9


def test_one_percent_changed_costs_about_one_percent_of_the_calls(aws: None) -> None:
    counted = count(400, changed=4)
    assert counted.sns == {"Unsubscribe": 4, "Subscribe": 4}
    # Beside these nine: 4 members that go, 8 that come (the 4 opted out ones among them), and 3
    # chunks, each written once and ticked off once, with the list's progress for each of 2 ticks.
    assert counted.messages == 3
    assert counted.items_written == 9 + 4 + 8 + 3 + 3 + 2
