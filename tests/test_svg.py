"""Pictures as text: pieces, fitting words, parts that name actions."""

from xml.etree import ElementTree

import pytest

from cardtable.support import svg
from cardtable.support.svg import Band, Paint


def test_words_are_safe_and_numbers_short():
    assert (
        svg.words(1, 2.50, 'a<b & "c"', size=14)
        == '<text x="1" y="2.5" font-size="14" class="f-ink l-none">a&lt;b &amp; &quot;c&quot;</text>'
    )
    assert svg.circle(1 / 3, -0.001, 5.0) == '<circle cx="0.33" cy="0" r="5" class="f-card l-line"/>'


def test_words_that_are_too_wide_are_written_smaller():
    text = "a line of words"
    wide = svg.width_of(text, 20)
    assert svg.words(0, 0, text, size=20, width=wide) == svg.words(0, 0, text, size=20)
    assert svg.words(0, 0, text, size=20, width=wide / 2) == svg.words(0, 0, text, size=10)


def test_text_is_broken_between_words_where_it_gets_too_wide():
    text = "may craft and then visit the market in one turn"
    lines = svg.wrapped(text, 14, 120)
    assert " ".join(lines) == text
    assert len(lines) > 1
    assert all(svg.width_of(line, 14) <= 120 for line in lines)
    assert svg.wrapped("immeasurable", 14, 10) == ["immeasurable"]


@pytest.mark.parametrize(
    ("names", "named"),
    [
        ("play", True),
        ("play:sun 1", True),
        ("play:sun 1:leaf", True),
        ("play:*:leaf", True),
        ("lay|play:*:leaf", True),
        ("play:leaf", False),
        ("play:sun 1:sun", False),
        ("lay|play:sun 2", False),
        ("pla", False),
    ],
)
def test_a_part_names_actions_by_block_and_labels(names, named):
    assert svg.is_named(names, "play", ("sun 1", "leaf")) is named


def test_a_part_carries_what_it_names():
    drawn = svg.part(["play:sun 1", "lay:sun 1"], "<g/>", label="sun 1")
    assert drawn == '<g data-part="play:sun 1|lay:sun 1" aria-label="sun 1"><g/></g>'


def test_bands_lie_one_under_the_other():
    assert svg.stacked([Band(10, "<a/>"), Band(20, "<b/>")], 5) == (
        45,
        '<g transform="translate(0 5)"><a/></g><g transform="translate(0 20)"><b/></g>',
    )


@pytest.mark.parametrize("theme", svg.THEMES)
def test_a_document_has_its_paints_under_its_own_name(theme):
    text = svg.document(10, 20, name="game", title="<one>", paints={"sun": Paint("#111", "#eee")}, theme=theme)
    root = ElementTree.fromstring(text)
    assert root.attrib["class"] == f"game-{theme}"
    assert root[0].text == "<one>"
    style = root[1].text
    assert (f".game-{theme} .f-sun{{fill:#111}}" in style) == (theme != "dark")
    assert (f".game-{theme} .f-sun{{fill:#eee}}" in style) == (theme != "light")
