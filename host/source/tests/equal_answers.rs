//! Ten thousand calls by chance: both engines give the same answers, refusals included.

mod questions;

use crate::dice::Dice;
use crate::world::{World, connection, fields, record, request, stream};
use questions::Question;
use serde_json::{Value, json};
use stepwell_contract::selector::Query;
use stepwell_contract::{Chars, FieldPath, RecordId, Span};
use stepwell_source::grant::StreamRequest;
use stepwell_source::{Caller, Field, Source, SourceError, time};

const SEED: u64 = 20_260_101;
const CALLS: usize = 10_000;
/// How many fields are kept from earlier calls, to be read after their record was rewritten.
const KEPT: usize = 40;

const CONNECTIONS: &[&str] = &["home", "work", "chat"];
const STREAMS: &[&str] = &["messages", "notes"];
const KEYS: &[&str] = &["1", "2", "3", "4", "5", "6", "7", "8", "a:b", "猫", "É"];
const MANIFEST: &str = r#"{"consent_time_field":"at","cursor_field":"at"}"#;

/// One engine with its callers and the fields that they found.
struct Side {
    world: World,
    callers: Vec<Caller>,
    kept: Vec<Option<(usize, Field)>>,
}

fn data(dice: &mut Dice) -> Value {
    let mut data = json!({ "subject": dice.text(20), "n": dice.below(1_000) });
    let size = |dice: &mut Dice| *dice.pick(&[&0, &10, &4_000, &4_200, &13_000]) as usize;
    if !dice.one_in(8) {
        data["at"] = json!(format!("2026-{:02}-01", 1 + dice.below(12)));
    }
    if !dice.one_in(5) {
        let size = size(dice);
        data["body"] = json!(dice.text(size));
    }
    if dice.one_in(2) {
        let (one, two) = (size(dice), size(dice));
        data["tree"] = json!({
            "leaf": dice.text(9), "n": 5, "none": null, "a/b~": ["x", { "y": dice.text(one) }], "long": dice.text(two),
        });
    }
    if dice.one_in(6) {
        data["file"] = json!({ "$blob": { "mime_type": "a/b", "base64": "AAEC" } });
    }
    if dice.one_in(6) {
        data["body"] = json!(format!("nul\0{}", dice.text(50)));
    }
    data
}

async fn fill(sides: &[Side], dice: &mut Dice, one_in: u64) {
    for connection in CONNECTIONS {
        for stream in STREAMS {
            let mut lines = Vec::new();
            for key in KEYS {
                if dice.one_in(one_in) {
                    // Without a moment of its own a record has this one, and not that of its arrival.
                    lines.push(
                        json!({ "key": key, "data": data(dice), "emitted_at": "2026-06-15" }).to_string(),
                    );
                }
            }
            let place = format!("{connection}/{stream}");
            let one = sides[0].world.fill(&place, Some(MANIFEST), &lines).await;
            let two = sides[1].world.fill(&place, Some(MANIFEST), &lines).await;
            assert_eq!(one, two, "{place}");
        }
    }
}

fn grants() -> Vec<Vec<StreamRequest>> {
    let (spring, autumn) = (time::parse("2026-04-01"), time::parse("2026-09-01"));
    let listed = Some(["1", "3", "猫", "none"].map(|key| RecordId::new(key).unwrap()).to_vec());
    vec![
        STREAMS.iter().map(|name| stream(name)).collect(),
        vec![StreamRequest {
            connections: vec![connection("home")],
            ..fields("messages", &["subject", "tree"])
        }],
        vec![
            StreamRequest { since: spring, until: autumn, ..stream("messages") },
            fields("notes", &["body"]),
        ],
        vec![StreamRequest { resources: listed, ..stream("messages") }],
        vec![StreamRequest {
            since: autumn,
            connections: vec![connection("work"), connection("chat")],
            ..stream("notes")
        }],
    ]
}

/// One call, chosen beforehand so that both engines get the same.
#[derive(Debug)]
enum Call {
    Record { id: String, only: Option<Vec<String>> },
    Field { id: String, path: String },
    Text { id: String, path: String, span: Span },
    Find { id: String, path: String, q: String, from: u64 },
    Again { kept: usize, span: Span },
    Ask(Question),
}

