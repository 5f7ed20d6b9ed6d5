//! The page in a real browser: somebody opens it, steps through time, asks, compares, looks on, and cannot be
//! harmed by what is stored.

mod driver;

use super::*;
use driver::{Browser, DOWN, END, ENTER, ESCAPE, HOME, LEFT, RIGHT, TAB};
use serde_json::{Value, json};

/// Text that would do something if it were read as markup, a script or an address.
fn hostile(field: &str) -> String {
    format!(
        "{field}<img src=x onerror=\"window.harmed='{field}'\"><script>window.harmed='{field}'</script>\
         \"'><svg onload=window.harmed=1><a href=\"javascript:window.harmed=1\">{field}</a>${{window.harmed=1}}"
    )
}

/// A store of some turns with all that views show: roles, a call and its result, times to live, an attempt
/// that failed, a block that is changed.
fn lively(served: &Served) {
    Db::create(served.path("alice"), Generation::V0_1).unwrap();
    let mut requests = vec![
        json!({"op": "add", "to": "^sys", "id": "rules", "role": "system", "content": "Be brief and kind."}),
        json!({"op": "add", "role": "user", "id": "ask", "content": "Where is the key?"}),
        json!({"op": "commit"}),
        json!({"op": "add", "role": "assistant", "kind": "call", "id": "call", "content": {"query": "key"},
            "attrs": {"data_call_id": "c1", "data_tool_name": "search"}}),
        json!({"op": "add", "role": "tool", "kind": "result", "id": "result", "ttl": 2, "content": "Under the mat.",
            "attrs": {"data_call_id": "c1"}}),
        json!({"op": "attempt", "action": "start", "attempt_id": "a1", "model": "planner"}),
        json!({"op": "attempt", "action": "finish", "attempt_id": "a1", "status": "error", "error": "overloaded"}),
        json!({"op": "commit"}),
        json!({"op": "set", "target": "#rules", "content": "Be brief and always kind."}),
        json!({"op": "add", "role": "user", "id": "thanks", "refs": ["ask"], "content": "Thank you."}),
        json!({"op": "commit"}),
    ];
    for turn in 4..=12 {
        let content = format!("message {turn} of many");
        requests.push(
            json!({"op": "add", "role": "user", "id": format!("m{turn}"), "content": content}),
        );
        requests.push(json!({"op": "commit"}));
    }
    say(served, "alice", &requests);
}

fn say(served: &Served, store: &str, requests: &[Value]) {
    let answer = served.ask(store, &Value::from(requests.to_vec()).to_string());
    assert!(!answer.body.contains("\"error\":{"), "{}", answer.body);
}

/// A browser at a place of a store.
fn opened(served: &Served, place: &str) -> Option<Browser> {
    let browser = Browser::open()?;
    browser.go(&format!("http://{}/?token={READER}", served.address));
    browser.wait("document.querySelector('#title')?.textContent");
    at(&browser, place);
    Some(browser)
}

/// Goes to a place, and waits until it is shown.
fn at(browser: &Browser, place: &str) {
    browser.run(&format!("location.hash = {};", json!(place)));
    let path = place.split('?').next().unwrap();
    browser.wait(&format!("document.querySelector('#main').dataset.shown === {}", json!(path)));
}

fn text(browser: &Browser, selector: &str) -> String {
    let script = format!(
        "return [...document.querySelectorAll({})].map((one) => one.textContent).join('\\n');",
        json!(selector)
    );
    browser.run(&script).as_str().unwrap().to_owned()
}

