//! What is legal in a selector but unwise, obsolete, or different in the other dialect.
//!
//! A function of the tree and the dialect; it never changes what a selector means and never makes
//! it an error. Warnings are for everybody; notes are for somebody who asks, as `explain` does.

use super::ast::DepthSet;
use super::ast::{
    At, AttrFilter, Base, Compound, Control, ControlKind, Filter, FilterForm, Hop, HopKind, Id,
    Link, Pseudo, Selector, Simple, Step, Test, TestKind, Time, TimeKind, TypeName, Value,
    ValueKind,
};
use super::ast::{Visit, visit_selector};
use super::canonical::{write_attrs, write_simple};
use super::diagnostics::{is_slip_for, nearest};
use super::dialect::Dialect;
use super::span::Span;
use super::words::{CONTROLS, DERIVED_FACETS, PseudoName};
use crate::model::{DERIVED, HEADERS, Held, header};

/// One piece of advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What it is about.
    pub kind: AdviceKind,
    /// Which part of the text.
    pub span: Span,
    /// What to know, in one line.
    pub message: String,
    /// What to write instead, where that is clear.
    pub suggestion: Option<String>,
}

/// What a piece of advice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AdviceKind {
    /// A control that nobody knows; it is ignored.
    UnknownControl,
    /// ttl or cad in braces; they belong in brackets.
    BehaviourInBraces,
    /// A type name that looks like a misspelt pseudo.
    LikelyPseudo,
    /// An attribute of somebody's own that looks like a misspelt header.
    LikelyHeader,
    /// `#` with the text of an id where it means a key.
    KeyLooksLikeId,
    /// A relative time in a selector that uses the other generation's words.
    TimeOfOtherDialect,
    /// A relative time, which the other dialect reads differently.
    RelativeTime,
    /// `.base:name`, which the other dialect reads differently.
    TypeSuffix,
    /// A `[…]` behind white space, which the other dialect reads differently.
    DetachedBracket,
    /// A number compared with what is none.
    NotANumber,
    /// A filter that a region itself must pass, where one of what lies in it was probably meant.
    FilterOnRegion,
    /// A form that the newer generation replaced.
    Legacy,
}

impl AdviceKind {
    /// Whether it should be shown without being asked for.
    pub fn is_warning(self) -> bool {
        match self {
            AdviceKind::UnknownControl
            | AdviceKind::BehaviourInBraces
            | AdviceKind::LikelyPseudo
            | AdviceKind::LikelyHeader
            | AdviceKind::KeyLooksLikeId
            | AdviceKind::NotANumber
            | AdviceKind::TimeOfOtherDialect => true,
            AdviceKind::RelativeTime
            | AdviceKind::TypeSuffix
            | AdviceKind::DetachedBracket
            | AdviceKind::FilterOnRegion
            | AdviceKind::Legacy => false,
        }
    }
}

/// Everything worth knowing about a selector, in the order of the text.
pub fn advise(selector: &Selector, dialect: Dialect) -> Vec<Advice> {
    let mut adviser = Adviser { dialect, foreign: false, found: Vec::new() };
    visit_selector(selector, &mut adviser);
    if let Some(Time { at, kind: TimeKind::Relative(_) | TimeKind::RelativeRange(..), .. }) =
        &selector.time
    {
        adviser.relative_time(*at);
    }
    adviser.found.sort_by_key(|advice| advice.span.start);
    adviser.found
}

struct Adviser {
    dialect: Dialect,
    /// A word of the other generation was met.
    foreign: bool,
    found: Vec<Advice>,
}

impl Adviser {
    fn say(&mut self, kind: AdviceKind, at: At, message: String, suggestion: Option<String>) {
        self.found.push(Advice { kind, span: at.0, message, suggestion });
    }

    fn relative_time(&mut self, at: At) {
        let kind = match self.foreign {
            true => AdviceKind::TimeOfOtherDialect,
            false => AdviceKind::RelativeTime,
        };
        let message = match self.dialect {
            Dialect::V0_1 => {
                "in dialect 0.1 `@t0` is the newest snapshot; in 1.0 it is the working state"
            }
            Dialect::V1_0 => {
                "in dialect 1.0 `@t0` is the working state and `@t-1` the newest snapshot; in 0.1 \
                 `@t0` is the newest snapshot"
            }
        };
        self.say(kind, at, message.to_owned(), None);
    }

