use super::*;
use proptest::prelude::*;
use std::collections::HashSet;

fn registry(plugins: &[(&str, &[&str])]) -> Registry {
    let mut registry = Registry::default();
    for (plugin, tools) in plugins {
        registry.register(plugin, tools.iter().copied()).unwrap();
    }
    registry
}

fn names(registry: &Registry) -> Vec<&str> {
    registry.list().map(|(name, ..)| name).collect()
}

#[test]
fn a_name_of_its_own_stays_readable() {
    let registry = registry(&[("notes", &["summarise", "list__all"]), ("mail", &["threads"])]);
    assert_eq!(names(&registry), ["list__all", "summarise", "threads"]);
    assert_eq!(registry.resolve("threads"), Some(("mail", "threads")));
    assert_eq!(registry.display("notes", "summarise"), Some("summarise"));
    assert_eq!(registry.resolve("mail__threads"), None);
    assert!(registry.fallbacks().is_empty());
}

#[test]
fn a_shared_name_is_qualified_for_all_who_share_it() {
    let mut registry = registry(&[("notes", &["tags", "links"]), ("mail", &["tags"])]);
    assert_eq!(names(&registry), ["links", "mail__tags", "notes__tags"]);
    assert_eq!(registry.fallbacks().len(), 2);
    let line = registry.fallbacks()[0].to_string();
    assert_eq!(line, r#"tool "tags" of plugin "mail" is listed as mail__tags (qualified)"#);
    registry.remove("mail");
    assert_eq!(names(&registry), ["links", "tags"]);
    assert!(registry.fallbacks().is_empty());
}

#[test]
fn the_core_names_are_never_given_away() {
    let registry = registry(&[("x", &["search", "Fetch", "read-record-field", "schemas"])]);
    assert_eq!(names(&registry), ["schemas", "x__Fetch", "x__read-record-field", "x__search"]);
    assert!(CORE.iter().all(|core| registry.resolve(core).is_none()));
    assert!(CORE.is_sorted());
}

#[test]
fn long_names_are_cut_and_keep_a_stable_hash() {
    let long = "summarise_every_thread_of_the_last_quarter_by_sender";
    let alone = registry(&[("mail", &[long])]);
    // Written down: the hash must never change, because agents remember names.
    assert_eq!(names(&alone), ["summarise_every_thread_of_the_l-0661cac5"]);
    assert_eq!(alone.fallbacks()[0].rules, [Rule::Shortened]);
    let shared = registry(&[("mail", &[long]), ("archive", &[long])]);
    assert_eq!(
        names(&shared),
        ["archive__summarise_every_thread-f1743530", "mail__summarise_every_thread_of-0661cac5"]
    );
    assert_eq!(shared.resolve(names(&shared)[1]), Some(("mail", long)));
}

#[test]
fn names_that_sanitise_alike_get_a_hash() {
    let registry = registry(&[("p", &["a.b", "a b", "alone.here", "", "日本", "2fa", "_x"])]);
    assert_eq!(registry.list().count(), 7);
    assert_eq!(registry.display("p", "alone.here"), Some("alone_here"));
    assert_eq!(registry.display("p", ""), Some("tool"));
    assert_eq!(registry.display("p", "日本"), Some("tool__"));
    assert_eq!(registry.display("p", "2fa"), Some("tool_2fa"));
    assert_eq!(registry.display("p", "_x"), Some("tool_x"));
    let (one, two) = (registry.display("p", "a.b").unwrap(), registry.display("p", "a b").unwrap());
    assert!(one.starts_with("p__a_b-") && two.starts_with("p__a_b-") && one != two, "{one} {two}");
    let fallback = registry.fallbacks().iter().find(|f| f.tool == "a.b").unwrap();
    assert_eq!(fallback.rules, [Rule::Sanitised, Rule::Qualified, Rule::Suffixed]);
}

#[test]
fn a_tool_cannot_pass_for_a_qualified_one() {
    let registry = registry(&[("a", &["t"]), ("b", &["t", "a__t"])]);
    let names: HashSet<&str> = names(&registry).into_iter().collect();
    assert_eq!(names.len(), 3);
    assert_eq!(registry.display("b", "a__t"), Some("b__a__t"));
    assert_eq!(registry.resolve(registry.display("a", "t").unwrap()), Some(("a", "t")));
}

#[test]
fn refuses_plugins_that_no_name_could_stand_for() {
    let mut registry = Registry::default();
    for (plugin, why) in [
        ("", BadPlugin::Unnamed),
        ("a__b", BadPlugin::Delimiter),
        ("_a", BadPlugin::Edge),
        ("a_", BadPlugin::Edge),
    ] {
        assert_eq!(registry.register(plugin, ["t"]), Err(why));
    }
    assert_eq!(registry.register("a", ["t", "t"]), Err(BadPlugin::TwiceTheSameTool("t".into())));
    assert_eq!(registry.list().count(), 0);
    assert_eq!(Registry::with_reserve(41).unwrap_err(), ReserveTooLarge(41));
}

/// Plugins as an operator could name them, tools as an author could: alike, odd, long, or posing as something else.
fn plugins() -> impl Strategy<Value = BTreeMap<String, BTreeSet<String>>> {
    let plugin = prop_oneof!["[abA.-]{1,3}", "[ab]{20,50}", "[a-c]_[a-c]", "\\PC{1,4}", "[0-9]{1,2}"]
        .prop_filter("a plugin name", |name| check_plugin(name).is_ok());
    let tool = prop_oneof![
        "[abAB._-]{0,3}",
        "[ab]{30,80}",
        "a{38,42}",
        "[ab]__[ab]",
        "\\PC{0,5}",
        proptest::sample::select(CORE.to_vec()).prop_map(str::to_owned),
    ];
    proptest::collection::btree_map(plugin, proptest::collection::btree_set(tool, 0..6), 0..6)
}

fn registered<'a>(
    plugins: impl IntoIterator<Item = (&'a String, &'a BTreeSet<String>)>,
    reserve: usize,
) -> Registry {
    let mut registry = Registry::with_reserve(reserve).unwrap();
    for (plugin, tools) in plugins {
        registry.register(plugin, tools.iter().map(String::as_str)).unwrap();
    }
    registry
}

