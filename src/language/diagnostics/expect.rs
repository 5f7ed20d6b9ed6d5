//! What the grammar could have read next, in people's words.
//!
//! Takes the names of terminals as the grammar file spells them and groups them: nobody wants to
//! read twelve ways to begin a step. A terminal without words here is left out of messages.

/// Names of terminals to a short list of phrases.
pub(crate) fn phrases(expected: &[String]) -> Vec<String> {
    let has = |name: &str| expected.iter().any(|terminal| terminal == name);
    let mut out = Vec::new();
    let mut say = |when: bool, phrase: &str| {
        if when {
            out.push(phrase.to_owned());
        }
    };
    // Behind a part of a step something else may always follow.
    let follows = has("Comma") || has("CloseRound");
    let step = has("RootName") && (has("DepthNumber") || !follows);
    let part = has("RootName") && !step;
    let value = has("Word") && has("Text") && has("Number");
    let hop = has("Word") && has("Star");
    let operator = has("Less") && has("Equals");

    say(has("TimeRelative") && !has("BareEnd"), "a time");
    say(has("BareEnd"), "the other end of the range");
    say(step, "a step");
    say(part, "more of this step");
    say(has("OpenPosition") || has("OpenChain"), "`(`");
    say(has("GapTime") || has("GapStep"), "white space");
    say(has("GapFilter") && !has("GapStep"), "a filter");
    say(!has("RootName") && has("OpenSquare"), "`[`");
    say(!has("RootName") && has("OpenBrace"), "`{`");
    say(has("GapControl"), "a control");
    say(has("Child"), "`>`");
    say(has("Fallback"), "`??`");
    say(hop, "an element of a position");
    say(has("DepthNumber") && !has("RootName"), "a depth such as `d1`");
    say(has("Name"), "the name of an attribute");
    say(operator, "an operator");
    say(has("Equals") && !operator, "`=`");
    say(has("Less") && !operator, "a comparison");
    say(value, "a value");
    say(has("Number") && !value && !hop, "a number");
    say(has("OpenSet"), "`{`");
    say(has("OpenArray"), "a list such as `['a', 'b']`");
    say(has("OpenGroup"), "`(`");
    say(has("OpenArgs"), "`(` and an argument");
    say(has("OpenHas") || has("OpenNot"), "`(`");
    say(has("Text") && !value && !has("Name"), "a quoted text");
    say(has("KwJson"), "`json` and a quoted value");
    say(has("KwTo"), "`to`");
    say(has("KwEnd"), "`end`");
    say(has("KwForce"), "`force`");
    say(has("KwDiscard"), "`discard`");
    say(has("Dots"), "`..`");
    say(has("RangeMark"), "`..`");
    say(has("Comma"), "`,`");
    say(has("CloseRound"), "`)`");
    say(has("CloseSquare"), "`]`");
    say(has("CloseBrace"), "`}`");
    out.dedup();
    out
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn either(phrases: &[String]) -> String {
    match phrases {
        [] => String::new(),
        [only] => only.clone(),
        [front @ .., last] => format!("{} or {last}", front.join(", ")),
    }
}
