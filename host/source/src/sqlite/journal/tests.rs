use super::trial::Act;
use super::*;
use std::path::PathBuf;

const PATIENCE: Duration = Duration::from_secs(60);

/// A block as disks and file systems write it.
const BLOCK: usize = 4_096;

/// Chance that is the same on every run (splitmix64).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// A number and what it says.
type Said = (i64, Vec<u8>);

fn place(dir: &tempfile::TempDir) -> PathBuf {
    dir.path().join("store.db-pending")
}

fn made(path: &Path, base: i64) -> Journal {
    File::create(path).unwrap();
    let journal = Journal::open(path).unwrap();
    journal.lock(PATIENCE).unwrap().make(base).unwrap();
    journal
}

/// Puts another file in a place. Where one is only emptied and written anew, file systems wait for the disk.
fn put(path: &Path, bytes: &[u8]) {
    std::fs::remove_file(path).unwrap();
    std::fs::write(path, bytes).unwrap();
}

fn read(journal: &Journal) -> Vec<Said> {
    let (locked, mut all) = (journal.lock(PATIENCE).unwrap(), Vec::new());
    let from = locked.from(None).unwrap();
    let note = |id, said: &[u8]| {
        all.push((id, said.to_owned()));
        true
    };
    locked.read(from, note).unwrap();
    all
}

fn append(journal: &Journal, group: &[Vec<u8>]) -> Result<(), Failure> {
    let (locked, mut records) = (journal.lock(PATIENCE).unwrap(), Records::default());
    let end = locked.end(None)?;
    records.begin(&end, 0);
    for said in group {
        records.push(|to| to.extend_from_slice(said))?;
    }
    locked.append(end, &records, Durable::AtOnce).map(|_| ())
}

fn start_over(journal: &Journal, strip: bool) -> Result<(), Failure> {
    let locked = journal.lock(PATIENCE).unwrap();
    let end = locked.end(None)?;
    if strip { locked.strip(&end) } else { locked.start_over(&end) }
}

fn apply(image: &mut Vec<u8>, act: &Act) {
    match act {
        Act::Write(at, bytes) => {
            let at = *at as usize;
            image.resize(image.len().max(at + bytes.len()), 0);
            image[at..at + bytes.len()].copy_from_slice(bytes);
        }
        Act::Sync => {}
        Act::Cut(len) => image.resize(*len as usize, 0),
    }
}

/// What a loss of power may leave of a file: all that was made durable, and of each block any of the states since then.
fn after_loss_of_power(base: &[u8], acts: &[Act], dice: &mut Dice) -> Vec<u8> {
    let durable = acts.iter().rposition(|act| *act == Act::Sync).map_or(0, |sync| sync + 1);
    let mut states = vec![base.to_vec()];
    for (index, act) in acts.iter().enumerate() {
        let mut next = states.last().unwrap().clone();
        apply(&mut next, act);
        if index < durable {
            states.clear();
        }
        states.push(next);
    }
    let mut left = vec![0; states[dice.below(states.len())].len()];
    for (index, block) in left.chunks_mut(BLOCK).enumerate() {
        let state = &states[dice.below(states.len())];
        let from = state.get(index * BLOCK..).unwrap_or_default();
        let len = from.len().min(block.len());
        block[..len].copy_from_slice(&from[..len]);
    }
    left
}

/// What a program does to a journal.
enum Deed {
    Tidy,
    Append(Vec<Vec<u8>>),
    /// With the room that it has or without.
    StartOver(bool),
}

/// A program that goes on with a journal after each loss of power, and what has to be in it.
struct Story {
    dice: Dice,
    dir: tempfile::TempDir,
    /// What is in the journal.
    there: Vec<Said>,
    /// What was in it and went elsewhere, durably, before it started over.
    gone: Vec<Said>,
    texts: usize,
}

