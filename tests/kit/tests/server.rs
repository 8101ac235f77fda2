use crate::{connect, one};
use stepwell_testkit::Postgres;

#[tokio::test]
async fn databases_are_empty_and_apart() {
    let postgres = Postgres::shared();
    let (first, second) = (postgres.fresh_database(), postgres.fresh_database());
    assert_ne!(first, second);
    let (first, second) = (connect(&first).await, connect(&second).await);
    first.batch_execute("CREATE TABLE here (t text); INSERT INTO here VALUES ('a')").await.expect("create");
    let tables = one(&second, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").await;
    assert_eq!(tables.get::<_, i64>(0), 0);
}

#[tokio::test]
async fn the_owner_is_no_superuser() {
    let postgres = Postgres::shared();
    let url = postgres.fresh_database();
    let superuser = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user";
    assert!(!one(&connect(&url).await, superuser).await.get::<_, bool>(0));
    assert!(one(&connect(&postgres.admin_url(&url)).await, superuser).await.get::<_, bool>(0));
}

#[tokio::test]
async fn settings_are_those_of_a_real_server() {
    let client = connect(&Postgres::shared().fresh_database()).await;
    for (setting, value) in [
        ("fsync", "on"),
        ("synchronous_commit", "on"),
        ("full_page_writes", "on"),
        ("server_encoding", "UTF8"),
        ("listen_addresses", "127.0.0.1"),
    ] {
        assert_eq!(one(&client, &format!("SHOW {setting}")).await.get::<_, String>(0), value, "{setting}");
    }
}

#[test]
fn many_threads_get_a_database_each() {
    let urls = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| Postgres::shared().fresh_database())).collect();
        threads.into_iter().map(|thread| thread.join().expect("a database")).collect::<Vec<_>>()
    });
    let distinct: std::collections::BTreeSet<_> = urls.iter().collect();
    assert_eq!(distinct.len(), urls.len());
}
