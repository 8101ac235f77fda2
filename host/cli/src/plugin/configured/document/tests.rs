use super::*;

const SHIPPED: &str = include_str!("../../../../../../plugins.toml");

const OWN: &str = "\
# My settings.
[tiers.preview] # the default
enabled = true # for now

# All about previews.

# Mail from the web.
[[preview]]
name = \"html\" # tags out
component = \"html.wasm\"

# Everything else.
[[preview]]
component = \"plain.wasm\"
enabled = false

# The ledger.
[ledger]
keep_days = 7
";

fn document(text: &str) -> Document {
    Document::parse(text).unwrap()
}

fn entry() -> Entry {
    Entry {
        component: "mine.wasm".into(),
        rule: vec![("streams", vec!["mail*".into(), "notes".into()])],
        limits: vec![("memory_mb".into(), 256)],
    }
}

/// The lines that one text has and the other has not.
fn changed(before: &str, after: &str) -> (Vec<String>, Vec<String>) {
    let only = |one: &str, other: &str| -> Vec<String> {
        let others: Vec<&str> = other.lines().collect();
        one.lines().filter(|line| !others.contains(line)).map(str::to_owned).collect()
    };
    (only(before, after), only(after, before))
}

#[test]
fn a_new_plugin_is_the_last_one_tried_and_nothing_else_changes() {
    for text in [OWN, SHIPPED, "", "# nothing but this\n"] {
        let mut document = document(text);
        document.add("preview", "mine", &entry()).unwrap();
        let printed = document.print();
        let (gone, new) = changed(text, &printed);
        assert_eq!(gone, [""; 0], "{printed}");
        for line in [
            "name = \"mine\"",
            "component = \"mine.wasm\"",
            "match = { streams = [\"mail*\", \"notes\"] }",
            "limits = { memory_mb = 256 }",
        ] {
            assert!(new.iter().any(|other| other == line), "{line} in {printed}");
        }
        let again = Document::parse(&printed).unwrap();
        assert_eq!(again.named("preview").last().map(String::as_str), Some("mine"));
        let taken = document.add("preview", "mine", &entry()).unwrap_err();
        assert!(taken.is::<UsageError>(), "{taken}");
    }
    assert_eq!(document(OWN).named("preview"), ["html", "preview-2"]);
}

#[test]
fn a_plugin_goes_with_its_own_lines_and_leaves_the_others() {
    let mut first = document(OWN);
    first.remove("html").unwrap();
    let (gone, new) = changed(OWN, &first.print());
    assert_eq!(gone, ["# Mail from the web.", "name = \"html\" # tags out", "component = \"html.wasm\""]);
    assert_eq!(new, [""; 0]);
    assert!(first.print().contains("# All about previews.\n"), "{}", first.print());
    // The name that it had by its place is another one now.
    first.remove("preview-1").unwrap();
    let left = first.print();
    assert!(
        !left.contains("[[preview]]") && left.contains("# All about previews.\n\n# The ledger.\n[ledger]"),
        "{left}"
    );
    let unknown = first.remove("html").unwrap_err().to_string();
    assert!(unknown.contains("there is no plugin \"html\"") && unknown.contains("field-window"), "{unknown}");
}

#[test]
fn a_switch_changes_one_line_and_keeps_what_stands_behind_it() {
    let mut document = document(OWN);
    document.enable("preview", false).unwrap();
    document.enable("preview-2", true).unwrap();
    document.enable("html", false).unwrap();
    let printed = document.print();
    assert!(printed.contains("enabled = false # for now\n"), "{printed}");
    assert!(printed.contains("component = \"html.wasm\"\nenabled = false\n"), "{printed}");
    assert!(printed.contains("component = \"plain.wasm\"\nenabled = true\n"), "{printed}");
    document.enable("resources", false).unwrap();
    assert!(document.print().contains("[tiers.resources]\nenabled = false\n"), "{}", document.print());
}

#[test]
fn a_tier_is_replaced_and_given_back() {
    let mut replaced = document("[tiers.field-window]\nsha256 = \"00\"\non_fault = \"refuse\"\n");
    replaced.replace("field-window", &Entry { component: "snap.wasm".into(), ..Entry::default() }).unwrap();
    assert_eq!(replaced.print(), "[tiers.field-window]\non_fault = \"refuse\"\ncomponent = \"snap.wasm\"\n");
    replaced.remove("field-window").unwrap();
    assert_eq!(replaced.print(), "[tiers.field-window]\non_fault = \"refuse\"\n");
    let mut shipped = document(SHIPPED);
    shipped.replace("resources", &Entry { component: "plain.wasm".into(), ..Entry::default() }).unwrap();
    let (gone, new) = changed(SHIPPED, &shipped.print());
    assert_eq!((gone, new), (Vec::new(), vec!["component = \"plain.wasm\"".to_owned()]));
    let mut inline = document("tiers = { preview = { enabled = true } }");
    inline.enable("preview", false).unwrap();
    assert!(inline.print().contains("enabled = false"), "{}", inline.print());
}
