//! Questions in text: selectors, answered with ids, nodes, differences or an explanation.
//!
//! Each is asked of one view of the store. Names that nothing has are said beside an answer.

use super::handle::Db;
use super::ops::{Diff, Select};
use super::unknown::unknown_names;
use super::view::View;
use crate::code::Code;
use crate::error::{Error, Result};
use crate::language::ast::{PlaceKind, Selector};
use crate::language::{Dialect, parse_place};
use crate::query::{
    self, Counted, DiffBlock, DiffReply, Explanation, QueryError, Question, RangeDiffLatestResult,
    RangeStats, ReadStates, RichDiffReply, SelectOptions, Selected, SelectedNodes,
};
use std::cell::Cell;
use std::sync::Arc;

impl Db {
    /// The dialect that queries of this store are in unless they say otherwise.
    pub fn dialect(&self) -> Dialect {
        Dialect::from(self.generation())
    }

    /// Answers a selector: ids, or what changed from cycle to cycle.
    ///
    /// ```
    /// use pactdb::{Add, Commit, Db, Generation, Select, Selected};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?").id("q1"))?;
    /// db.commit(Commit::new())?;
    /// db.add(Add::user("And the door?").id("q2"))?;
    /// db.commit(Commit::new())?;
    /// assert_eq!(db.select("@t0 .cb[role='user']")?.ids().len(), 2);
    /// assert_eq!(db.select(Select::new("@* .cb").limit(1))?.ids().len(), 1);
    /// // Of a range it says what changed from one snapshot to the next.
    /// let Selected::Range(range) = db.select("@c1..@c2 .cb")? else { unreachable!() };
    /// assert_eq!(range.diffs.len(), 1);
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn select(&self, question: impl Into<Select>) -> Result<Selected> {
        let mut diffs = Vec::new();
        let mut keep = |block| {
            diffs.push(block);
            true
        };
        Ok(match self.select_by_block(question.into(), &mut keep)? {
            Selected::Range(range) => Selected::Range(RangeDiffLatestResult { diffs, ..range }),
            ids => ids,
        })
    }

    /// The same; what changed over a range is given to `each` block by block, newest first, and is not
    /// in the answer. It ends early if that says no.
    pub(crate) fn select_by_block(
        &self,
        question: Select,
        each: &mut dyn FnMut(DiffBlock) -> bool,
    ) -> Result<Selected> {
        let Select { q, dialect, options } = question;
        let dialect = dialect.unwrap_or(self.dialect());
        let view = self.view();
        let changes = Cell::new(false);
        let mut each = |block: DiffBlock| {
            changes.set(changes.get() || block.stats != RangeStats::default());
            each(block)
        };
        let mut answer = || {
            let selector = self.selector(&q, dialect)?;
            let mut answer = query::answer_by_block(&*view, &q, &selector, &options, &mut each)?;
            let (found_some, warnings) = match &mut answer {
                Selected::Ids { ids, warnings } => (!ids.is_empty(), warnings),
                Selected::Range(range) => (changes.get(), &mut range.warnings),
            };
            warnings.extend(self.unknown(&view, &selector, dialect, found_some, options.typed)?);
            Ok(answer)
        };
        answer().map_err(|error: QueryError| Error::from(error).in_text(&q))
    }

    /// What to say of names that nothing has, where a question found nothing or a person asked.
    fn unknown(
        &self,
        view: &View,
        selector: &Selector,
        dialect: Dialect,
        found_some: bool,
        typed: bool,
    ) -> std::result::Result<Vec<String>, QueryError> {
        if found_some && !typed {
            return Ok(Vec::new());
        }
        let states = query::states_read(view, selector, dialect)?;
        Ok(unknown_names(view, selector, dialect, states, found_some)?)
    }

    /// What to say of names that nothing has in a selector of the store's dialect; nothing if it is no
    /// selector.
    pub(crate) fn unknown_names_in(&self, text: &str) -> Result<Vec<String>> {
        let dialect = self.dialect();
        let Ok(selector) = self.selector(text, dialect) else { return Ok(Vec::new()) };
        Ok(self.unknown(&self.view(), &selector, dialect, true, true)?)
    }

    /// An edit's error; where nothing matched because of a name that nothing has, it says so.
    pub(super) fn with_unknown_names(&self, mut error: Error) -> Error {
        let dialect = self.dialect();
        let (Code::NodeNotFound | Code::InvalidParent, Some(text)) =
            (error.code, &error.details.text)
        else {
            return error;
        };
        let selector = match parse_place(text, dialect).map(|place| place.kind) {
            Ok(PlaceKind::Under(selector)) => selector,
            _ => return error,
        };
        // What is said beside an error is not worth another one.
        let unknown = self.unknown(&self.view(), &selector, dialect, false, false);
        if let Some(hint) = unknown.ok().and_then(|unknown| unknown.into_iter().next()) {
            let (mut said, old) = (hint, error.details.hint.take().unwrap_or_default());
            let plain = error.message.strip_suffix(&format!(" ({old})")).map(str::to_owned);
            if plain.is_some() {
                said = format!("{said}; {old}");
            }
            error.message = format!("{} ({said})", plain.unwrap_or(error.message));
            error.details.hint = Some(said);
        }
        error
    }

