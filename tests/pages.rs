//! Pages for people whose commands are run as a reader would type them.

/// A command, and the lines that the page shows below it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) command: String,
    pub(crate) shown: Vec<String>,
}

/// The steps in the console blocks below one heading.
pub(crate) fn steps(page: &str, heading: &str) -> Vec<Step> {
    let (_, after) = page.split_once(&format!("\n## {heading}\n")).expect("the heading");
    let section = after.split("\n## ").next().unwrap_or(after);
    let blocks =
        section.split("```console\n").skip(1).map(|block| block.split("```").next().unwrap_or(block));
    let mut steps: Vec<Step> = Vec::new();
    for line in blocks.flat_map(str::lines) {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => steps.push(Step { command: command.to_owned(), shown: Vec::new() }),
            // A command goes on below where its line ends in a backslash.
            (None, Some(last)) if last.command.ends_with('\\') => {
                last.command.pop();
                last.command.push_str(line.trim_start());
            }
            (None, Some(last)) => last.shown.push(line.to_owned()),
            (None, None) => panic!("a command comes first: {line}"),
        }
    }
    steps
}

/// Whether a line of the page is in what was said; […] stands for anything.
pub(crate) fn holds(said: &str, line: &str) -> bool {
    said.lines().any(|found| {
        let mut rest = found;
        line.split("[…]").all(|part| match rest.find(part.trim()) {
            Some(at) => {
                rest = &rest[at + part.trim().len()..];
                true
            }
            None => false,
        })
    })
}

#[test]
fn a_line_that_is_not_shown_would_be_noticed() {
    assert!(holds("a\nsize: 12 bytes, good", "size: […] bytes, good"));
    assert!(!holds("a\nsize: 12 bytes, bad", "size: […] bytes, good"));
    assert!(!holds("12 bytes\nsize:", "size: […] bytes"));
}

#[test]
fn commands_are_told_from_what_they_show() {
    let page = "\n## One\n```console\n$ a \\\n    b\nsaid\n```\ntext\n```console\n$ c\n```\n## Two\n```console\n$ d\n```\n";
    let step = |command: &str, shown: &[&str]| Step {
        command: command.to_owned(),
        shown: shown.iter().map(|line| (*line).to_owned()).collect(),
    };
    assert_eq!(steps(page, "One"), [step("a b", &["said"]), step("c", &[])]);
}
