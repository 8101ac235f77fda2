//! The name under which a file is saved.

use axum::http::HeaderValue;
use stepwell_ladder::percent;
use stepwell_tiers::check::file_name;

/// `Content-Disposition` with a name that is only a name: in ASCII for old clients, and as it is for the others.
pub(super) fn attachment(name: &str) -> HeaderValue {
    let name = file_name(name);
    let ascii: String =
        name.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '_' }).collect();
    let text = match ascii == name {
        true => format!("attachment; filename=\"{ascii}\""),
        false => format!("attachment; filename=\"{ascii}\"; filename*=UTF-8''{}", percent(&name)),
    };
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_leave_its_place() {
        for (name, header) in [
            ("plan.pdf", "attachment; filename=\"plan.pdf\""),
            ("../../etc/passwd", "attachment; filename=\"passwd\""),
            ("a\"; filename=\"b.exe", "attachment; filename=\"a__ filename=_b.exe\""),
            ("x\r\nSet-Cookie: a=b", "attachment; filename=\"x  Set-Cookie_ a=b\""),
            (
                "Zürich 🦢.png",
                "attachment; filename=\"Z_rich _.png\"; filename*=UTF-8''Z%C3%BCrich%20%F0%9F%A6%A2.png",
            ),
        ] {
            assert_eq!(attachment(name), header, "{name:?}");
        }
    }
}
