//! What Slack writes between angle brackets, as people read it.

use crate::json;
use serde_json::Value;
use std::collections::HashMap;

/// Turns `<@U1>` into a name, `<#C1|general>` into `#general` and `<https://a.example|text>` into `text (https://a.example)`.
pub(super) fn plain(text: &str, people: &HashMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('<') {
        out.push_str(before);
        let is_mark = |mark: &str| !mark.is_empty() && !mark.starts_with(' ') && !mark.contains('<');
        let Some((mark, after)) = after.split_once('>').filter(|(mark, _)| is_mark(mark)) else {
            out.push('<');
            rest = after;
            continue;
        };
        out.push_str(&spoken(mark, people));
        rest = after;
    }
    out.push_str(rest);
    // The three characters that Slack escapes, the ampersand last.
    out.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// What is attached to a message: what a program posts, a message that was passed on, or what a link leads to.
pub(super) fn attached(message: &Value, plain: &impl Fn(&str) -> String) -> String {
    let told = |attached: &Value| {
        let members = ["pretext", "author_name", "title", "text"];
        let mut lines: Vec<String> =
            members.iter().filter_map(|member| json::text(attached, member)).map(plain).collect();
        for field in json::list(attached, "fields") {
            let both = ["title", "value"].iter().filter_map(|member| json::text(field, member)).map(plain);
            lines.push(both.collect::<Vec<_>>().join(": "));
        }
        // A short form for those who see no more, which repeats the others.
        lines.extend(json::text(attached, "fallback").filter(|_| lines.is_empty()).map(plain));
        lines.join("\n")
    };
    let all: Vec<String> =
        json::list(message, "attachments").iter().map(told).filter(|text| !text.is_empty()).collect();
    all.join("\n\n")
}

fn spoken(mark: &str, people: &HashMap<String, String>) -> String {
    let (what, label) = mark.split_once('|').map_or((mark, None), |(what, label)| (what, Some(label)));
    match what.chars().next() {
        Some('@') => {
            let name = label.or_else(|| people.get(&what[1..]).map(String::as_str)).unwrap_or(&what[1..]);
            format!("@{name}")
        }
        Some('#') => format!("#{}", label.unwrap_or(&what[1..])),
        Some('!') => label
            .map_or_else(|| format!("@{}", what[1..].split('^').next().unwrap_or_default()), str::to_owned),
        _ => match label {
            Some(label) if !what.ends_with(label) => format!("{label} ({what})"),
            _ => what.strip_prefix("mailto:").unwrap_or(what).to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_it_was_seen() {
        let people = HashMap::from([("U1".to_owned(), "Ilse".to_owned())]);
        for (text, seen) in [
            ("<@U1> and <@U2>: <#C1|general>", "@Ilse and @U2: #general"),
            (
                "<https://a.example/x|the roof> &amp; <https://b.example>",
                "the roof (https://a.example/x) & https://b.example",
            ),
            ("<mailto:a@b.example|a@b.example>", "a@b.example"),
            ("<!here> 1 &lt; 2 &amp;lt; <!subteam^S1|@roofers>", "@here 1 < 2 &lt; @roofers"),
            ("5 < 6 and <> never <closed", "5 < 6 and <> never <closed"),
        ] {
            assert_eq!(plain(text, &people), seen, "{text}");
        }
    }
}