#[test]
fn one_steps_through_time_and_back() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/now/tree") else { return };
    browser.wait_for_text("message 12 of many");
    let address = browser.run("return location.href + document.cookie;");
    let address = address.as_str().unwrap();
    assert!(!address.contains(READER) && !address.contains("pactdb-"), "{address}");
    browser.keys(&[LEFT]);
    browser.wait("location.hash === '#/alice/c12/tree'");
    browser.keys(&[LEFT]);
    browser.wait("location.hash === '#/alice/c11/tree'");
    browser.wait_for_text("Against @c10");
    browser.wait("!document.querySelector('[data-id=m12]')");
    assert_eq!(text(&browser, "[data-id=m11] .mark.added"), "+");
    at(&browser, "#/alice/c3/tree");
    browser.wait_for_text("Against @c2");
    assert_eq!(text(&browser, "[data-id=rules] .mark.changed"), "~");
    assert!(
        text(&browser, "[data-id=result]").contains("ttl 1"),
        "{}",
        text(&browser, "[data-id=result]")
    );
    browser.run("history.back();");
    browser.wait("location.hash === '#/alice/c11/tree'");
    browser.keys(&[RIGHT]);
    browser.wait("location.hash === '#/alice/c12/tree' && document.querySelector('[data-id=m12]')");
    assert!(text(&browser, ".timeline-note").contains("@c12"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_wrong_question_is_pointed_at_and_a_right_one_answered() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/c3/tree") else { return };
    browser.keys(&["/"]);
    browser.wait("document.activeElement?.id === 'question'");
    browser.keys(&[".cb[role=", ENTER]);
    browser.wait_for_text("E_SELECTOR_INVALID");
    assert_eq!(text(&browser, ".caret"), ".cb[role=\n   ^");
    browser.run("document.querySelector('#question').select();");
    browser.keys(&[".cb | count by role", ENTER]);
    browser.wait("document.querySelector('.answer table')");
    let rows = text(&browser, ".answer tbody tr");
    assert_eq!(rows, "assistant1\nsystem1\ntool1\nuser2");
    assert_eq!(text(&browser, ".bar-row .bar-name").lines().count(), 4);
    assert!(
        browser.run("return location.hash;").as_str().unwrap().contains("count"),
        "it has an address"
    );
    browser.run("document.querySelector('#question').value = '';");
    browser.keys(&[".cb[ro"]);
    browser.wait("document.querySelector('#offers:not([hidden]) li')?.textContent === 'role'");
    browser.keys(&[TAB]);
    browser.wait("document.querySelector('#question').value === '.cb[role'");
}

#[test]
fn what_happens_is_seen_and_does_not_move_the_reader() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/now/tree") else { return };
    browser.wait("document.querySelector('#status.live')");
    let more = |id: &str| {
        let add = json!({"op": "add", "role": "user", "id": id, "content": format!("new: {id}")});
        say(&served, "alice", &[add, json!({"op": "commit"})]);
    };
    more("live1");
    browser.wait("document.querySelector('[data-id=live1]')");
    // Whoever has scrolled up stays where he is, and is told.
    browser.wait("document.querySelector('#main').scrollHeight > document.querySelector('#main').clientHeight");
    std::thread::sleep(Duration::from_millis(400));
    browser.run("document.querySelector('#main').scrollTop = 5;");
    std::thread::sleep(Duration::from_millis(100));
    more("live2");
    browser.wait("document.querySelector('#newer')?.textContent === '1 newer cycle'");
    assert_eq!(browser.run("return document.querySelector('#main').scrollTop;"), json!(5));
    assert_eq!(browser.run("return document.querySelector('[data-id=live2]');"), Value::Null);
    browser.run("document.querySelector('#newer').click();");
    browser.wait("document.querySelector('[data-id=live2]') && !document.querySelector('#newer')");
    // Whoever looks at the past too.
    at(&browser, "#/alice/c2/tree");
    more("live3");
    browser.wait("document.querySelector('#newer')?.textContent === '1 newer cycle'");
    assert_eq!(browser.run("return location.hash;"), json!("#/alice/c2/tree"));
}