    /// A selector, read now or before.
    pub(crate) fn selector(
        &self,
        text: &str,
        dialect: Dialect,
    ) -> std::result::Result<Arc<Question>, QueryError> {
        if let Some(known) = self.inner.selectors.get(&Asked(dialect, text)) {
            return Ok(known);
        }
        let selector = Arc::new(Question::read(text, dialect)?);
        self.inner.selectors.insert((dialect, text.into()), selector.clone());
        Ok(selector)
    }

    /// Answers a selector with node objects.
    ///
    /// ```
    /// use pactdb::{Add, Db, Generation, Json};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// db.add(Add::user("Where is the key?"))?;
    /// let found = db.nodes("^ah .cb[role='user']")?.nodes;
    /// assert_eq!(found[0]["content"], Json::from("Where is the key?"));
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn nodes(&self, question: impl Into<Select>) -> Result<SelectedNodes> {
        let Select { q, dialect, options } = question.into();
        let (view, dialect) = (self.view(), dialect.unwrap_or(self.dialect()));
        let answer = || {
            let selector = self.selector(&q, dialect)?;
            let mut found = query::nodes_of(&*view, &selector, &options)?;
            let found_some = !found.nodes.is_empty();
            let unknown = self.unknown(&view, &selector, dialect, found_some, options.typed)?;
            found.warnings.extend(unknown);
            Ok(found)
        };
        answer().map_err(|error: QueryError| Error::from(error).in_text(&q))
    }

    /// What changed between two states, from the older to the newer one; not in detail, whatever
    /// the request says about that. For an example see [`Diff`].
    pub fn diff(&self, request: &Diff) -> Result<DiffReply> {
        let dialect = request.dialect.unwrap_or(self.dialect());
        let (a, b) = (request.a.as_deref(), request.b.as_deref());
        let text = request.q.as_deref().unwrap_or("*");
        Ok(query::diff(&*self.view(), a, b, text, dialect)?)
    }

    /// The same in more detail, whatever the request says about that. For an example of a request
    /// see [`Diff`].
    pub fn rich_diff(&self, request: &Diff) -> Result<RichDiffReply> {
        let dialect = request.dialect.unwrap_or(self.dialect());
        let (a, b) = (request.a.as_deref(), request.b.as_deref());
        let text = request.q.as_deref().unwrap_or("*");
        Ok(query::rich_diff(&*self.view(), a, b, text, dialect)?)
    }

    /// Which states a selector is about; nothing is read.
    pub(crate) fn asked(&self, text: &str, dialect: Option<Dialect>) -> Result<ReadStates> {
        let dialect = dialect.unwrap_or(self.dialect());
        self.selector(text, dialect)
            .and_then(|selector| query::states_read(&*self.view(), &selector, dialect))
            .map_err(|error| Error::from(error).in_text(text))
    }

    /// What a selector means, what it will read, and what could be written better.
    ///
    /// ```
    /// use pactdb::{Db, Generation};
    /// # let folder = tempfile::tempdir().unwrap();
    /// # let db = Db::create(folder.path().join("a.pactdb"), Generation::V0_1)?;
    /// let explained = db.explain("^ah .cb[role='user']", None)?;
    /// assert!(!explained.plan.is_empty());
    /// # Ok::<(), pactdb::Error>(())
    /// ```
    pub fn explain(&self, text: &str, dialect: Option<Dialect>) -> Result<Explanation> {
        self.explain_typed(text, dialect, false)
    }

    /// The same of a selector that a person typed, perhaps, see [`query::SelectOptions::typed`].
    pub(crate) fn explain_typed(
        &self,
        text: &str,
        dialect: Option<Dialect>,
        typed: bool,
    ) -> Result<Explanation> {
        let (view, dialect) = (self.view(), dialect.unwrap_or(self.dialect()));
        let explained = || {
            let mut explained = query::explain_typed(&*view, text, dialect, typed)?;
            let selector = self.selector(text, dialect)?;
            explained.advice.extend(self.unknown(&view, &selector, dialect, true, true)?);
            Ok(explained)
        };
        explained().map_err(|error: QueryError| Error::from(error).in_text(text))
    }

    /// How many nodes a selector that a person typed finds without its limit, and whether there may
    /// be more; none if it is about a range.
    pub(crate) fn count(&self, text: &str, dialect: Option<Dialect>) -> Result<Option<Counted>> {
        let (view, dialect) = (self.view(), dialect.unwrap_or(self.dialect()));
        let counted = || {
            let options = SelectOptions { typed: true, ..SelectOptions::default() };
            let plan = query::resolve(&*self.selector(text, dialect)?, &*view, &options)?;
            Ok(query::count_all(&*view, &plan)?)
        };
        counted().map_err(|error: QueryError| Error::from(error).in_text(text))
    }
}

/// A selector that is looked up by its text, without a copy of it.
#[derive(Hash)]
struct Asked<'a>(Dialect, &'a str);

impl quick_cache::Equivalent<(Dialect, Box<str>)> for Asked<'_> {
    fn equivalent(&self, known: &(Dialect, Box<str>)) -> bool {
        (self.0, self.1) == (known.0, &*known.1)
    }
}
