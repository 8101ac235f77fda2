//! `${NAME}` in values: what differs between machines need not stand in the file.

use super::Mistake;

/// Replaces `${NAME}` and `${NAME:-default}` by what `variable` says, and `$$` by a dollar sign. What a variable holds is
/// taken as it is. As in a shell, the default stands in for an empty variable too.
pub(super) fn expand(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, Mistake> {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        if let Some(after) = after.strip_prefix('$') {
            out.push('$');
            rest = after;
            continue;
        }
        let (inside, after) =
            after.strip_prefix('{').and_then(|open| open.split_once('}')).ok_or(Mistake::Dollar)?;
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        if !is_name(name) {
            return Err(Mistake::Dollar);
        }
        match (variable(name), default) {
            (Some(value), None) => out.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => out.push_str(&value),
            (_, Some(default)) => out.push_str(default),
            (None, None) => return Err(Mistake::Unset(name.to_owned())),
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

fn is_name(name: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    !name.is_empty() && name.bytes().all(is_word) && !name.as_bytes()[0].is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str) -> Result<String, Mistake> {
        expand(text, &|name| match name {
            "HOME" => Some("/home/me".to_owned()),
            "EMPTY" => Some(String::new()),
            "TRICKY" => Some("${HOME} $$".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn variables_defaults_and_dollar_signs() {
        for (text, meant) in [
            ("plain", "plain"),
            ("${HOME}/tiers/${NONE:-mine}.wasm", "/home/me/tiers/mine.wasm"),
            ("${EMPTY}", ""),
            ("${EMPTY:-full}", "full"),
            ("${NONE:-}", ""),
            ("$$5, $${HOME}", "$5, ${HOME}"),
            // What a variable holds is not looked into.
            ("${TRICKY}", "${HOME} $$"),
        ] {
            assert_eq!(expanded(text).as_deref(), Ok(meant), "{text}");
        }
        assert_eq!(expanded("${HOME}${NONE}"), Err(Mistake::Unset("NONE".into())));
        for wrong in ["$", "$HOME", "${HOME", "${}", "${A B}", "${1}", "a$"] {
            assert_eq!(expanded(wrong), Err(Mistake::Dollar), "{wrong}");
        }
    }
}
