use super::*;

fn plugin() -> Locked {
    Locked {
        tier: "preview".into(),
        kind: "component".into(),
        sha256: "a1".repeat(32),
        wit: Some("0.1.0".into()),
        imports: vec!["stepwell:ladder/fields@0.1.0".into(), "stepwell:ladder/log@0.1.0".into()],
        limits: Limits::default().into(),
        tools: BTreeMap::new(),
    }
}

fn lock() -> Lock {
    let mut lock = Lock::default();
    lock.accept("mail", plugin());
    lock
}

fn told(name: &str, now: &Locked) -> Vec<String> {
    lock().compare(name, now).1.iter().map(ToString::to_string).collect()
}

#[test]
fn what_was_written_is_read_again() {
    let mut lock = lock();
    let tools = [("find".to_owned(), "b2".repeat(32))].into();
    lock.accept("tools", Locked { tier: "tool".into(), wit: None, tools, ..plugin() });
    let text = lock.print().unwrap();
    assert!(text.starts_with("# What each plugin was") && text.contains("[plugins.mail]"), "{text}");
    assert_eq!(Lock::parse(&text).unwrap(), lock);
    lock.retain(|name| name == "mail");
    assert_eq!(lock.plugins().keys().collect::<Vec<_>>(), ["mail"]);
}

#[test]
fn a_plugin_is_as_accepted_or_differs_or_is_new() {
    assert_eq!(lock().compare("mail", &plugin()), (LockState::Locked, Vec::new()));
    assert_eq!(lock().compare("chat", &plugin()), (LockState::Unlocked, Vec::new()));
    // The order of imports says nothing.
    let turned = Locked { imports: plugin().imports.into_iter().rev().collect(), ..plugin() };
    assert_eq!(lock().compare("mail", &turned).0, LockState::Locked);
}

#[test]
fn a_difference_can_be_read() {
    let mut now = Locked { sha256: "c3".repeat(32), wit: Some("0.1.1".into()), ..plugin() };
    now.imports[1] = "stepwell:ladder/records@0.1.0".into();
    now.limits.memory_mb = 256;
    now.tools = [("find".to_owned(), "b2".repeat(32))].into();
    assert_eq!(
        told("mail", &now),
        [
            format!("sha256 was {}, is {}", "a1".repeat(32), "c3".repeat(32)),
            "wit was 0.1.0, is 0.1.1".into(),
            "the import stepwell:ladder/log@0.1.0 is gone".into(),
            "the import stepwell:ladder/records@0.1.0 is new".into(),
            "limits.memory_mb was 64, is 256".into(),
            "the tool find is new".into(),
        ]
    );
}

#[test]
fn a_changed_definition_of_a_tool_is_named() {
    let with = |digest: &str| Locked { tools: [("find".to_owned(), digest.to_owned())].into(), ..plugin() };
    let mut lock = Lock::default();
    lock.accept("tools", with("1"));
    let (state, differences) = lock.compare("tools", &with("2"));
    assert_eq!(state, LockState::Changed);
    assert_eq!(differences[0].to_string(), "the definition of find was 1, is 2");
}

#[test]
fn a_lock_that_cannot_be_read_refuses_every_plugin() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(Lock::read(folder.path()), Lock::default());
    for wrong in ["version = 2", "plugins = 1", "version = 1\n[plugins.a]\ntier = 'preview'", "[["] {
        std::fs::write(folder.path().join(FILE), wrong).unwrap();
        let lock = Lock::read(folder.path());
        let fault = lock.check("mail", &plugin()).unwrap_err();
        assert_eq!(fault.code(), "lock_unreadable", "{wrong}");
        assert_eq!(lock.opened().check("mail", &plugin()), Ok(LockState::Unlocked));
    }
}

#[test]
fn what_differs_is_refused_until_the_lock_is_opened() {
    let now = Locked { sha256: "c3".repeat(32), ..plugin() };
    let fault = lock().check("mail", &now).unwrap_err();
    assert_eq!(fault.code(), "not_as_locked");
    let text = fault.to_string();
    assert!(text.contains("sha256 was") && text.ends_with("run: stepwell plugin accept mail"), "{text}");
    assert_eq!(lock().opened().check("mail", &now), Ok(LockState::Changed));
}
