"""Tests of the preview in a plain Python. `componentize-py … bindings bindings` makes the types."""

import sys
import unittest

sys.path.insert(0, "bindings")

from app import sheet, size  # noqa: E402
from wit_world.imports.shapes import FieldKind_Text, FieldShape, RecordShape, Span  # noqa: E402


def text(path, content):
    return FieldShape(path, FieldKind_Text(), None, None, len(content), len(content.encode()), None, content[:512], [])


def record(*fields):
    return RecordShape(0, "messages", None, None, None, list(fields), [], [])


class Test(unittest.TestCase):
    def test_says_how_long_a_text_takes_to_read(self):
        shown = sheet(record(text("subject", "Hello"), text("body", "word " * 1000)), 240)
        self.assertEqual(shown.title.value.at, Span(0, 5))
        self.assertEqual(shown.lines[0].value.text, "5 min to read")
        self.assertEqual(shown.lines[0].value.covers.at, Span(0, 5000))

    def test_stays_within_its_budget_whatever_the_record_holds(self):
        for room in (0, 1, 10, 240):
            shown = sheet(record(text("title", "日本語🙂\n"), text("body", "é\u202e" * 900)), room)
            self.assertLessEqual(sum(map(size, filter(None, [shown.title, *shown.lines]))), room)
        self.assertEqual(sheet(record(), 240).lines, [])


if __name__ == "__main__":
    unittest.main()
