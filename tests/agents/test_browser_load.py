"""The load that `tools.load_server` puts on a server, in a small size: everything is answered, nothing is left behind."""

from tools.load_server import measure, report


def test_tables_with_agents_under_load_are_answered_and_leave_nothing_behind():
    found = measure(tables=10, rate=100, seconds=4)
    print(report(found))
    assert found["alive"]
    assert found["messages"] > 50
    assert found["kinds"]["play"] > 20
    middle, end = found["megabytes"]["after"]
    assert end <= middle + 50
