use super::*;

fn error(text: &str) -> String {
    Config::parse(text, &["ledger", "server"]).unwrap_err().to_string()
}

#[test]
fn the_file_that_ships_says_exactly_the_defaults() {
    let text = include_str!("../../../../plugins.toml");
    // The server reads its own table, and a test there holds that against its defaults.
    assert_eq!(Config::parse(text, &["ledger", "server"]), Ok(Config::default()));
    let (tiers, _) = text.split_once("[ledger]").expect("the ledger's table is the last");
    // It states every setting, so that an operator sees what there is. A commented example does not count.
    for key in
        ["enabled", "component", "on_fault", "deadline_ms", "memory_mb", "output_kb", "reads", "read_kb"]
    {
        let stated = tiers
            .lines()
            .filter(|line| !line.trim_start().starts_with('#') && line.contains(&format!("{key} =")));
        assert_eq!(stated.count(), 4, "{key}");
    }
}

#[test]
fn an_empty_file_is_the_defaults_too() {
    assert_eq!(Config::parse("", &[]), Ok(Config::default()));
}

#[test]
fn settings_replace_defaults_one_by_one() {
    let digest = "AB".repeat(32);
    let text = format!(
        "[tiers.preview]\nenabled = false\nlimits = {{ deadline_ms = 9 }}\n\
         [tiers.resources]\nlinks = \"never\"\ncomponent = \"mine.wasm\"\nsha256 = \"{digest}\"\non_fault = \"refuse\"\n\
         options = {{ style = \"plain\" }}\n[server]\nanything = 1"
    );
    let config = Config::parse(&text, &["ledger", "server"]).unwrap();
    let mut expected = Config::default();
    expected.preview.enabled = false;
    expected.preview.limits.deadline = Duration::from_millis(9);
    expected.resources.links = Links::Never;
    expected.resources.tier.component = Origin::File("mine.wasm".into());
    expected.resources.tier.sha256 = Some("ab".repeat(32));
    expected.resources.tier.on_fault = OnFault::Refuse;
    expected.resources.tier.options.insert("style".into(), "plain".into());
    assert_eq!(config, expected);
}

#[test]
fn an_unknown_key_is_named_with_the_one_that_was_meant() {
    assert_eq!(
        error("[tiers.preview]\nenabeld = true"),
        "plugins.toml: unknown key tiers.preview.enabeld; did you mean \"enabled\"?"
    );
    assert_eq!(
        error("[tiers.field_window]"),
        "plugins.toml: unknown key tiers.field_window; did you mean \"field-window\"?"
    );
    assert!(error("[tier.preview]").ends_with("did you mean \"tiers\"?"));
    assert!(error("[tiers.preview]\nlimits = { deadline = 3 }").contains("deadline_ms"));
    assert!(error("[tiers.preview]\nlinks = \"never\"").contains("tiers.preview.links"));
    assert!(error("[tiers.preview]\nzzzzzzzz = 1").contains("known here: enabled, component"));
}

#[test]
fn a_value_out_of_range_says_the_range() {
    assert_eq!(
        error("[tiers.preview.limits]\nmemory_mb = 0"),
        "plugins.toml: tiers.preview.limits.memory_mb is 0, but must be from 1 to 1024"
    );
    assert!(error("[tiers.preview.limits]\ndeadline_ms = 600000").contains("from 1 to 60000"));
    assert!(error("[tiers.preview]\nsha256 = \"abc\"").contains("64 hexadecimal"));
    assert!(error("[tiers.preview]\ncomponent = \"\"").contains("builtin"));
    assert!(error("[tiers.preview]\non_fault = \"ignore\"").contains("fallback"));
    assert!(error("[tiers]\npreview = 1").contains("must be a table"));
    assert!(error("[tiers.preview\n").starts_with("plugins.toml: "));
}
