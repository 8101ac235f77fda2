use stepwell_testkit::{peak_rss_kb, rss_kb};

#[test]
#[cfg(target_os = "linux")]
fn memory_of_a_process_is_known() {
    const HELD: usize = 64 << 20;
    let me = std::process::id();
    let before = rss_kb(me).expect("this process has memory");
    let block = std::hint::black_box(vec![1_u8; HELD]);
    let during = rss_kb(me).expect("this process has memory");
    drop(block);
    // Other tests of this process come and go meanwhile, so only the order of magnitude counts.
    assert!(during > before + 32 * 1024, "{before} KiB, then {during} KiB");
    // The kernel counts per CPU and adds up now and then: the peak may lag behind by a little.
    assert!(peak_rss_kb(me).expect("this process has memory") > before + 32 * 1024);
}

#[test]
fn memory_of_nobody_is_unknown() {
    assert_eq!(rss_kb(u32::MAX), None);
    assert_eq!(peak_rss_kb(u32::MAX), None);
}
