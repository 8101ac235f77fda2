use super::*;

fn read(text: &str) -> Result<Config, ConfigError> {
    let file = File::parse(text, &|name| (name == "FOLDER").then(|| "/opt/secret".to_owned()))?;
    file.top().only(&["tiers", "preview", "tool", "server", "auth", "limits", "source", "ledger", "v1"])?;
    Config::read(&file)
}

fn error(text: &str) -> String {
    read(text).unwrap_err().to_string()
}

#[test]
fn the_file_that_ships_says_exactly_the_defaults() {
    let text = include_str!("../../../../plugins.toml");
    // The server reads its own tables, and tests there hold them against their defaults.
    assert_eq!(read(text), Ok(Config::default()));
    // It states every setting, so that an operator sees what there is. A commented example does not count.
    for key in
        ["enabled", "component", "on_fault", "deadline_ms", "memory_mb", "output_kb", "reads", "read_kb"]
    {
        let stated = text
            .lines()
            .filter(|line| !line.trim_start().starts_with('#') && line.contains(&format!("{key} =")));
        // The ledger has two settings of the same name.
        let ledger = usize::from(["enabled", "on_fault"].contains(&key));
        assert_eq!(stated.count(), 4 + ledger, "{key}");
    }
}

#[test]
fn an_empty_file_is_the_defaults_too() {
    assert_eq!(read(""), Ok(Config::default()));
}

#[test]
fn settings_replace_defaults_one_by_one() {
    let digest = "AB".repeat(32);
    let text = format!(
        "[tiers.preview]\nenabled = false\nlimits = {{ deadline_ms = 9 }}\n\
         [tiers.resources]\nlinks = \"never\"\ncomponent = \"mine.wasm\"\nsha256 = \"{digest}\"\non_fault = \"refuse\"\n\
         options = {{ style = \"plain\" }}\n[server]\nanything = 1"
    );
    let config = read(&text).unwrap();
    let mut expected = Config::default();
    expected.preview.enabled = false;
    expected.preview.limits.deadline = Duration::from_millis(9);
    expected.resources.links = Links::Never;
    expected.resources.tier.component = Origin::File("mine.wasm".into());
    expected.resources.tier.sha256 = Some("ab".repeat(32));
    expected.resources.tier.on_fault = OnFault::Refuse.into();
    expected.resources.tier.options.insert("style".into(), "plain".into());
    assert_eq!(config, expected);
}

#[test]
fn an_unknown_key_is_named_with_the_one_that_was_meant() {
    assert_eq!(
        error("[tiers.preview]\nenabeld = true"),
        "plugins.toml:2: unknown key `enabeld` in [tiers.preview]; did you mean `enabled`?"
    );
    assert_eq!(
        error("[tiers.field_window]"),
        "plugins.toml:1: unknown key `field_window` in [tiers]; did you mean `field-window`?"
    );
    assert_eq!(
        error("\n[tier.preview]"),
        "plugins.toml:2: unknown key `tier` at the top level; did you mean `tiers`?"
    );
    assert_eq!(
        error("[[preview]]\n[[preview]]\nname = \"x\"\nmach = {}"),
        "plugins.toml:4: unknown key `mach` in [[preview]]; did you mean `match`?"
    );
    assert_eq!(
        error("[[preview]]\nmatch = { stream = [\"mail\"] }"),
        "plugins.toml:2: unknown key `stream` in [preview.match]; did you mean `streams`?"
    );
    // The first of several, as they stand in the file.
    assert!(error("[tiers.preview]\nzebra = 1\nape = 2").contains(":2: unknown key `zebra`"));
    assert!(error("[tiers.preview]\nlimits = { deadline = 3 }").contains("deadline_ms"));
    assert!(error("[tiers.preview]\nlinks = \"never\"").contains("`links` in [tiers.preview]"));
    assert!(error("[tiers.preview]\nzzzzzzzz = 1").contains("known here: enabled, kind, component"));
}

#[test]
fn a_value_out_of_range_says_the_range() {
    assert_eq!(
        error("[tiers.preview.limits]\nmemory_mb = 0"),
        "plugins.toml:2: tiers.preview.limits.memory_mb is 0, but must be from 1 to 1024"
    );
    assert!(error("[tiers.preview.limits]\ndeadline_ms = 600000").contains("from 1 to 60000"));
    assert!(error("[tiers.preview]\nsha256 = \"abc\"").contains("64 hexadecimal"));
    assert!(error("[tiers.preview]\ncomponent = \"\"").contains("builtin"));
    assert!(error("[tiers.preview]\non_fault = \"ignore\"").contains("fallback"));
    assert!(error("[tiers]\npreview = 1").contains("must be a table"));
    assert!(error("\n[tiers.preview\n").starts_with("plugins.toml:2: "));
    assert_eq!(
        error("[tiers.preview]\nsha256 = 1").split(": invalid").next(),
        Some("plugins.toml:2: tiers.preview")
    );
}

