//! Makes the pictures of `docs/pictures/` from real runs of the program, on the sample data: `stepwell-pictures FOLDER`. The
//! program is the one beside this one.

use std::path::Path;
use std::process::Command;
use stepwell_testkit::picture::draw;

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The pictures: a name, the columns and rows of the terminal, and what is typed.
const PICTURES: &[(&str, usize, usize, &[&str])] = &[
    ("demo", 118, 27, &["stepwell demo"]),
    ("stats", 116, 40, &["stepwell stats"]),
    (
        "search",
        118,
        40,
        &[
            "stepwell search 'key of the ferry' --limit 3 --token-file token",
            "stepwell read cin_home_mail/messages:m-0504 body --token-file token --q 'heron of zürich' --before 33 --after 63",
            "stepwell read cin_home_mail/messages:m-0504 headers --token-file token || true",
            "stepwell disclosures",
        ],
    ),
];

/// What fills the store that the pictures are of.
const SET_UP: &str = "stepwell sample data | sh && stepwell grant create --client Claude --stream messages:subject,from,sent_at,body \
    --connection cin_home_mail --expires 30d --yes --token-out token";

fn main() -> Result<()> {
    let folder = std::env::args().nth(1).ok_or("usage: stepwell-pictures FOLDER")?;
    let ours = std::env::current_exe()?;
    let bin = ours.parent().filter(|bin| bin.join("stepwell").exists());
    let home = std::env::temp_dir().join(format!("stepwell-pictures-{}", std::process::id()));
    std::fs::create_dir_all(&home)?;
    let made =
        all(bin.ok_or("stepwell is not beside this program: build it first")?, &home, Path::new(&folder));
    std::fs::remove_dir_all(&home)?;
    made
}

fn all(bin: &Path, home: &Path, folder: &Path) -> Result<()> {
    run(bin, home, SET_UP)?;
    for (name, columns, rows, commands) in PICTURES {
        let mut text = String::new();
        for command in *commands {
            let typed = command.trim_end_matches(" || true");
            text.push_str(&format!("\u{1b}[32m$\u{1b}[0m \u{1b}[1m{typed}\u{1b}[0m\n"));
            text.push_str(run(bin, home, command)?.trim_end());
            text.push_str("\n\n");
        }
        std::fs::write(folder.join(format!("{name}.svg")), draw(&text, *columns, *rows))?;
    }
    Ok(())
}

/// What a command prints on a terminal: both of its outputs, in colour.
fn run(bin: &Path, home: &Path, command: &str) -> Result<String> {
    let path = format!("{}:{}", bin.display(), std::env::var("PATH")?);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{{ {command}; }} 2>&1")]).current_dir(home);
    shell
        .env("PATH", path)
        .env("HOME", home)
        .env("CLICOLOR_FORCE", "1")
        .env("LC_ALL", "C.UTF-8")
        .env("COLUMNS", "110");
    for name in [
        "XDG_DATA_HOME",
        "XDG_CONFIG_HOME",
        "XDG_STATE_HOME",
        "STEPWELL_SOURCE",
        "STEPWELL_TOKEN",
        "STEPWELL_CONFIG",
        "NO_COLOR",
    ] {
        shell.env_remove(name);
    }
    let output = shell.output()?;
    let said = String::from_utf8(output.stdout)?;
    if output.status.success() { Ok(said) } else { Err(format!("{command}: {said}").into()) }
}
