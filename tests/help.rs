//! The words of the program. A change here is seen by everyone who uses it, so it is a change to review.

use crate::program::{Ran, stepwell};

/// Checks one page of help against its golden file.
fn golden(verb: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let ran = Ran::of(&mut stepwell(folder.path(), &[verb, &["--help"]].concat()));
    ran.assert_code(0);
    assert_eq!(ran.err, "");
    insta::assert_snapshot!(["help", &verb.join("-")].join("-").trim_end_matches('-'), ran.text());
}

macro_rules! pages {
    ($($name:ident: $verb:expr;)*) => {
        $(#[test]
        fn $name() {
            golden($verb);
        })*
    };
}

pages! {
    the_program_explains_itself: &[];
    demo_explains_itself: &["demo"];
    sample_explains_itself: &["sample"];
    import_explains_itself: &["import"];
    ingest_explains_itself: &["ingest"];
    export_explains_itself: &["export"];
    search_explains_itself: &["search"];
    show_explains_itself: &["show"];
    stats_explains_itself: &["stats"];
    read_explains_itself: &["read"];
    serve_explains_itself: &["serve"];
    connections_explains_itself: &["connections"];
    connections_list_explains_itself: &["connections", "list"];
    connections_rename_explains_itself: &["connections", "rename"];
    connections_remove_explains_itself: &["connections", "remove"];
    connect_explains_itself: &["connect"];
    doctor_explains_itself: &["doctor"];
    completions_explains_itself: &["completions"];
    grant_package_explains_itself: &["grant", "package"];
    grant_token_explains_itself: &["grant", "token"];
    grant_token_create_explains_itself: &["grant", "token", "create"];
    grant_token_list_explains_itself: &["grant", "token", "list"];
    grant_token_revoke_explains_itself: &["grant", "token", "revoke"];
    owner_explains_itself: &["owner"];
    owner_token_explains_itself: &["owner", "token"];
    owner_token_create_explains_itself: &["owner", "token", "create"];
    owner_token_list_explains_itself: &["owner", "token", "list"];
    owner_token_revoke_explains_itself: &["owner", "token", "revoke"];
    config_explains_itself: &["config"];
    config_init_explains_itself: &["config", "init"];
    config_check_explains_itself: &["config", "check"];
    config_path_explains_itself: &["config", "path"];
    plugin_explains_itself: &["plugin"];
    plugin_list_explains_itself: &["plugin", "list"];
    plugin_new_explains_itself: &["plugin", "new"];
    plugin_build_explains_itself: &["plugin", "build"];
    plugin_check_explains_itself: &["plugin", "check"];
    plugin_preview_explains_itself: &["plugin", "preview"];
    plugin_bench_explains_itself: &["plugin", "bench"];
    plugin_add_explains_itself: &["plugin", "add"];
    plugin_remove_explains_itself: &["plugin", "remove"];
    plugin_accept_explains_itself: &["plugin", "accept"];
    store_explains_itself: &["store"];
    store_check_explains_itself: &["store", "check"];
    store_stats_explains_itself: &["store", "stats"];
    store_vacuum_explains_itself: &["store", "vacuum"];
    store_backup_explains_itself: &["store", "backup"];
    store_restore_explains_itself: &["store", "restore"];
    store_copy_explains_itself: &["store", "copy"];
    store_rotate_key_explains_itself: &["store", "rotate-key"];
    disclosures_explains_itself: &["disclosures"];
    disclosures_erase_explains_itself: &["disclosures", "erase"];
    grant_explains_itself: &["grant"];
    grant_create_explains_itself: &["grant", "create"];
    grant_list_explains_itself: &["grant", "list"];
    grant_show_explains_itself: &["grant", "show"];
    grant_revoke_explains_itself: &["grant", "revoke"];
}
