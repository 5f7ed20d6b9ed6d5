//! Input without bounds: what is too long or too much is refused before it fills memory, and the
//! next line is answered as if nothing had been.

use crate::support::program::Folder;
use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// A pipe that is talked to.
struct Pipe {
    child: Child,
    input: ChildStdin,
    replies: Lines<BufReader<ChildStdout>>,
}

impl Pipe {
    fn new(folder: &Folder) -> Pipe {
        let mut command = folder.command();
        command.arg("pipe").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let replies = BufReader::new(child.stdout.take().unwrap()).lines();
        Pipe { child, input, replies }
    }

    fn write(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).unwrap();
    }

    fn reply(&mut self) -> String {
        self.replies.next().unwrap().unwrap()
    }

    /// The most memory that it had so far, in MiB, where the system says that.
    fn peak(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        Some(line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024)
    }

    fn close(mut self) {
        drop(self.input);
        assert!(self.child.wait().unwrap().success());
        assert_eq!(self.replies.count(), 0, "one reply for each line");
    }
}

#[test]
fn a_line_that_is_too_long_is_refused_before_its_end_and_the_next_is_answered() {
    let folder = Folder::new();
    let mut pipe = Pipe::new(&folder);
    pipe.write(br#"{"rid":7,"op":"add","content":""#);
    for _ in 0..256 {
        pipe.write(&[b'x'; 1 << 20]);
    }
    let reply = pipe.reply();
    assert!(reply.starts_with(r#"{"rid":7,"error":{"code":"E_LIMIT""#), "{reply}");
    assert!(reply.contains("268435456 bytes"), "{reply}");
    assert!(pipe.peak().is_none_or(|peak| peak < 400), "{:?} MiB", pipe.peak());
    for _ in 0..64 {
        pipe.write(&[b'x'; 1 << 20]);
    }
    pipe.write(b"\"}\n{\"rid\":8,\"op\":\"add\",\"content\":\"short\"}\n");
    assert_eq!(pipe.reply(), r#"{"rid":8,"ok":{"id":"cb:1"}}"#);
    assert!(pipe.peak().is_none_or(|peak| peak < 400), "{:?} MiB", pipe.peak());
    pipe.close();
}

#[test]
fn a_document_has_so_many_values_and_no_more() {
    let folder = Folder::new();
    let mut pipe = Pipe::new(&folder);
    // The list, the request, its op, its rid and its target are values too.
    let values = |count: usize| {
        let list = vec!["1"; count - 5].join(",");
        format!("{{\"op\":\"remove\",\"target\":\"#a?\",\"force\":[{list}],\"rid\":[\"r\"]}}\n")
    };
    pipe.write(values(4_000_000).replace("[\"r\"]", "3").as_bytes());
    let reply = pipe.reply();
    assert!(reply.starts_with(r#"{"rid":3,"error":{"code":"E_ATTR_INVALID""#), "{reply}");
    pipe.write(values(4_000_001).as_bytes());
    let reply = pipe.reply();
    assert!(reply.starts_with(r#"{"rid":["r"],"error":{"code":"E_LIMIT""#), "{reply}");
    assert!(reply.contains("4000000 values"), "{reply}");
    pipe.write(b"{\"op\":\"select\",\"q\":\"^ah\"}\n");
    assert_eq!(pipe.reply(), r#"{"ok":["ah"]}"#);
    assert!(pipe.peak().is_none_or(|peak| peak < 500), "{:?} MiB", pipe.peak());
    pipe.close();
}

#[test]
fn a_line_that_is_not_utf8_is_refused_and_not_altered() {
    let folder = Folder::new();
    let mut pipe = Pipe::new(&folder);
    for byte in [0xff, 0xfe] {
        pipe.write(b"{\"rid\":\"u\",\"op\":\"add\",\"key\":\"k");
        pipe.write(&[byte]);
        pipe.write(b"\"}\n");
        let reply = pipe.reply();
        assert!(reply.starts_with(r#"{"rid":"u","error":{"code":"E_REQUEST_INVALID""#), "{reply}");
        assert!(reply.contains("not UTF-8 from its byte 31"), "{reply}");
    }
    pipe.write("{\"op\":\"add\",\"key\":\"ключ\"}\n".as_bytes());
    assert_eq!(pipe.reply(), r#"{"ok":{"id":"cb:1"}}"#);
    pipe.close();
    assert_eq!(folder.ok(&["select", "^ah .cb"]), "cb:1\n");
}

#[test]
fn every_line_has_its_reply_whatever_is_wrong_with_it() {
    let folder = Folder::new();
    let mut pipe = Pipe::new(&folder);
    let lines: [(&[u8], &str); 9] = [
        (b"{\"rid\":1,\"op\":\"add\"}\n", r#"{"rid":1,"ok""#),
        (b"\n \t\r\n{\"rid\":2,\"op\":\"add\",}\n", r#"{"rid":2,"error""#),
        (b"{\"rid\":3,\"op\":\"nothing\"}\n", r#"{"rid":3,"error""#),
        (b"{\"rid\":\n", r#"{"error""#),
        (b"[{\"rid\":4}]\n", r#"{"error""#),
        (b"\xff\xff\n", r#"{"error""#),
        (
            b"{\"content\":\"a\\\"\\\\\",\"rid\":{\"a\":[5,\"}\"]} \"op\"\n",
            r#"{"rid":{"a":[5,"}"]},"error""#,
        ),
        (b"{\"rid\":6,\"op\":\"add\",\"key\":\"\xc3\x28\"}\n", r#"{"rid":6,"error""#),
        (b"{\"rid\":9,\"op\":\"undo\"}\r\n", r#"{"rid":9,"ok""#),
    ];
    for (line, start) in lines {
        pipe.write(line);
        let reply = pipe.reply();
        assert!(reply.starts_with(start), "{reply}");
    }
    pipe.close();
}

#[test]
fn a_record_that_never_ends_is_refused() {
    if !std::path::Path::new("/dev/zero").exists() {
        return;
    }
    let folder = Folder::new();
    let said = folder.fails(&["import", "/dev/zero"]);
    assert!(said.starts_with("E_LIMIT: line 1: it has more than 268435456 bytes"), "{said}");
    assert!(!folder.has("memory.pactdb"));
}

#[test]
fn of_many_bad_records_the_first_are_said_and_the_rest_counted() {
    let folder = Folder::new();
    let mut document = "{\"role\":\"user\",\"content\":\"a\"}\n".to_owned();
    for i in 0..5_000 {
        document.push_str(if i % 2 == 0 { "{\"role\":\n" } else { "17\n" });
    }
    folder.write("log.jsonl", &document);
    let said = folder.ok(&["import", "--skip-bad", "log.jsonl"]);
    assert!(said.contains("left out line 2: it is not JSON"), "{said}");
    assert!(said.contains("left out 4,900 more records"), "{said}");
    assert!(said.lines().count() < 110, "{said}");
    let said = folder.ok(&["--json", "import", "--skip-bad", "--again", "log.jsonl"]);
    assert!(said.contains("\"more_bad\":4900"), "{}", &said[said.len().saturating_sub(300)..]);
    assert!(said.len() < 20_000);
}

#[test]
fn a_union_holds_what_it_answers_and_no_more() {
    let folder = Folder::new();
    let mut pipe = Pipe::new(&folder);
    let add = r#"{"op":"add"}"#;
    let adds = vec![add; 500].join(",");
    for _ in 0..10 {
        pipe.write(
            format!("{{\"op\":\"batch\",\"ops\":[{adds},{{\"op\":\"commit\"}}]}}\n").as_bytes(),
        );
        assert!(pipe.reply().starts_with("{\"ok\""));
    }
    let before = pipe.peak();
    let groups: Vec<String> = (0..1000).map(|i| format!(".cb[priority<{}]", i + 1)).collect();
    for q in [groups.join(", "), format!("@* {}", groups.join(", "))] {
        pipe.write(format!("{{\"op\":\"select\",\"q\":\"{q}\"}}\n").as_bytes());
        assert_eq!(pipe.reply().matches("\"cb:").count(), 5000);
        let more = pipe.peak().zip(before).map(|(peak, before)| peak - before);
        assert!(more.is_none_or(|more| more < 60), "{more:?} MiB");
    }
    pipe.close();
}