#[test]
fn two_cycles_are_compared_by_words() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/c3/compare?with=2") else { return };
    browser.wait("document.querySelector('.difference.changed ins')");
    assert_eq!(text(&browser, ".difference.changed ins").trim(), "always");
    assert_eq!(text(&browser, ".difference.changed del"), "");
    assert_eq!(text(&browser, ".difference.added .name"), "thanks");
    assert!(!text(&browser, ".difference").contains("result"), "it only counts down");
    browser.run("[...document.querySelectorAll('.check')].at(-1).querySelector('input').click();");
    browser.wait("location.hash.includes('ttl=all') && document.querySelectorAll('.difference.changed').length === 2");
    assert!(
        text(&browser, ".difference").contains("ttl: 2 → 1"),
        "{}",
        text(&browser, ".difference")
    );
    // Twelve bars of 56 pixels each: from the second to the eighth.
    browser.drag("#timeline canvas", 84.0, 420.0);
    browser.wait("location.hash.includes('/c8/compare') && location.hash.includes('with=2')");
}

#[test]
fn a_node_is_shown_with_its_life_and_its_relations() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/c3/tree?node=result") else { return };
    browser.wait_for_text("Call and result");
    let panel = text(&browser, "#panel");
    for part in
        ["Under the mat.", "@c3 #result", "data_call_id", "Life", "expired", "@c2", "\"key\""]
    {
        assert!(panel.contains(part), "{part} is not in {panel}");
    }
    at(&browser, "#/alice/c3/tree?node=ask");
    browser.wait_for_text("referred to by");
    at(&browser, "#/alice/c9/tree?node=result");
    browser.wait_for_text("It is not in @c9");
    browser.run("document.querySelector('#panel a').click();");
    browser.wait("location.hash.startsWith('#/alice/c3/tree')");
    at(&browser, "#/alice/c2/transcript");
    browser.wait_for_text("search(");
    at(&browser, "#/alice/c2/transcript?form=openai");
    browser.wait("document.querySelector('pre.sent.same')?.textContent.startsWith('[{')");
    at(&browser, "#/alice/now/attempts");
    browser.wait_for_text("overloaded");
    at(&browser, "#/alice/now/lifelines?by=end");
    browser.wait("document.querySelector('.bar-line.end-expired')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_prefix_of_a_provider_can_be_chosen() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/c4/tree") else { return };
    browser.wait("document.querySelector('.timeline-note').textContent.includes('% kept')");
    let thread = text(&browser, ".timeline-note");
    browser.run(
        "const s = document.querySelector('.prefix select'); s.value = 'openai'; s.dispatchEvent(new Event('change'));",
    );
    browser.wait("location.hash === '#/alice/c4/tree?prefix=openai'");
    let other = format!(
        "document.querySelector('.timeline-note').textContent !== {} && document.querySelector('.timeline-note').textContent.includes('% kept')",
        json!(thread)
    );
    browser.wait(&other);
    let compare = json!({"op": "compare", "a": "@c3", "b": "@c4", "format": "openai"});
    let compared: Value =
        serde_json::from_str(&served.ask("alice", &compare.to_string()).body).unwrap();
    let number = |value: &Value| value.as_u64().unwrap();
    let share = 100 * number(&compared["ok"]["common_bytes"]) / number(&compared["ok"]["bytes"][0]);
    let note = text(&browser, ".timeline-note");
    assert!(note.contains(&format!("prefix breaks, {share} % kept")), "{note}");
    browser.keys(&["2"]);
    browser.wait("location.hash === '#/alice/c4/transcript?prefix=openai'");
    browser.run("history.go(-2);");
    browser.wait("location.hash === '#/alice/c4/tree'");
    browser.wait(&format!(
        "document.querySelector('.timeline-note').textContent === {}",
        json!(thread)
    ));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn lifelines_of_a_selector_come_in_pages() {
    let served = Served::start(|_| {});
    lively(&served);
    let many = |n: usize| {
        let content = format!("note {n}");
        json!({"op": "add", "role": "assistant", "id": format!("n{n}"), "content": content})
    };
    let turn = |turn: usize| {
        let blocks = (20 * turn..20 * turn + 20).map(many);
        blocks.chain([json!({"op": "commit"})]).collect::<Vec<Value>>()
    };
    say(&served, "alice", &(0..35).flat_map(turn).collect::<Vec<Value>>());
    // What is no block is found too if it is asked for.
    let Some(browser) = opened(&served, "#/alice/now/lifelines?q=.cb%2C+.mt") else { return };
    let rows = "[...document.querySelectorAll('.lives .life-row')]";
    // Blocks and turns that ever were.
    for shown in [150, 300, 450, 600, 700 + 14 + 12 + 35] {
        browser.wait(&format!(
            "(document.querySelector('#main').scrollTop = 1e9, {rows}.length >= {shown})"
        ));
    }
    let last = browser.run(&format!("return {rows}.at(-1).textContent;"));
    assert!(last.as_str().unwrap().contains("expired"), "what is gone comes last: {last}");
    let hrefs = browser.run(&format!("return {rows}.map((row) => row.getAttribute('href'));"));
    let mut hrefs: Vec<String> = serde_json::from_value(hrefs).unwrap();
    hrefs.sort();
    hrefs.dedup();
    assert_eq!(hrefs.len(), 761, "each once");
    at(&browser, "#/alice/now/lifelines?q=.cb[role=");
    browser.wait_for_text("E_SELECTOR_INVALID");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn nothing_that_is_stored_does_anything() {
    let served = Served::start(|_| {});
    Db::create(served.path("alice"), Generation::V0_1).unwrap();
    let call = |kind: &str| {
        json!({"op": "add", "id": hostile(kind), "role": hostile("role"), "kind": kind, "key": hostile("key"),
            "tags": [hostile("tag")], "provenance": hostile("provenance"), "mime": hostile("mime"), "ttl": 3,
            "content": hostile("content"), "attrs": {"data_call_id": hostile("call"), "data_tool_name": hostile("tool"),
            format!("data_{}", hostile("name")): {hostile("deep"): [hostile("list")]}}})
    };
    let attempt = |action: &str| {
        json!({"op": "attempt", "action": action, "attempt_id": hostile("attempt"), "provider": hostile("provider"),
            "model": hostile("model")})
    };
    let mut failed = attempt("finish");
    failed["status"] = json!("error");
    failed["error"] = json!(hostile("error"));
    let node = json!({"op": "add", "to": "^sys", "id": hostile("sys"), "content": {hostile("x"): hostile("y")}});
    let changed = json!({"op": "set", "target": "^sys > .cb", "content": hostile("changed")});
    let commit = json!({"op": "commit"});
    let all = [
        node,
        call("call"),
        call("result"),
        commit.clone(),
        attempt("start"),
        failed,
        changed,
        commit,
    ];
    say(&served, "alice", &all);
    let Some(browser) = opened(&served, "#/alice/now/tree") else { return };
    let node = serde_json::to_string(&hostile("call")).unwrap();
    let harmless = "return [window.harmed ?? null, document.querySelectorAll('img, script:not([src]), #body svg[onload], [href^=javascript]').length];";
    for place in [
        "#/alice/c1/tree",
        "#/alice/c2/transcript",
        "#/alice/c2/transcript?form=anthropic",
        "#/alice/c2/compare?with=1",
        "#/alice/now/lifelines",
        "#/alice/now/attempts",
        "#/alice/now/ask?q=*",
        "#/alice/now/ask?q=select%20*%20from%20lives",
    ] {
        at(&browser, place);
        browser.run(&format!("location.hash += (location.hash.includes('?') ? '&' : '?') + new URLSearchParams({{node: {node}}});"));
        browser.wait("document.querySelector('#panel .headers') && !document.querySelector('#panel [aria-busy]')");
        browser.run("document.querySelectorAll('details').forEach((one) => (one.open = true));");
        assert!(text(&browser, "#main, #panel").contains("<script>"), "{place} shows it as text");
        assert_eq!(browser.run(harmless), json!([null, 0]), "{place}");
    }
    let store = json!(format!("#/{}", hostile("store").replace(['/', '%'], "")));
    browser.run(&format!("location.hash = {store};"));
    browser.wait("document.querySelector('#main .state')");
    assert_eq!(browser.run(harmless), json!([null, 0]));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn the_keyboard_is_enough() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/now/tree") else { return };
    browser.wait_for_text("message 12 of many");
    browser.keys(&["?"]);
    browser.wait("document.querySelector('#dialog').open");
    browser.keys(&[ESCAPE]);
    browser.wait("!document.querySelector('#dialog').open");
    browser.keys(&["t"]);
    browser.wait("document.activeElement?.getAttribute('role') === 'slider'");
    browser.keys(&[HOME]);
    browser.wait("location.hash === '#/alice/c1/tree' && !document.querySelector('[data-id=m12]')");
    browser.wait("document.activeElement?.getAttribute('aria-valuenow') === '1'");
    browser.keys(&[END]);
    browser.wait("location.hash === '#/alice/now/tree' && document.querySelector('[data-id=m12]')");
    // From the timeline over the tabs into the tree.
    let focus = "document.activeElement";
    for _ in 0..30 {
        if browser.run(&format!("return {focus}.matches('a.row');")) == json!(true) {
            break;
        }
        browser.keys(&[TAB]);
    }
    assert_eq!(browser.run(&format!("return {focus}.matches('a.row');")), json!(true));
    let first = browser.run(&format!("return {focus}.dataset.id;"));
    browser.keys(&[DOWN]);
    browser.wait(&format!("{focus}.dataset.id !== {first}"));
    browser.keys(&[ENTER]);
    browser.wait("document.querySelector('#panel:not([hidden]) .node-body section')");
    browser.keys(&[ESCAPE]);
    browser.wait("document.querySelector('#panel').hidden");
    for (key, view) in [
        ("2", "transcript"),
        ("3", "compare"),
        ("4", "lifelines"),
        ("5", "attempts"),
        ("1", "tree"),
    ] {
        browser.keys(&[key]);
        browser.wait(&format!(
            "location.hash === '#/alice/now/{view}' && document.querySelector('.view.{view}')"
        ));
    }
}

#[test]
fn it_fits_on_a_telephone() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = opened(&served, "#/alice/now/tree") else { return };
    browser.resize(390, 844);
    for place in [
        "c3/tree",
        "c3/tree?node=result",
        "c3/transcript",
        "c3/compare?with=2",
        "now/lifelines",
        "now/attempts",
        "now/ask?q=.cb",
    ] {
        at(&browser, &format!("#/alice/{place}"));
        let wide = "return [document.documentElement, document.querySelector('#main')].map((one) => one.scrollWidth);";
        let widths = browser.run(wide);
        assert!(
            widths.as_array().unwrap().iter().all(|width| width.as_i64().unwrap() <= 390),
            "{place}: {widths}"
        );
        assert!(
            browser
                .run("return document.querySelector('#timeline canvas').clientHeight;")
                .as_i64()
                .unwrap()
                > 60
        );
    }
}

