//! SQL at the command line and in the REPL.

use crate::support::program::Folder;

fn store() -> Folder {
    let folder = Folder::new();
    folder.ok(&["demo", "memory.pactdb"]);
    folder
}

const BY_ROLE: &str = "select role, count(*) as n from pact('@t0 .cb') group by role order by 1";

#[test]
fn the_command_answers_in_every_form() {
    let folder = store();
    assert_eq!(
        folder.ok(&["sql", BY_ROLE]),
        "role        n\nassistant  38\nsystem      2\ntool        1\nuser       25\n"
    );
    assert_eq!(
        folder.ok(&[
            "sql",
            "--csv",
            "select 'a,b' as x, null as y, '\"' as z union select 'c', 1, 2"
        ]),
        "x,y,z\n\"a,b\",,\"\"\"\"\nc,1,2\n"
    );
    assert_eq!(
        folder.ok(&["sql", "--jsonl", "select 1 as a, 'x' as b"]),
        "{\"a\":1,\"b\":\"x\"}\n"
    );
    assert_eq!(
        folder.ok(&["--json", "sql", "select born from lives limit 1"]),
        "{\"ok\":{\"columns\":[{\"name\":\"born\",\"type\":\"INTEGER\"}],\"rows\":[[1]],\"truncated\":false}}\n"
    );
    assert_eq!(
        folder.ok(&["sql", "--param", "cb:1", "-p", "2", "select ?, ? + 1 as n"]),
        "?     n\ncb:1  3\n"
    );
    let ran = folder.run_with(&["sql", "-"], "select 1 as one\n");
    assert_eq!(ran.out, "one\n  1\n");
    // Nothing that goes into a pipe is cut.
    let long = folder.ok(&["sql", "select printf('%.*c', 3000, 'x') as x"]);
    assert_eq!(long.len(), 2 + 3001);
    assert_eq!(folder.ok(&["sql", "with recursive n(x) as (select 1 union all select x+1 from n where x<20000) select x from n"]).lines().count(), 20_001);
    let ran = folder.run_with(&["sql", "--limit", "2", "select id from lives"], "");
    assert!(ran.out.lines().count() == 3 && ran.err.contains("the first 2 rows"), "{}", ran.err);
    let explained = folder.ok(&["sql", "--explain", "select * from lives where id = 'x'"]);
    assert_eq!(explained, folder.ok(&["explain", "select * from lives where id = 'x'"]));
    assert!(explained.contains("lives gets id = …"), "{explained}");
    let wrong = folder.fails(&["sql", "select beorn from lives"]);
    assert!(
        wrong.contains("E_SQL_INVALID") && wrong.contains("^^^^^") && wrong.contains("`born`"),
        "{wrong}"
    );
    assert!(folder.fails(&["sql", "drop table lives"]).contains("E_SQL_DENIED"));
    assert!(folder.ok(&["sql", "--tables"]).contains("each(RANGE, SELECTOR)"));
}

#[test]
fn a_line_that_begins_with_select_or_with_is_sql() {
    let folder = store();
    let script = "SELECT count(*) AS n FROM pact('@t0 .cb');\n\
                  with x(a) as (select 2) select a from x\n\
                  select 'two\nlines' as t\n\
                  .tables\n\
                  .schema lives\n\
                  .explain select * from lives where id = 'x'\n\
                  select\t1 as one\n";
    let ran = folder.run_with(&["run", "-"], script);
    assert!(ran.out.contains("n\n66\n") && ran.out.contains("a\n2\n"), "{}{}", ran.out, ran.err);
    for text in ["two\\nlines", "pact(SELECTOR)", "born", "lives gets id = …", "one\n  1\n"] {
        assert!(ran.out.contains(text), "{text}: {}{}", ran.out, ran.err);
    }
    let ran = folder.run_with(&["run", "-"], "select beorn from lives\n");
    assert!(ran.err.contains("E_SQL_INVALID") && ran.err.contains("`born`"), "{}", ran.err);
}

#[test]
fn tables_and_columns_are_completed() {
    let folder = store();
    let complete = |text: &str| {
        let request =
            format!("{{\"op\":\"complete\",\"text\":{}}}\n", serde_json::Value::from(text));
        let ran = folder.run_with(&["pipe"], &request);
        let reply: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
        (reply["ok"]["span"].clone(), reply["ok"]["candidates"].clone())
    };
    let (span, tables) = complete("select * from l");
    assert_eq!((span, tables), (serde_json::json!([14, 15]), serde_json::json!(["lives"])));
    let (_, tables) = complete("select * from p");
    assert_eq!(tables, serde_json::json!(["pact('"]));
    let (_, columns) = complete("select * from lives where bo");
    assert_eq!(columns, serde_json::json!(["born"]));
    let (span, inside) = complete("select * from pact('@t0 .cb[ro");
    assert_eq!(span, serde_json::json!([28, 30]));
    assert!(
        inside.as_array().unwrap().iter().any(|word| word.as_str().unwrap().starts_with("role")),
        "{inside}"
    );
}
