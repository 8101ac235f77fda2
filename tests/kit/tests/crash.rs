use crate::{connect, one};
use stepwell_testkit::Postgres;

#[tokio::test]
async fn acknowledged_rows_survive_a_crash_and_others_do_not() {
    let mut postgres = Postgres::start();
    let url = postgres.fresh_database();
    let mut client = connect(&url).await;
    client.batch_execute("CREATE TABLE t (n int)").await.expect("create");
    for round in 1..=3_i32 {
        client.execute("INSERT INTO t VALUES ($1)", &[&round]).await.expect("insert");
        let open = client.transaction().await.expect("begin");
        open.execute("INSERT INTO t VALUES (-1)", &[]).await.expect("insert");
        let (pid, port) = (postgres.pid(), postgres.port());

        postgres.kill_immediately();
        assert!(open.commit().await.is_err());
        postgres.restart();

        assert_ne!(postgres.pid(), pid);
        assert_eq!(postgres.port(), port);
        client = connect(&url).await;
        let row = one(&client, "SELECT count(*), coalesce(min(n), 0) FROM t").await;
        assert_eq!((row.get::<_, i64>(0), row.get::<_, i32>(1)), (i64::from(round), 1));
    }
    assert!(postgres.log().contains("not properly shut down"), "a kill is a crash, not a shutdown");
}

#[tokio::test]
async fn a_restart_in_good_order_needs_no_recovery() {
    let mut postgres = Postgres::start();
    let url = postgres.fresh_database();
    postgres.restart();
    one(&connect(&url).await, "SELECT 1").await;
    assert!(!postgres.log().contains("not properly shut down"));
}

#[test]
fn a_killed_server_leaves_no_directory() {
    let mut postgres = Postgres::start();
    let dir = postgres.data_dir();
    postgres.kill_immediately();
    assert!(dir.exists());
    drop(postgres);
    assert!(!dir.parent().expect("a parent").exists());
}