/// What a host makes of a server's name and a tool's.
type Transform = fn(&str, &str) -> String;

proptest! {
    #[test]
    fn every_tool_has_one_legal_name_that_leads_back(plugins in plugins(), reserve in 0usize..=40) {
        let registry = registered(&plugins, reserve);
        let mut folded: HashSet<String> = CORE.iter().map(|core| fold(core)).collect();
        for (plugin, tools) in &plugins {
            for tool in tools {
                let name = registry.display(plugin, tool).unwrap();
                prop_assert!(name.len() <= 64 - reserve, "{}", name);
                prop_assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{}", name);
                prop_assert!(name.starts_with(|c: char| c.is_ascii_alphabetic()), "{}", name);
                prop_assert_eq!(registry.resolve(name), Some((plugin.as_str(), tool.as_str())));
                prop_assert!(folded.insert(fold(name)), "{}", name);
            }
        }
        prop_assert_eq!(registry.list().count(), plugins.values().map(BTreeSet::len).sum::<usize>());
        for fallback in registry.fallbacks() {
            prop_assert!(!fallback.rules.is_empty() && fallback.display != fallback.tool);
        }
        let renamed = registry.list().filter(|(name, _, tool)| name != tool).count();
        prop_assert_eq!(renamed, registry.fallbacks().len());
    }

    #[test]
    fn the_order_of_registration_does_not_matter(plugins in plugins()) {
        let (forwards, backwards) = (registered(&plugins, 24), registered(plugins.iter().rev(), 24));
        prop_assert!(forwards.list().eq(backwards.list()));
    }

    #[test]
    fn a_qualified_name_that_needed_nothing_else_comes_apart_at_the_delimiter(plugins in plugins()) {
        let registry = registered(&plugins, 24);
        for fallback in registry.fallbacks().iter().filter(|f| f.rules == [Rule::Qualified]) {
            let parts = fallback.display.split_once(DELIMITER);
            prop_assert_eq!(parts, Some((fallback.plugin.as_str(), fallback.tool.as_str())));
        }
    }

    #[test]
    fn names_survive_what_hosts_do_to_them(plugins in plugins(), server in "[a-z]{1,17}") {
        let registry = registered(&plugins, 24);
        let transforms: [(&str, Transform); 7] = [
            ("Codex, Claude Code, Qwen Code", |server, name| format!("mcp__{server}__{name}")),
            ("Cline, Goose", |server, name| format!("{server}__{name}")),
            ("Copilot CLI", |server, name| format!("{server}-{name}")),
            ("VS Code, Gemini CLI", |server, name| format!("mcp_{server}_{name}")),
            ("Bedrock, which takes no hyphen", |server, name| format!("mcp__{server}__{}", name.replace('-', "_"))),
            ("a host that does not tell cases apart", |_, name| name.to_ascii_lowercase()),
            ("Continue, LangChain", |_, name| name.to_owned()),
        ];
        for (host, transform) in transforms {
            let mut seen = HashSet::new();
            for name in names(&registry).into_iter().chain(CORE) {
                let mut shown = transform(&server, name);
                prop_assert!(shown.len() <= 64, "{}: {}", host, shown);
                // What the strictest of the model interfaces takes.
                prop_assert!(shown.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
                prop_assert!(shown.starts_with(|c: char| c.is_ascii_alphabetic()));
                shown.truncate(64);
                prop_assert!(seen.insert(shown), "{}: {}", host, name);
            }
        }
    }
}