impl Story {
    fn text(&mut self) -> Vec<u8> {
        self.texts += 1;
        let mut text = format!("text {} ", self.texts).into_bytes();
        let len = match self.dice.below(12) {
            0 => 9_000,
            1 => 4_096 - HEAD,
            2 => 0,
            _ => self.dice.below(900),
        };
        let fill = self.dice.below(256) as u8;
        text.resize(text.len() + len, fill);
        // Some look like records themselves, of an epoch that somebody guessed.
        if self.dice.below(4) == 0 {
            let mut records =
                Records { bytes: Vec::new(), epoch: 7, last: self.last() + self.dice.below(3) as i64 };
            records.push(|to| to.extend_from_slice(b"forged")).unwrap();
            text.extend_from_slice(&records.bytes);
        }
        text
    }

    fn last(&self) -> i64 {
        self.there.iter().chain(&self.gone).map(|(id, _)| *id).max().unwrap_or_default()
    }

    fn deed(&mut self) -> Deed {
        match self.dice.below(4) {
            0 => Deed::StartOver(self.dice.below(3) == 0),
            _ => Deed::Append((0..=self.dice.below(6)).map(|_| self.text()).collect()),
        }
    }

    /// Looks at what a loss of power left after some of what a deed had to do. It is what was there before, with as much of the
    /// beginning of what was being added as nobody was told of; and all of it, if the deed was done.
    fn check(&mut self, left: Vec<Said>, deed: &Deed, is_done: bool) {
        let mut whole = self.there.clone();
        match deed {
            Deed::Tidy => {}
            Deed::Append(group) => {
                let last = self.last();
                whole.extend((last + 1..).zip(group.iter().cloned()));
            }
            // The last of what it had to make durable before anything is taken out was its header.
            Deed::StartOver(_) if is_done || left.is_empty() => {
                self.gone.append(&mut self.there);
                whole.clear();
            }
            Deed::StartOver(_) => assert_eq!(left, self.there, "it starts over with all or with nothing"),
        }
        assert!(whole.starts_with(&left), "something is there that was not said, or not in its turn");
        assert!(left.starts_with(&self.there) && (!is_done || left == whole), "something is lost");
        self.there = left;
    }

    fn go_on(&mut self, losses: usize) {
        let mut journal = made(&place(&self.dir), 0);
        let mut base = std::fs::read(place(&self.dir)).unwrap();
        for _ in 0..losses {
            journal.trial().state().acts = Some(Vec::new());
            let mut deed = Deed::Tidy;
            let mut begun = 0;
            {
                let locked = journal.lock(PATIENCE).unwrap();
                locked.tidy(&locked.end(None).unwrap()).unwrap();
            }
            for _ in 0..self.dice.below(8) {
                let done = read(&journal);
                self.check(done, &deed, true);
                begun = journal.trial().state().acts.as_ref().unwrap().len();
                deed = self.deed();
                match &deed {
                    Deed::Tidy => {}
                    Deed::Append(group) => append(&journal, group).unwrap(),
                    Deed::StartOver(strip) => start_over(&journal, *strip).unwrap(),
                }
            }
            let acts = journal.trial().state().acts.take().unwrap();
            let end = begun + self.dice.below(acts.len() - begun + 1);
            let is_done = end == acts.len();
            let left = after_loss_of_power(&base, &acts[..end], &mut self.dice);
            put(&place(&self.dir), &left);
            base = left;
            journal = Journal::open(&place(&self.dir)).unwrap();
            let left = read(&journal);
            self.check(left, &deed, is_done);
        }
    }
}

#[test]
fn whatever_a_loss_of_power_leaves_nothing_is_lost_or_wrong_or_there_twice() {
    for seed in 0..60 {
        let dir = tempfile::tempdir().unwrap();
        let mut story = Story { dice: Dice(seed), dir, there: Vec::new(), gone: Vec::new(), texts: 0 };
        story.go_on(40);
        let mut all = story.gone;
        all.append(&mut story.there);
        assert!(all.len() > 50 && all.is_sorted_by(|one, next| one.0 < next.0), "numbers grow");
    }
}

