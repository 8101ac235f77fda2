//! Talks to the network.

use std::io::Write;
use std::net::TcpStream;
use stepwell_sdk::preview::{Guest, Sheet};
use stepwell_sdk::{Context, Fault, RecordShape};
use stepwell_wasi_guests::says;

struct OpensSocket;

impl Guest for OpensSocket {
    fn compose(_records: Vec<RecordShape>, _context: Context) -> Result<Vec<Sheet>, Fault> {
        let sent = TcpStream::connect("example.org:80").and_then(|mut to| to.write(b"record text"));
        Ok(says(format!("{sent:?}")))
    }
}

stepwell_sdk::preview::export!(OpensSocket);
