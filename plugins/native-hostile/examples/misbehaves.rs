//! Does what its option `do` says: one library for all that can go wrong in a call.

use std::fs::File;
use std::io::Write as _;
use std::os::fd::FromRawFd as _;
use std::sync::atomic::{AtomicU32, Ordering};
use stepwell_native_sdk::{Host, abi, log};
use stepwell_sdk::preview::{Derived, Guest, Passage, Sheet, Shown};
use stepwell_sdk::{Context, Fault, Level, Reader, RecordShape, Refusal, Span};

static SEEN: AtomicU32 = AtomicU32::new(0);

unsafe extern "C" {
    safe fn fork() -> i32;
}

struct Misbehaves;

impl Guest for Misbehaves {
    fn compose(_records: Vec<RecordShape>, context: Context) -> Result<Vec<Sheet>, Fault> {
        let what = context.options.iter().find(|(name, _)| name == "do").map(|(_, value)| value.as_str());
        let line = match what.unwrap_or_default() {
            // SAFETY: there is none, which is the point.
            "segfault" => unsafe { says(std::ptr::read_volatile(std::ptr::dangling::<u64>()).to_string()) },
            "abort" => std::process::abort(),
            "exit" => std::process::exit(0),
            "panic" => panic!("record text that must not get out"),
            "loop" => loop {
                std::hint::spin_loop();
            },
            "sleep" => loop {
                std::thread::park();
            },
            "log for ever" => loop {
                log(Level::Info, "record text that must not get out");
            },
            "hoard" => {
                let mut hoard = Vec::new();
                loop {
                    hoard.push(std::hint::black_box(vec![1_u8; 1 << 20]));
                }
            }
            "flood" => says("x".repeat(1 << 20)),
            "nonsense" => says(format!("{:?}", abi::tell(b"{\"open\":\"/etc/passwd\"}"))),
            "garbage" => {
                // Standard output first, then whatever else is open.
                for number in 1..64 {
                    // SAFETY: descriptors that are not ours are written to on purpose, and none is closed.
                    let file = std::mem::ManuallyDrop::new(unsafe { File::from_raw_fd(number) });
                    let _ = (&*file).write_all(b"\xffrecord text that must not get out");
                }
                says("wrote")
            }
            "print" => {
                println!("{}", "record text that must not get out ".repeat(10_000));
                says("printed")
            }
            "fork" => {
                if fork() == 0 {
                    std::thread::sleep(std::time::Duration::from_secs(600));
                    std::process::abort();
                }
                says("forked")
            }
            "past the end" => {
                Shown::Verbatim(Passage { path: "body".into(), at: Span { start: 0, end: u32::MAX } })
            }
            "outside" => {
                let ask = |slot, path: &str| outcome(&Host.read_one(slot, path, Span { start: 0, end: 9 }));
                let told = [ask(99, "body"), ask(0, "secret"), ask(0, "photo"), ask(0, "body")];
                says(format!("{} {}", told.join(" "), outcome(&Host.children(0, "/secret"))))
            }
            "read for ever" => {
                let reads = std::iter::repeat_with(|| Host.read_one(0, "body", Span { start: 0, end: 10 }));
                says(format!("{} reads", reads.take_while(Result::is_ok).count()))
            }
            "decline" => return Err(Fault::Other("record text that must not get out".to_owned())),
            "remember" => says(format!("call {}", SEEN.fetch_add(1, Ordering::Relaxed) + 1)),
            "look around" => says(format!(
                "{} variables, {} descriptors, in {}",
                std::env::vars_os().count(),
                std::fs::read_dir("/dev/fd").map_or(0, Iterator::count),
                std::env::current_dir().unwrap_or_default().display(),
            )),
            "write a file" => {
                let name = context.options.iter().find(|(name, _)| name == "file");
                let written = name.map(|(_, name)| std::fs::write(name, "record text"));
                says(format!("{written:?}"))
            }
            _ => says("nothing to do"),
        };
        Ok(vec![Sheet { slot: 0, title: None, lines: vec![line], anchors: Vec::new(), options: Vec::new() }])
    }
}

stepwell_native_sdk::export_preview!(Misbehaves);

fn says(text: impl Into<String>) -> Shown {
    Shown::Derived(Derived { text: text.into(), covers: None })
}

fn outcome<T>(answer: &Result<T, Refusal>) -> &'static str {
    match answer {
        Ok(_) => "given",
        Err(Refusal::NotInHand) => "not-in-hand",
        Err(Refusal::NotText) => "not-text",
        Err(Refusal::OverAllowance) => "over-allowance",
        Err(Refusal::Other(_)) => "other",
    }
}