/// A disk may have written the end of a group and not its beginning.
#[test]
fn nothing_comes_back_from_behind_a_gap() {
    let dir = tempfile::tempdir().unwrap();
    let journal = made(&place(&dir), 0);
    // Each fills a block.
    let texts = [b'a', b'b', b'c', b'd'].map(|letter| vec![letter; BLOCK - HEAD]);
    let [a, b, c, d] = &texts;
    append(&journal, std::slice::from_ref(a)).unwrap();
    append(&journal, &[b.clone(), c.clone()]).unwrap();
    let mut left = std::fs::read(place(&dir)).unwrap();
    left[2 * BLOCK..3 * BLOCK].fill(0);
    put(&place(&dir), &left);
    let journal = Journal::open(&place(&dir)).unwrap();
    {
        let locked = journal.lock(PATIENCE).unwrap();
        locked.tidy(&locked.end(None).unwrap()).unwrap();
    }
    append(&journal, std::slice::from_ref(d)).unwrap();
    assert_eq!(read(&journal), [(1, a.clone()), (2, d.clone())]);
}

#[test]
fn of_a_journal_that_was_cut_or_garbled_what_is_read_is_its_beginning() {
    let (dir, mut dice) = (tempfile::tempdir().unwrap(), Dice(1));
    let journal = made(&place(&dir), 10);
    for number in 0..40_usize {
        append(&journal, &[number.to_string().repeat(number * 13 + 1).into_bytes()]).unwrap();
    }
    let (whole, all) = (std::fs::read(place(&dir)).unwrap(), read(&journal));
    assert_eq!(all.len(), 40);
    let (mut lengths, used) = (std::collections::BTreeSet::new(), 40 * 13 * 40);
    for round in 0..2_000 {
        let mut bytes = whole.clone();
        let at = FIRST as usize + dice.below(used);
        match round % 4 {
            0 => bytes.truncate(at),
            1 => bytes[at] ^= 1 << dice.below(8),
            2 => bytes[at / BLOCK * BLOCK..][..BLOCK].fill(dice.below(256) as u8),
            // A length that is absurd, or the middle of something else.
            _ => {
                let from = FIRST as usize + dice.below(used);
                bytes.copy_within(from..from + 64, at);
            }
        }
        put(&place(&dir), &bytes);
        let left = read(&Journal::open(&place(&dir)).unwrap());
        assert!(all.starts_with(&left), "{left:?}");
        lengths.insert(left.len());
    }
    assert!(lengths.len() > 30, "{lengths:?}");
}

#[test]
fn a_write_or_a_sync_that_fails_leaves_nothing_and_the_next_one_works() {
    let dir = tempfile::tempdir().unwrap();
    let journal = made(&place(&dir), 0);
    let (mut there, mut failed) = (Vec::new(), 0);
    for round in 0..200_usize {
        let group = [round.to_string().into_bytes(), vec![b'x'; round * 40]];
        journal.trial().state().fails_after = Some(round % 7);
        let outcome = append(&journal, &group);
        journal.trial().state().fails_after = None;
        match outcome {
            Ok(()) => there.extend(group),
            Err(error) => {
                failed += 1;
                assert!(error.to_string().contains("a broken disk"), "{error}");
            }
        }
        assert_eq!(read(&journal).into_iter().map(|(_, said)| said).collect::<Vec<_>>(), there);
        if round % 9 == 0 {
            journal.trial().state().fails_after = Some(round % 4);
            let outcome = start_over(&journal, round % 2 == 0);
            journal.trial().state().fails_after = None;
            let left = read(&journal);
            // Before the header is durable all of it is there, afterwards none, though zeros may be missing.
            assert!(left.is_empty() || (outcome.is_err() && left.len() == there.len()));
            there.truncate(left.len());
        }
    }
    assert!(failed > 50, "{failed} failures");
}

#[test]
fn a_full_disk_says_so_and_room_makes_it_work_again() {
    let dir = tempfile::tempdir().unwrap();
    let journal = made(&place(&dir), 0);
    append(&journal, &[b"one".to_vec()]).unwrap();
    let (before, len) = (read(&journal), journal.disk.len().unwrap());
    journal.trial().state().room = Some(len + 5_000);
    let refused = append(&journal, &[vec![b'x'; 30_000]]).unwrap_err().to_string();
    assert!(refused.contains("the disk is full") && refused.contains("store.db-pending"), "{refused}");
    assert_eq!((read(&journal), journal.disk.len().unwrap()), (before, len), "nothing half done");
    append(&journal, &[b"there is room for this".to_vec()]).unwrap();
    journal.trial().state().room = None;
    append(&journal, &[vec![b'x'; 30_000]]).unwrap();
    assert_eq!(read(&journal).len(), 3);
}

