//! The ladder over a remote resource server: every kind of client climbs it to the last character.

use crate::classes::session::{Session, Transport};
use crate::classes::tasks::{deep_phrase, file_bytes};
use crate::classes::{Class, as_every_class};
use crate::remote::{LONG, Shelved};
use stepwell_sample::known;

as_every_class!(a_phrase_deep_in_a_long_field, all_bytes_of_a_file);

fn a_phrase_deep_in_a_long_field<C: Class>(transport: Transport) {
    let shelved = Shelved::new();
    let mut client: C = Session::open(&shelved.world, &shelved.world.all, transport);
    let _ = shelved.server.asked();
    let (whole, q) = (shelved.text(LONG), known::UNIQUE_QUERY);
    deep_phrase(&mut client, LONG, "body", &whole, q, known::UNIQUE_PHRASE);
    shelved.assert_asked_with_care();
}

fn all_bytes_of_a_file<C: Class>(transport: Transport) {
    let shelved = Shelved::new();
    let mut client: C = Session::open(&shelved.world, &shelved.world.all, transport);
    let place = known::INVOICE_BLOB;
    let blob = &shelved.server.shelf().blobs[&place.id()].1;
    file_bytes(&mut client, known::INVOICE_NUMBER, &place.id(), place.field, blob);
}
