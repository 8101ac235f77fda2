// The thinking, in plain functions that `npm test` runs without a host.

// How many characters people read in a minute.
const CHARS_A_MINUTE = 1_200;
// The longest title and the longest line, in code points.
const TITLE = 60;
const LINE = 100;
// What titles and texts are called, where the record's stream does not declare it.
const TITLES = ["title", "subject", "name"];
const BODIES = ["body", "text", "content"];

// One record's preview, in at most `room` bytes: what is longer is refused.
export function sheet(record, room) {
  const field = part(record, "title", TITLES);
  const title = field ? beginning(field, Math.min(TITLE, Math.floor(room / 3))) : null;
  room -= title ? size(title) : 0;
  const lines = [];
  const body = part(record, "body", BODIES);
  if (body) {
    const minutes = Math.ceil(body.chars / CHARS_A_MINUTE);
    // `covers` says which part the words stand for, so that a reader can go there.
    const covers = { path: body.path, at: { start: 0, end: body.chars } };
    const time = { tag: "derived", val: { text: `${minutes} min to read`, covers } };
    if (size(time) <= room) {
      room -= size(time);
      lines.push(time);
    }
    const first = beginning(body, Math.min(LINE, room));
    if (first) lines.push(first);
  }
  return { slot: record.slot, title, lines, anchors: [], options: [] };
}

// The text that plays this role: by what is declared, else by its name.
function part(record, role, names) {
  const texts = record.fields.filter((field) => field.kind.tag === "text" && field.chars);
  const named = names.map((name) => texts.find((field) => field.path === name));
  return texts.find((field) => field.role === role) ?? named.find(Boolean);
}

// The first line of a text in its own words. The head that a shape carries is enough; more would be read from the host,
// with "stepwell:ladder/fields@0.1.0". Places count code points, which a spread string does too.
function beginning(field, room) {
  const head = field.head ?? "";
  const start = [...head].length - [...head.trimStart()].length;
  const words = [...head.trimStart().split("\n")[0].trimEnd()].slice(0, room);
  if (words.length === 0) return null;
  return { tag: "verbatim", val: { path: field.path, at: { start, end: start + words.length } } };
}

// What it counts for in the budget. The words of its own are plain ASCII: a byte for each.
export function size(shown) {
  return shown.tag === "derived" ? shown.val.text.length : shown.val.at.end - shown.val.at.start;
}