#[test]
fn custom_previews_keep_their_order_and_default_to_the_default_preview() {
    let text = "[[preview]]\nname = \"html\"\ncomponent = \"html.wasm\"\non_fault = \"refuse\"\n\
                match = { streams = [\"mail*\"], mime = [\"text/html\"] }\n\
                [[preview]]\nenabled = false\nlimits = { reads = 1 }\n";
    let previews = read(text).unwrap().previews;
    assert_eq!(previews.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["html", "preview-2"]);
    assert_eq!(previews[0].rule.to_string(), "streams mail*, mime text/html");
    assert_eq!(previews[0].tier.component, Origin::File("html.wasm".into()));
    assert_eq!(previews[0].tier.on_fault, OnFault::Refuse.into());
    assert_eq!(previews[0].tier.limits, Config::default().preview.limits);
    assert!(previews[1].rule.is_for_all() && !previews[1].tier.enabled);
    assert_eq!(previews[1].tier.limits.reads, 1);
}

#[test]
fn a_custom_preview_is_told_from_every_other_tier() {
    let twice = "[[preview]]\nname = \"a\"\n[[preview]]\nname = \"a\"";
    assert_eq!(error(twice), "plugins.toml:4: preview.name is \"a\", which another tier has");
    assert!(error("[[preview]]\nname = \"preview\"").contains("another tier"));
    assert!(error("[[preview]]\nname = \"A b\"").contains("a-z"));
    assert!(error("[[preview]]\nmatch = { fields = [] }").contains("preview.match.fields is an empty list"));
    assert!(error("[preview]\nname = \"a\"").contains("[[preview]]"));
    assert!(error("[[preview]]\nmatch = \"mail*\"").contains("must be a table"));
    assert!(error(&"[[preview]]\n".repeat(33)).contains("there may be 32 previews"));
}

#[test]
fn variables_stand_for_values_and_never_show_in_errors() {
    let text = "[tiers.preview]\ncomponent = \"${FOLDER}/${NAME:-mine}.wasm\"\n\
                options = { price = \"$$5\" }\n[[preview]]\nmatch = { streams = [\"${FOLDER}\"] }";
    let config = read(text).unwrap();
    assert_eq!(config.preview.component, Origin::File("/opt/secret/mine.wasm".into()));
    assert_eq!(config.preview.options["price"], "$5");
    assert_eq!(config.previews[0].rule.to_string(), "streams /opt/secret");
    let unset =
        error("[tiers.preview]\ncomponent = \"${FOLDER}\"\noptions = { a = \"${FOLDER}${MISSING}\" }");
    assert_eq!(
        unset,
        "plugins.toml:3: the environment variable MISSING is not set; set it, or write ${MISSING:-default}"
    );
    for wrong in ["on_fault = \"${FOLDER}\"", "enabled = \"${FOLDER}\"", "limits = { reads = \"${FOLDER}\" }"]
    {
        let error = error(&format!("[tiers.preview]\n{wrong}"));
        assert!(error.contains("${FOLDER}") && !error.contains("secret"), "{error}");
    }
    assert!(error("[tiers.preview]\ncomponent = \"$HOME/x\"").contains("plugins.toml:2: a `$`"));
}

#[test]
fn a_native_tier_is_never_one_by_chance() {
    let digest = "ab".repeat(32);
    let good = format!(
        "[[preview]]\nkind = \"native\"\ncomponent = \"ocr.so\"\ntrust = \"native\"\nsha256 = \"{digest}\"\n"
    );
    let tier = read(&good).unwrap().previews.remove(0).tier;
    assert_eq!((tier.kind, tier.component), (Kind::Native, Origin::File("ocr.so".into())));
    assert_eq!(
        error(&good.replace("trust = \"native\"\n", "")),
        "plugins.toml:2: preview.kind is \"native\", code that no sandbox holds; if you trust it, write trust = \"native\" too"
    );
    assert_eq!(
        error(good.split("sha256").next().unwrap()),
        "plugins.toml:1: preview.sha256 is missing; a native tier needs the digest of its file, as sha256sum prints it"
    );
    assert!(error(&good.replace("ocr.so", "builtin")).contains(":3: preview.component must be the path"));
    assert!(
        error(&good.replace("kind = \"native\"\n", "")).contains(":3: preview.trust is for native tiers")
    );
    assert!(error(&format!("{good}wasi = \"inert\"")).contains(":6: preview.wasi is for components"));
    assert!(error(&good.replace("trust = \"native\"", "trust = \"yes\"")).contains("native"));
}

#[test]
fn leftovers_of_wasi_are_admitted_by_name() {
    assert_eq!(read("").unwrap().preview.wasi, Wasi::None);
    assert_eq!(read("[tiers.preview]\nwasi = \"inert\"").unwrap().preview.wasi, Wasi::Inert);
    assert!(error("[tiers.preview]\nwasi = \"all\"").contains("inert"));
}

