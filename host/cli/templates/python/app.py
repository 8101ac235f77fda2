"""A preview of records: what they are called, how long they take to read, and how they begin.

The host shows a record without its content, as a RecordShape. The answer is a plan: passages of the record's own
words, which the host cuts out and prints, and words of your own, which it marks as derived.
"""

from wit_world import exports
from wit_world.exports.previewer import Derived, Passage, Sheet, Shown_Derived, Shown_Verbatim
from wit_world.imports import log
from wit_world.imports.shapes import FieldKind_Text, Span

# How many characters people read in a minute.
CHARS_A_MINUTE = 1_200
# The longest title and the longest line, in bytes.
TITLE, LINE = 80, 120
# What titles and texts are called, where the record's stream does not declare it.
TITLES, BODIES = ("title", "subject", "name"), ("body", "text", "content")


class Previewer(exports.Previewer):
    def compose(self, records, context):
        # `stepwell plugin check` and `stepwell plugin preview` show this; a server drops it.
        log.write(log.Level.DEBUG, f"{len(records)} records")
        return [sheet(record, context.budget.bytes) for record in records]


def sheet(record, room):
    """One record's preview, in at most `room` bytes: what is longer is refused."""
    field = part(record, "title", TITLES)
    title = beginning(field, min(TITLE, room // 3)) if field else None
    room -= size(title) if title else 0
    lines = []
    body = part(record, "body", BODIES)
    if body:
        minutes = -(-body.chars // CHARS_A_MINUTE)
        # `covers` says which part the words stand for, so that a reader can go there.
        covers = Passage(body.path, Span(0, body.chars))
        time = Shown_Derived(Derived(f"{minutes} min to read", covers))
        if size(time) <= room:
            room -= size(time)
            lines.append(time)
        first = beginning(body, min(LINE, room))
        if first:
            lines.append(first)
    return Sheet(record.slot, title, lines, [], [])


def part(record, role, names):
    """The text that plays this role: by what is declared, else by its name."""
    texts = [field for field in record.fields if isinstance(field.kind, FieldKind_Text) and field.chars]
    declared = (field for field in texts if field.role == role)
    named = (field for name in names for field in texts if field.path == name)
    return next(declared, None) or next(named, None)


def beginning(field, room):
    """The first line of a text in its own words. The head that a shape carries is enough; more would be read from the
    host, with `wit_world.imports.fields`. Places count code points, as Python does."""
    head = field.head or ""
    start = len(head) - len(head.lstrip())
    words = (head[start:].splitlines() or [""])[0].encode()[:room].decode(errors="ignore").rstrip()
    return Shown_Verbatim(Passage(field.path, Span(start, start + len(words)))) if words else None


def size(shown):
    """What it counts for in the budget."""
    if isinstance(shown, Shown_Derived):
        return len(shown.value.text.encode())
    return shown.value.at.end - shown.value.at.start
