"""Threads that wait for each other: nobody passes early, nobody waits for one that has given up."""

import threading
import time

import pytest
from cardtable_agents.training.barrier import Barrier, Broken
from cardtable_agents.training.crew import Crew

ROUNDS = 2_000


def test_nobody_passes_a_barrier_before_all_have_come():
    """Each adds 1 to a number of its own and waits: then all numbers are equal, in every round."""
    crew, counts, seen = Crew([0, 1, 2]), [0, 0, 0], []

    def work(worker: int) -> None:
        for number in range(1, ROUNDS + 1):
            counts[worker] = number
            crew.barrier.wait(worker)
            if counts != [number] * 3:
                seen.append((worker, number, list(counts)))
            crew.barrier.wait(worker)

    crew.run(work)
    crew.close()
    assert seen == []


def test_one_that_comes_late_is_waited_for():
    crew, order = Crew([0, 1]), []

    def work(worker: int) -> None:
        if worker == 1:
            time.sleep(0.05)
        order.append(worker)
        crew.barrier.wait(worker)
        order.append(worker + 10)

    crew.run(work)
    crew.close()
    assert order[:2] == [0, 1]
    assert sorted(order[2:]) == [10, 11]


@pytest.mark.parametrize("failing", [0, 1])
def test_an_error_ends_those_who_wait_and_is_the_one_raised(failing):
    crew = Crew([0, 1])

    def work(worker: int) -> None:
        if worker == failing:
            time.sleep(0.02)
            raise ArithmeticError(f"of {worker}")
        crew.barrier.wait(worker)

    with pytest.raises(ArithmeticError, match=f"of {failing}"):
        crew.run(work)
    crew.close()


def test_those_who_wait_may_end_before_the_one_that_failed(monkeypatch):
    """It lets them go first, and may be interrupted there: its error is the one raised all the same."""
    crew, break_up = Crew([0, 1]), Barrier.break_up

    def slowly(barrier: Barrier) -> None:
        break_up(barrier)
        time.sleep(0.2)

    def work(worker: int) -> None:
        if worker == 1:
            raise ArithmeticError
        crew.barrier.wait(worker)

    monkeypatch.setattr(Barrier, "break_up", slowly)
    with pytest.raises(ArithmeticError):
        crew.run(work)
    crew.close()


def test_an_error_of_a_later_worker_is_raised_before_earlier_ones_are_done():
    crew, goes_on, done = Crew([0, 1]), threading.Event(), []

    def work(worker: int) -> None:
        if worker == 1:
            raise ArithmeticError
        goes_on.wait(30)
        done.append(worker)

    with pytest.raises(ArithmeticError):
        crew.run(work)
    assert done == []
    goes_on.set()
    crew.close()


def test_closing_frees_who_waits():
    barrier, ended = Barrier(2), []

    def wait() -> None:
        try:
            barrier.wait(0)
        except Broken:
            ended.append(True)

    thread = threading.Thread(target=wait)
    thread.start()
    barrier.break_up()
    thread.join(30)
    assert ended == [True]


@pytest.mark.parametrize("size", [1, 2])
def test_a_crew_can_be_used_again_and_a_single_worker_does_not_wait(size):
    crew = Crew(list(range(size)))
    for _ in range(3):
        assert crew.run(lambda worker: crew.barrier.wait(worker) or worker) == list(range(size))
    crew.close()