#[test]
fn what_goes_wrong_is_said_and_it_goes_on_by_itself() {
    let served = Served::start(|_| {});
    served.store("bob", 0);
    lively(&served);
    let Some(browser) = opened(&served, "#/bob/now/tree") else { return };
    browser.wait_for_text("Nothing is stored yet");
    at(&browser, "#/alice/now/tree");
    browser.run("location.hash = '#/alice/c99/tree';");
    browser.wait_for_text("There is no such cycle");
    browser.run("location.hash = '#/carol/now/tree';");
    browser.wait_for_text("The store is not there");
    served.store("carol", 2);
    browser.wait_for_text("message 1 of many");
    browser.run("fetch('/session', {method: 'DELETE'}).then(() => (location.hash = '#/'));");
    browser.wait("document.querySelector('#token')");
    browser.keys(&["not-a-token-of-anybody", ENTER]);
    browser.wait_for_text("nobody has this token");
    browser.run("document.querySelector('#token').select();");
    browser.keys(&[READER, ENTER]);
    browser.wait_for_text("last commit");
    let (address, folder) = (served.address, served.folder.path().to_owned());
    at(&browser, "#/alice/now/tree");
    browser.wait("document.querySelector('#status.live')");
    served.stop.stop();
    browser.wait("document.querySelector('#status.lost')");
    drop(served);
    assert!(!folder.exists() && TcpStream::connect(address).is_err());
}