#[test]
fn a_file_that_is_no_sound_journal_is_refused_by_name_and_left_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let journal = made(&place(&dir), 0);
    append(&journal, &[b"one".to_vec()]).unwrap();
    let whole = std::fs::read(place(&dir)).unwrap();
    let mut newer = whole.clone();
    newer[15] = 2;
    let mut blank = whole.clone();
    blank[..HEADER].fill(0);
    let mut cases = vec![
        (newer, "use a newer stepwell"),
        (blank, "move it away"),
        (whole[..30].to_vec(), "is damaged"),
        (whole[..1_000].to_vec(), "was cut short"),
        (b"a shopping list".to_vec(), "is something else"),
        (vec![b'x'; 9_000], "is something else"),
    ];
    cases.extend((16..HEADER).map(|at| {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x40;
        (damaged, "is damaged")
    }));
    for (bytes, says) in cases {
        std::fs::write(place(&dir), &bytes).unwrap();
        let journal = Journal::open(&place(&dir)).unwrap();
        let locked = journal.lock(PATIENCE).unwrap();
        let mut refused = vec![locked.end(None).map(|_| ())];
        // All who do anything with it look for its end first.
        if says != "was cut short" {
            refused.extend([locked.is_blank().map(|_| ()), locked.begin_epoch(1)]);
        }
        for refused in refused {
            let refused = refused.unwrap_err().to_string();
            assert!(refused.contains(says) && refused.contains("store.db-pending"), "{refused}");
        }
        assert!(std::fs::read(place(&dir)).unwrap() == bytes);
    }
    // Where nothing was written yet, nothing is refused.
    for len in [0, 1, BLOCK] {
        std::fs::write(place(&dir), vec![0; len]).unwrap();
        let journal = Journal::open(&place(&dir)).unwrap();
        assert!(journal.lock(PATIENCE).unwrap().is_blank().unwrap());
    }
}

#[test]
fn numbers_end_where_they_end() {
    let dir = tempfile::tempdir().unwrap();
    let journal = made(&place(&dir), i64::MAX - 1);
    append(&journal, &[b"the last one".to_vec()]).unwrap();
    let refused = append(&journal, &[b"one more".to_vec()]).unwrap_err().to_string();
    assert!(refused.contains("no number left"), "{refused}");
    assert_eq!(read(&journal).len(), 1);
}

#[test]
fn whoever_finds_the_file_locked_waits_no_longer_than_they_want() {
    let dir = tempfile::tempdir().unwrap();
    let (journal, other) = (made(&place(&dir), 0), Journal::open(&place(&dir)).unwrap());
    let held = journal.lock(PATIENCE).unwrap();
    for patience in [Duration::ZERO, Duration::from_millis(50)] {
        let started = Instant::now();
        let refused = other.lock(patience).unwrap_err();
        assert!(matches!(refused, Failure::Locked(_)) && refused.to_string().contains("locked"), "{refused}");
        assert!(started.elapsed() >= patience);
    }
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| other.lock(PATIENCE).map(|_| ()));
        std::thread::sleep(Duration::from_millis(30));
        drop(held);
        waits.join().unwrap().unwrap();
    });
}

/// To append takes one write and one sync, into room that was made before.
#[test]
fn the_file_has_room_before_it_needs_it_and_a_small_one_at_first() {
    let dir = tempfile::tempdir().unwrap();
    let journal = made(&place(&dir), 0);
    let mut lengths = Vec::new();
    for _ in 0..1_000 {
        journal.trial().state().acts = Some(Vec::new());
        append(&journal, &[vec![b'x'; 1_000]]).unwrap();
        let acts = journal.trial().state().acts.take().unwrap();
        let [room @ .., Act::Write(_, record), Act::Sync] = &acts[..] else { panic!("{acts:?}") };
        assert_eq!(record.len(), 1_016);
        if !room.is_empty() {
            assert_eq!(room.last(), Some(&Act::Sync), "durable before it is used");
            lengths.push(journal.disk.len().unwrap() - FIRST);
        }
    }
    let k = |n: u64| n * 1_024;
    assert_eq!(lengths, [k(12), k(60), k(252), k(508), k(1_020)]);
}