#[test]
fn every_mistake_is_told_at_once_and_in_order() {
    let text = "[tiers.preview]\nenabeld = true\nsha256 = \"abc\"\nlimits = { memory_mb = 0, reads = \"many\" }\n\
                [tiers.resources]\noptions = { a = \"${MISSING}\", b = \"$HOME\" }\nlinks = \"some\"\n\
                [tiers.prevew]\n[[preview]]\nname = \"A b\"\nmatch = { streams = [1], mach = 1 }\n[[preview]]\non_fault = 1\n";
    let mistakes = File::read_all(text, &|_| None, Config::read).unwrap_err();
    let lines: Vec<_> = mistakes.0.iter().filter_map(|mistake| mistake.line).collect();
    assert_eq!(lines, [2, 3, 4, 4, 6, 6, 7, 8, 10, 11, 11, 13], "{mistakes}");
    assert_eq!(mistakes.to_string().lines().count(), 12);
    let one = File::read_all("[tiers.preview\nx", &|_| None, Config::read).unwrap_err();
    assert_eq!(one.0.len(), 1, "without its TOML right, there is nothing to read on in: {one}");
    assert_eq!(File::read_all("", &|_| None, Config::read), Ok(Config::default()));
}

#[test]
fn a_policy_may_differ_by_phase() {
    use crate::phase::Phase;
    let text = "[tiers.preview]\non_fault = { verify = \"refuse\", call = \"fallback\" }\n\
                [tiers.resources.on_fault]\nresolve = \"refuse\"\n";
    let config = read(text).unwrap();
    let refusing = |policy: FaultPolicy| {
        Phase::ALL.into_iter().filter(|phase| policy.at(*phase) == OnFault::Refuse).collect::<Vec<_>>()
    };
    assert_eq!(refusing(config.preview.on_fault), [Phase::Verify]);
    assert_eq!(refusing(config.resources.tier.on_fault), [Phase::Resolve]);
    assert_eq!(config.preview.on_fault.to_string(), "refuse (verify), else fallback");
    assert_eq!(FaultPolicy::from(OnFault::Refuse).to_string(), "refuse");
    assert_eq!(
        error("[tiers.preview]\non_fault = { valdate = \"refuse\" }"),
        "plugins.toml:2: unknown key `valdate` in [tiers.preview.on_fault]; did you mean `validate`?"
    );
    assert!(error("[tiers.preview]\non_fault = { call = \"ignore\" }").contains("fallback"));
}

#[test]
fn tools_are_off_until_one_is_named_and_then_have_limits_of_their_own() {
    assert_eq!(Config::default().tools, []);
    let text = "[[tool]]\nname = \"find\"\ncomponent = \"find.wasm\"\noptions = { a = \"b\" }\n\
                [[tool]]\ncomponent = \"x.wasm\"\nenabled = false\non_fault = \"refuse\"\nlimits = { reads = 3 }\n";
    let tools = read(text).unwrap().tools;
    assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["find", "tool-2"]);
    assert_eq!(tools[0].tier.component, Origin::File("find.wasm".into()));
    assert_eq!((tools[0].tier.enabled, tools[1].tier.enabled), (true, false));
    assert_eq!(tools[0].tier.on_fault, OnFault::Refuse.into());
    assert_eq!((tools[0].tier.limits.reads, tools[1].tier.limits.reads), (256, 3));
    assert_eq!(tools[0].tier.options["a"], "b");
}

#[test]
fn a_tool_says_where_it_is_and_has_a_name_that_can_stand_before_others() {
    let tool = |lines: &str| error(&format!("[[tool]]\ncomponent = \"x.wasm\"\n{lines}"));
    assert!(
        tool("compnent = \"y\"")
            .contains(":3: unknown key `compnent` in [[tool]]; did you mean `component`?")
    );
    assert!(tool("match = {}").contains("unknown key `match`"));
    assert_eq!(
        error("[[tool]]\nname = \"a\""),
        "plugins.toml:1: tool.component must be the path of a file: no tool is built in"
    );
    assert!(error("[[tool]]\ncomponent = \"builtin\"").contains("no tool is built in"));
    assert!(tool("on_fault = \"fallback\"").contains(":3: tool.on_fault must be \"refuse\""));
    for wrong in ["a__b", "_a", "a_", "A", ""] {
        assert!(tool(&format!("name = {wrong:?}")).contains(":3: tool.name"), "{wrong}");
    }
    assert!(tool("name = \"resources\"").contains("another tier"));
    let both = "[[preview]]\nname = \"a\"\n[[tool]]\nname = \"a\"\ncomponent = \"x\"";
    assert!(error(both).contains(":4: tool.name is \"a\", which another tier has"), "{}", error(both));
    assert!(error(&"[[tool]]\ncomponent = \"x\"\n".repeat(17)).contains("there may be 16 plugins"));
}