#[cfg(feature = "cli")]
#[test]
fn an_exported_page_needs_no_server() {
    let served = Served::start(|_| {});
    lively(&served);
    let Some(browser) = Browser::open() else { return };
    let file = served.folder.path().join("report.html");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pactdb"));
    command.arg("-s").arg(served.path("alice")).args(["export", "--html"]).arg(&file);
    let ran = command.args(["--ask", ".cb | count by role"]).output().unwrap();
    let said = String::from_utf8(ran.stdout.clone()).unwrap();
    assert!(said.ends_with("All 12 cycles are inside.\n"), "{said} {ran:?}");
    browser.go(&format!("file://{}", file.display()));
    browser.wait_for_text("message 12 of many");
    browser.keys(&[LEFT]);
    browser.wait("location.hash === '#/alice/c11/tree'");
    browser.wait("!document.querySelector('[data-id=m12]')");
    at(&browser, "#/alice/c3/tree?node=result");
    browser.wait_for_text("Call and result");
    let moments = text(&browser, ".moments li");
    assert!(moments.contains("@c2 sealed") && moments.contains("expired"), "{moments}");
    let marks = |prefix: &str| {
        at(&browser, &format!("#/alice/c4/tree?prefix={prefix}"));
        browser.wait(&format!("document.querySelector('.prefix select').value === '{prefix}'"));
        browser.wait("document.querySelector('.timeline-note').textContent.includes('@c4')");
        text(&browser, ".timeline-note")
    };
    // The result went. A prompt for OpenAI still has its call, and says what became of it.
    assert!(marks("").contains("prefix breaks"), "{}", marks(""));
    assert!(marks("openai").contains("prefix breaks"), "{}", marks("openai"));
    assert_ne!(marks(""), marks("openai"), "what is left is counted in bytes of the prompt");
    at(&browser, "#/alice/c3/compare?with=2");
    browser
        .wait("document.querySelector('.difference.changed ins')?.textContent.trim() === 'always'");
    at(&browser, "#/alice/c3/transcript?form=openai");
    browser
        .wait("document.querySelector('pre.sent:not(.same)')?.textContent.includes('Thank you.')");
    let sent = text(&browser, "pre.sent").replacen('\n', "", 1);
    let asked = served.ask("alice", r#"{"op":"thread","at":"@c3","format":"openai"}"#).body;
    assert_eq!(asked.trim(), format!("{{\"ok\":{sent}}}"), "to the byte");
    at(&browser, "#/alice/c3/lifelines");
    browser.wait("document.querySelectorAll('.bar-line').length > 10");
    at(&browser, "#/alice/c3/attempts");
    browser.wait_for_text("overloaded");
    at(&browser, "#/alice/c3/ask");
    browser.wait("document.querySelector('.ask tbody')?.textContent.startsWith('assistant1')");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// The picture in the README, of the demo. Without `PACTDB_PICTURE` it is only made, to see that it is small.
#[cfg(feature = "cli")]
#[test]
fn picture() {
    let served = Served::start(|_| {});
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pactdb"));
    let made = command.arg("demo").arg(served.path("demo")).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    let Some(browser) = opened(&served, "#/demo/c20/tree?node=cb:1z") else { return };
    browser.wait_for_text("Call and result");
    browser.wait("document.querySelector('.legend')?.textContent.includes('prefix break')");
    let picture = bytes_of(&browser.picture());
    assert!(picture.starts_with(b"\x89PNG") && picture.len() < 200_000, "{}", picture.len());
    if let Some(file) = std::env::var_os("PACTDB_PICTURE") {
        std::fs::write(file, picture).unwrap();
    }
}

/// Bytes out of base64.
fn bytes_of(text: &str) -> Vec<u8> {
    let letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for letter in text.bytes().filter_map(|byte| letters.iter().position(|one| *one == byte)) {
        bits = bits << 6 | u32::try_from(letter).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 255).unwrap());
        }
    }
    bytes
}