fn call(dice: &mut Dice) -> Call {
    let connection =
        if dice.one_in(8) { dice.pick(&["none/", ""]) } else { dice.pick(&["home/", "work/", "chat/"]) };
    let stream = if dice.one_in(12) { dice.pick(&["none", "NOTES"]) } else { dice.pick(STREAMS) };
    let key = if dice.one_in(12) { "none" } else { dice.pick(KEYS) };
    let id = format!("{connection}{stream}:{key}");
    let path = dice.pick(&[
        "subject",
        "body",
        "body",
        "tree",
        "file",
        "n",
        "at",
        "none",
        "/tree/leaf",
        "/tree/n",
        "/tree/none",
        "/tree/long",
        "/tree/a~1b~0/0",
        "/tree/a~1b~0/1",
        "/tree/a~1b~0/1/y",
        "/tree/a~1b~0/2",
        "/tree/long/x",
        "/body/x",
        "/none/x",
    ]);
    let path = path.to_owned();
    let at = *dice.pick(&[&0, &0, &1, &4_000, &4_096, &9_000, &13_000, &u64::MAX]);
    let span = Span::at(Chars(at), Chars(*dice.pick(&[&0, &1, &10, &4_096, &16_384])));
    match dice.below(16) {
        10.. => Call::Ask(questions::chance(dice)),
        0 | 1 => {
            let only =
                dice.one_in(3).then(|| vec![dice.pick(&["subject", "body", "none", "tree"]).to_owned()]);
            Call::Record { id, only }
        }
        2 => Call::Field { id, path },
        3..6 => Call::Text { id, path, span },
        6..8 => {
            let q = dice
                .pick(&["a", "Ä", "σ ", "日", "\0", "ß", "leaf", "no such phrase", "e\u{301}"])
                .to_owned();
            Call::Find { id, path, q, from: at }
        }
        _ => Call::Again { kept: dice.below(KEPT as u64) as usize, span },
    }
}

impl Side {
    async fn new(world: World) -> Self {
        Self { world, callers: Vec::new(), kept: (0..KEPT).map(|_| None).collect() }
    }

    async fn find_field(
        &mut self,
        who: usize,
        id: &str,
        path: &str,
        keep: usize,
    ) -> Result<Field, SourceError> {
        let path = FieldPath::parse(path).unwrap();
        let field = self.world.store.field(&self.callers[who], &record(id), &path).await?;
        self.kept[keep] = Some((who, field.clone()));
        Ok(field)
    }

    /// Makes a call and prints all that its caller learns.
    async fn answer(&mut self, who: usize, call: &Call, keep: usize) -> String {
        let outcome = self.outcome(who, call, keep).await;
        if let Err(SourceError::Failed(failure)) = &outcome {
            panic!("{call:?} failed: {failure}");
        }
        format!("{outcome:?}")
    }

    async fn outcome(&mut self, who: usize, call: &Call, keep: usize) -> Result<String, SourceError> {
        match call {
            Call::Record { id, only } => {
                let view = self.world.record(&self.callers[who], id, only.as_deref()).await?;
                // A record without a time has the one of its arrival.
                let time = view.fields.iter().any(|field| field.name == "at").then_some(view.time);
                Ok(format!("{:?} {time:?} {:?}", view.identity, view.fields))
            }
            Call::Field { id, path } => {
                let field = self.find_field(who, id, path, keep).await?;
                Ok(format!("{:?} {:?} {:?}", field.record, field.path, field.shape))
            }
            Call::Text { id, path, span } => {
                let field = self.find_field(who, id, path, keep).await?;
                self.world.store.text(&self.callers[who], &field, *span).await
            }
            Call::Find { id, path, q, from } => {
                let field = self.find_field(who, id, path, keep).await?;
                let q = Query::new(q).unwrap();
                let hit = self.world.store.find(&self.callers[who], &field, &q, Chars(*from)).await?;
                Ok(format!("{hit:?}"))
            }
            Call::Ask(question) => question.ask(&self.world.store, &self.callers[who]).await,
            Call::Again { kept, span } => match &self.kept[*kept] {
                Some((who, field)) => self.world.store.text(&self.callers[*who], field, *span).await,
                None => Ok("nothing kept".to_owned()),
            },
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_engines_give_equal_answers_to_seeded_calls() {
    let mut dice = Dice(SEED);
    let mut sides = [Side::new(World::sqlite().await).await, Side::new(World::postgres().await).await];
    fill(&sides, &mut dice, 1).await;
    let mut ids = [Vec::new(), Vec::new()];
    for streams in grants() {
        for (side, ids) in sides.iter_mut().zip(&mut ids) {
            let (grant, token) = side.world.store.create_grant(&request(streams.clone())).await.unwrap();
            side.callers.push(side.world.store.authenticate(&token).await.unwrap());
            ids.push(grant.grant_id);
        }
    }
    let (mut answered, mut refused, mut changed) = (0, 0, 0);
    for number in 0..CALLS {
        if number % 500 == 499 {
            fill(&sides, &mut dice, 3).await;
        }
        if number == CALLS * 9 / 10 {
            for (side, ids) in sides.iter().zip(&ids) {
                assert!(side.world.store.revoke_grant(&ids[1]).await.unwrap());
            }
        }
        let (who, keep) = (*dice.pick(&[&0, &0, &0, &1, &2, &3, &4]), dice.below(KEPT as u64) as usize);
        let call = call(&mut dice);
        let [one, two] = &mut sides;
        let (one, two) = tokio::join!(one.answer(who, &call, keep), two.answer(who, &call, keep));
        assert_eq!(one, two, "call {number} by caller {who}: {call:?}");
        match one.as_str() {
            "Err(Changed)" => changed += 1,
            refusal if refusal.starts_with("Err(") => refused += 1,
            _ => answered += 1,
        }
    }
    assert!(answered > CALLS / 4 && refused > CALLS / 4 && changed > 20, "{answered} {refused} {changed}");
}