    fn type_suffix(&mut self, type_name: &TypeName, name: &str) {
        let message = match self.dialect {
            Dialect::V0_1 => format!(
                "in dialect 0.1 `:{name}` also matches by kind; in 1.0 it is only a node type"
            ),
            Dialect::V1_0 => {
                format!("in dialect 1.0 `:{name}` is a node type and not a kind; 0.1 matches both")
            }
        };
        let suggestion = match self.dialect {
            Dialect::V0_1 => None,
            Dialect::V1_0 => Some(format!(".{name}, or .{}[kind='{name}']", type_name.base)),
        };
        self.say(AdviceKind::TypeSuffix, type_name.at, message, suggestion);
    }

    fn detached_bracket(&mut self, at: At) {
        let message = "a `[…]` behind white space begins a descendant step in dialect 0.1 and \
                       filters the chain in 1.0";
        let suggestion = match self.dialect {
            Dialect::V0_1 => "`*[…]` for a step, `{…}` for a filter",
            Dialect::V1_0 => "`{…}`, which filters in both",
        };
        self.say(AdviceKind::DetachedBracket, at, message.to_owned(), Some(suggestion.to_owned()));
    }
}

/// The regions that a compound is kept to, if its depths are those of regions alone and it has a
/// filter that they must pass.
fn filtered_regions(compound: &Compound) -> Option<&'static str> {
    let is_turn =
        |name: &TypeName| name.name.is_none() && Base::from_name(&name.base) == Some(Base::Turn);
    let (mut turn, mut filter, mut depths) = (false, false, None);
    for simple in &compound.simples {
        match simple {
            Simple::Type(name) => turn |= is_turn(name),
            Simple::Attrs(_) | Simple::Tag(_) => filter = true,
            Simple::Pseudo(_, Pseudo::Depth(depth)) => {
                let depth = DepthSet::from_expr(depth);
                depths = Some(depths.map_or(depth.clone(), |all: DepthSet| all.and(&depth)));
            }
            _ => {}
        }
    }
    let depths = depths.filter(|_| turn && filter)?;
    let turns = depths.and(&DepthSet::span(1, i64::MAX)) != DepthSet::none();
    match (turns, depths.contains(-1), depths.contains(0)) {
        (false, true, true) => Some("`^sys` and `^ah` themselves"),
        (false, true, false) => Some("`^sys` itself"),
        (false, false, true) => Some("`^ah` itself"),
        _ => None,
    }
}

/// The compound with a space before its filters, so that they are asked of what lies below.
fn with_a_space(compound: &Compound, dialect: Dialect) -> String {
    let stays = |simple: &&Simple| match simple {
        Simple::Root(..) | Simple::Id(_) | Simple::Type(_) | Simple::Any(_) => true,
        Simple::Pseudo(_, pseudo) => matches!(pseudo, Pseudo::Depth(_) | Pseudo::Offset(_)),
        Simple::Attrs(_) | Simple::Tag(_) => false,
    };
    let (front, back): (Vec<&Simple>, Vec<&Simple>) = compound.simples.iter().partition(stays);
    let mut text = String::new();
    front.into_iter().for_each(|simple| write_simple(&mut text, simple, dialect));
    text.push(' ');
    match back.first() {
        Some(Simple::Attrs(AttrFilter { form: FilterForm::Square, .. }))
            if dialect.bracket_descends() => {}
        _ => text.push('*'),
    }
    for simple in back {
        match simple {
            Simple::Attrs(filter) if filter.form == FilterForm::Group => {
                write_attrs(&mut text, filter, FilterForm::Square);
            }
            simple => write_simple(&mut text, simple, dialect),
        }
    }
    text
}

impl Visit for Adviser {
    fn step(&mut self, step: &Step) {
        if let Step::Compound(compound) = step
            && let Some(regions) = filtered_regions(compound)
        {
            let message = format!("this filter is asked of {regions}, not of what lies below");
            let suggestion = with_a_space(compound, self.dialect);
            self.say(AdviceKind::FilterOnRegion, compound.at, message, Some(suggestion));
        }
    }

    fn control(&mut self, control: &Control) {
        if let ControlKind::Unknown(name, _) = &control.kind {
            let message = format!("the control `@{name}` is not known and is ignored");
            let suggestion = match name.as_str() {
                "*" => Some("`@*` in front, for every snapshot".to_owned()),
                name => nearest(name, CONTROLS).map(|near| format!("@{near}")),
            };
            self.say(AdviceKind::UnknownControl, control.at, message, suggestion);
        }
    }

    fn id(&mut self, id: &Id) {
        let base = id.text.split_once(':').and_then(|(base, _)| Base::from_name(base));
        if self.dialect.hash_is_key() && base.is_some() {
            let message =
                format!("in dialect 1.0 `#{}` is a key, and this looks like an id", id.text);
            self.say(
                AdviceKind::KeyLooksLikeId,
                id.at,
                message,
                Some(format!("{{id='{}'}}", id.text)),
            );
        }
    }

