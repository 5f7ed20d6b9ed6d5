//! A real browser: Chromium without a window, driven over the WebDriver protocol (HTTP and JSON).
//!
//! Where there is no browser, tests that need one are left out, and that is said; with `PACTDB_BROWSER=1`
//! they fail instead.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long anything may take until it is seen.
const PATIENCE: Duration = Duration::from_secs(30);

/// Browsers need much of a small machine: there is one at a time.
static ALONE: Mutex<()> = Mutex::new(());

/// The key codes of WebDriver.
pub const ENTER: &str = "\u{e007}";
pub const ESCAPE: &str = "\u{e00c}";
pub const LEFT: &str = "\u{e012}";
pub const DOWN: &str = "\u{e015}";
pub const RIGHT: &str = "\u{e014}";
pub const TAB: &str = "\u{e004}";
pub const HOME: &str = "\u{e011}";
pub const END: &str = "\u{e010}";

/// A browser with one window.
pub struct Browser {
    driver: Child,
    address: SocketAddr,
    session: String,
    _alone: MutexGuard<'static, ()>,
}

impl Browser {
    /// Opens one; none if there is no browser on this machine.
    pub fn open() -> Option<Browser> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null());
        let mut driver = match command.spawn() {
            Ok(driver) => driver,
            Err(error) => {
                let needed = std::env::var_os("PACTDB_BROWSER").is_some();
                assert!(!needed, "PACTDB_BROWSER is set, and chromedriver cannot be run: {error}");
                let text = "left out: there is no chromedriver to drive a browser with\n";
                let _ = std::io::stderr().write_all(text.as_bytes());
                return None;
            }
        };
        let mut lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.find_map(|line| {
            let line = line.unwrap();
            let (_, port) = line.rsplit_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        // What it says later is read, so that it never waits to say it.
        std::thread::spawn(move || lines.for_each(drop));
        let address = SocketAddr::from(([127, 0, 0, 1], port.unwrap()));
        let mut browser = Browser { driver, address, session: String::new(), _alone: alone };
        let options = json!({"args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage",
            "--window-size=1280,800", "--allow-file-access-from-files=false"]});
        let wanted = json!({"capabilities": {"alwaysMatch": {"goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"}}}});
        let begun = browser.command("POST", "/session", &wanted);
        browser.session = begun["sessionId"].as_str().unwrap().to_owned();
        browser.resize(1280, 800);
        Some(browser)
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let answer = exchange(self.address, method, path, &body).unwrap();
        let mut value: Value = serde_json::from_str(&answer).unwrap();
        assert!(value["value"]["error"].is_null(), "{path}: {value}");
        value["value"].take()
    }

    fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        self.command(method, &format!("/session/{}{path}", self.session), body)
    }

    /// Sets the size of what is seen.
    pub fn resize(&self, width: u32, height: u32) {
        let params =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        let command = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": params});
        self.ask("POST", "/goog/cdp/execute", &command);
    }

    /// Goes to an address.
    pub fn go(&self, url: &str) {
        self.ask("POST", "/url", &json!({"url": url}));
    }

    /// What a script returns.
    pub fn run(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", &json!({"script": script, "args": []}))
    }

    /// Waits until an expression is true.
    pub fn wait(&self, expression: &str) -> Value {
        let start = Instant::now();
        loop {
            let value = self.run(&format!("return ({expression});"));
            if !matches!(value, Value::Null | Value::Bool(false)) && value != json!("") {
                return value;
            }
            if start.elapsed() > PATIENCE {
                let seen = self.run("return location.href + '\\n' + document.body.innerText");
                panic!("{expression} did not come true; {}", seen.as_str().unwrap_or(""));
            }
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Waits until the text of the page has some words.
    pub fn wait_for_text(&self, words: &str) {
        let words = serde_json::to_string(words).unwrap();
        self.wait(&format!("document.body.innerText.includes({words})"));
    }

    /// Presses keys, one after the other, wherever the focus is.
    pub fn keys(&self, keys: &[&str]) {
        let press = |key: &str| {
            [json!({"type": "keyDown", "value": key}), json!({"type": "keyUp", "value": key})]
        };
        let letters = keys.iter().flat_map(|text| text.chars());
        let actions: Vec<Value> = letters.flat_map(|key| press(&key.to_string())).collect();
        let source = json!({"type": "key", "id": "keys", "actions": actions});
        self.ask("POST", "/actions", &json!({"actions": [source]}));
    }

    /// Drags inside of an element from one number of pixels to another, at half its height.
    pub fn drag(&self, selector: &str, from: f64, to: f64) {
        let place = self.run(&format!(
            "const r = document.querySelector('{selector}').getBoundingClientRect(); return [r.x, r.y + r.height / 2];"
        ));
        let number = |i: usize| place[i].as_f64().unwrap();
        let at = |pixels: f64| {
            let (x, y) = (number(0) + pixels, number(1));
            json!({"type": "pointerMove", "duration": 20, "x": x as i64, "y": y as i64})
        };
        let button = |what: &str| json!({"type": what, "button": 0});
        let middle = at((from + to) / 2.0);
        let actions = json!([at(from), button("pointerDown"), middle, at(to), button("pointerUp")]);
        let kind = json!({"pointerType": "mouse"});
        let source =
            json!({"type": "pointer", "id": "mouse", "parameters": kind, "actions": actions});
        self.ask("POST", "/actions", &json!({"actions": [source]}));
    }

    /// A picture of what is seen, as PNG in base64.
    pub fn picture(&self) -> String {
        self.ask("GET", "/screenshot", &Value::Null).as_str().unwrap().to_owned()
    }

    /// What the browser complained of, but for answers that were refused.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.ask("POST", "/se/log", &json!({"type": "browser"}));
        let lines = log.as_array().unwrap().iter().filter(|line| line["level"] == "SEVERE");
        let texts = lines.map(|line| line["message"].as_str().unwrap_or("").to_owned());
        texts.filter(|text| !text.contains("Failed to load resource")).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // A test that failed must not leave its browser behind, nor fail once more here.
        let _ = exchange(self.address, "DELETE", &format!("/session/{}", self.session), "");
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// Sends one request. The driver keeps the connection, so the length of its answer is looked at.
fn exchange(address: SocketAddr, method: &str, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    let head = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes())?;
    let mut reader = BufReader::new(stream);
    let (mut length, mut line) = (0, String::new());
    while reader.read_line(&mut line)? > 2 {
        let lower = line.to_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
        line.clear();
    }
    let mut answer = vec![0; length];
    reader.read_exact(&mut answer)?;
    String::from_utf8(answer).map_err(std::io::Error::other)
}
