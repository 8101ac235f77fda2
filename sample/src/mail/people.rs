//! Everyone who writes. None of them exist, and their addresses cannot.

use serde_json::{Value, json};

/// Someone with a mail program.
#[derive(Debug)]
pub(crate) struct Person {
    pub(crate) name: &'static str,
    pub(crate) address: &'static str,
    /// Whether that program sends HTML beside the plain text.
    pub(crate) writes_html: bool,
}

impl Person {
    const fn plain(name: &'static str, address: &'static str) -> Self {
        Self { name, address, writes_html: false }
    }

    pub(crate) const fn fancy(name: &'static str, address: &'static str) -> Self {
        Self { name, address, writes_html: true }
    }

    pub(crate) fn value(&self) -> Value {
        json!({ "name": self.name, "address": self.address })
    }
}

pub(crate) static ILSE: Person = Person::plain("Ilse Varnholt", "ilse@netloft.example.org");
pub(crate) static ILSE_AT_WORK: Person =
    Person::plain("Ilse Varnholt", "ilse.varnholt@marrowlane.example.com");
pub(crate) static TOMAS: Person = Person::plain("Tomas Quill", "tomas@netloft.example.org");

pub(crate) static BRAM: Person = Person::plain("Bram Pell", "bram@pellroofing.example.com");
pub(crate) static NETTIE: Person = Person::fancy("Nettie Pell", "nettie@pellroofing.example.com");
pub(crate) static ORLA: Person = Person::fancy("Orla Finnick", "quotes@highgable.example.com");
pub(crate) static AGATHE: Person =
    Person::plain("Agathe Moorcroft-Lind", "agathe@moorcroft-survey.example.com");
pub(crate) static BANK: Person = Person::fancy("Saltmere Savings", "noreply@saltmeresavings.example.com");

pub(crate) static ODDNY: Person = Person::plain("Oddny Farrow", "oddny@saltmarsh-singers.example.org");
pub(crate) static COSMO: Person = Person::fancy("Cosmo Ibarra-Lund", "cosmo@bassline.example.org");
pub(crate) static RAIL: Person = Person::fancy("Longshore Rail", "tickets@longshore-rail.example.com");
pub(crate) static PENSION: Person = Person::fancy("Pension Apfelkern", "empfang@apfelkern.example.com");

pub(crate) static WANJIRU: Person = Person::plain("Wanjiru Eskildsen", "wanjiru@ferrycircle.example.org");
pub(crate) static DOV: Person = Person::plain("Dov Castellane", "dov@ferrycircle.example.org");

pub(crate) static SCHOOL: Person = Person::fancy("Saltmere Primary", "office@saltmere-primary.example.org");
pub(crate) static POWER: Person = Person::fancy("Estuary Power", "billing@estuarypower.example.com");
pub(crate) static LIBRARY: Person = Person::plain("Saltmere Library", "desk@library.example.org");
pub(crate) static MARGIT: Person = Person::plain("Margit Varnholt", "margit@varnholt.example.org");

pub(crate) static HEDDA: Person = Person::fancy("Hedda Marchetti-Roe", "hedda@marrowlane.example.com");
pub(crate) static RAVI: Person = Person::plain("Ravi Anselm", "ravi@marrowlane.example.com");
pub(crate) static SUNNIVA: Person = Person::fancy("Sunniva Okafor-Bell", "sunniva@eastmereport.example.com");
pub(crate) static GATEWAY: Person = Person::plain("Mail Gateway", "gateway@marrowlane.example.com");
pub(crate) static HELPDESK: Person = Person::plain("Helpdesk", "help@marrowlane.example.com");
pub(crate) static CANTEEN: Person = Person::fancy("The Canteen", "canteen@marrowlane.example.com");
pub(crate) static GAUGES: Person = Person::plain("Gauge Reports", "gauges@marrowlane.example.com");