    fn type_name(&mut self, type_name: &TypeName) {
        let base = Base::from_name(&type_name.base);
        let other = self.dialect.other().word_index();
        self.foreign |= base.is_some_and(|base| base.names()[other] == type_name.base);
        let Some(name) = &type_name.name else { return };
        let pseudos = PseudoName::ALL.map(PseudoName::name);
        let pseudo = pseudos.into_iter().find(|pseudo| is_slip_for(name, pseudo));
        if let Some(pseudo) = pseudo {
            let message = format!("`:{name}` is read as a type, and looks like `:{pseudo}`");
            let suggestion = Some(format!(".{}:{pseudo}", type_name.base));
            self.say(AdviceKind::LikelyPseudo, type_name.at, message, suggestion);
        } else if base.is_some() {
            self.type_suffix(type_name, name);
        }
    }

    fn attrs(&mut self, filter: &AttrFilter) {
        for test in &filter.tests {
            let name = &test.name.text;
            if let Some(header) = likely_header(name) {
                let message = format!("no header is called `{name}`, which looks like `{header}`");
                let suggestion = Some(format!("[{header}…]"));
                self.say(AdviceKind::LikelyHeader, test.name.at, message, suggestion);
            }
            if let (true, TestKind::Compare(op, value)) = (is_number(name), &test.kind)
                && *op != super::ast::Op::Match
                && let Some(text) = no_number(value)
            {
                let message = format!("`{name}` is a number, and `{text}` is none");
                self.say(AdviceKind::NotANumber, value.at, message, None);
            }
        }
        if filter.form != FilterForm::Brace {
            return;
        }
        for test in filter.tests.iter().filter(|test| is_behaviour(test)) {
            let message = format!("`{}` is a behaviour and belongs in brackets", test.name.text);
            let suggestion = Some(format!("[{}…]", test.name.text));
            self.say(AdviceKind::BehaviourInBraces, test.at, message, suggestion);
        }
    }

    fn link(&mut self, link: &Link) {
        if let Step::Compound(compound) = &link.step
            && link.combinator == super::ast::Combinator::Descendant
            && let Some(Simple::Attrs(AttrFilter { at, form: FilterForm::Square, .. })) =
                compound.simples.first()
        {
            self.detached_bracket(*at);
        }
    }

    fn detached(&mut self, filter: &Filter) {
        if let Filter::Attrs(AttrFilter { at, form: FilterForm::Square, .. }) = filter
            && self.dialect == Dialect::V1_0
        {
            self.detached_bracket(*at);
        }
    }

    fn pseudo(&mut self, at: At, pseudo: &Pseudo) {
        if self.dialect == Dialect::V1_0 && matches!(pseudo, Pseudo::Depth(_)) {
            let message = "dialect 1.0 replaced `:depth(…)` by depth steps".to_owned();
            self.say(AdviceKind::Legacy, at, message, Some("`d1` or `d1..d3`".to_owned()));
        }
    }

    fn hop(&mut self, hop: &Hop) {
        if self.dialect == Dialect::V1_0
            && let HopKind::Child(name) = &hop.kind
            && Base::from_name(&name.base) == Some(Base::Container)
            && let [Simple::Attrs(filter)] = &hop.simples[..]
            && let [Test { name: attr, kind: TestKind::Compare(super::ast::Op::Eq, value), .. }] =
                &filter.tests[..]
            && attr.text == "offset"
            && let ValueKind::Number(offset) = &value.kind
        {
            let message = format!("dialect 1.0 writes an offset as a plain number: `{offset}`");
            self.say(AdviceKind::Legacy, hop.at, message, Some(offset.clone()));
        }
    }
}

/// The header that an attribute's name is probably a slip for. Names with a name space are
/// somebody's own, and short headers are near to too much.
fn likely_header(name: &str) -> Option<&'static str> {
    let own = name.contains(':') || name.starts_with("data_") || name.starts_with("content_");
    let known = || HEADERS.into_iter().chain(DERIVED);
    if own || name.len() < 3 || known().any(|header| header == name) {
        return None;
    }
    nearest(name, known().filter(|header| header.len() > 3))
}

/// Whether an attribute is compared as a number (R6.5).
fn is_number(name: &str) -> bool {
    let derived = DERIVED_FACETS.contains(&name);
    derived || header(name).is_some_and(|header| matches!(header.held, Held::Number(_)))
}

/// The text of a value that is neither a number nor null.
fn no_number(value: &Value) -> Option<&str> {
    let (ValueKind::Text(text) | ValueKind::Word(text)) = &value.kind else { return None };
    text.parse::<f64>().is_err().then_some(text.as_str())
}

fn is_behaviour(test: &Test) -> bool {
    matches!(test.name.text.as_str(), "ttl" | "cad")
}
