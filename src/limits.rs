//! Every bound of the engine, each with its reason. Errors quote them.

/// How deep lists and objects may nest in any JSON that is read. A snapshot nests two levels for
/// each level of the tree, so this has room for the deepest tree and the deepest content in it,
/// and stays far from the end of a thread's stack.
pub const MAX_JSON_NESTING: usize = 256;

/// The longest line of the pipe, and the longest record of an import, in bytes: room for the
/// largest content with an escape in most places. It is held whole while it is read.
pub const MAX_LINE_BYTES: usize = 256 << 20;

/// The most values in one JSON document that comes from outside, lists and objects themselves
/// included: a value of one byte takes dozens once it is read.
pub const MAX_JSON_VALUES: usize = 4_000_000;

/// How many bad records of an import are named; the rest are counted.
pub const MAX_BAD_NAMED: usize = 100;

/// How deep lists and objects may nest in a content or an attribute.
pub const MAX_VALUE_NESTING: usize = 100;

/// How deep containers may nest below a turn, `^sys` or `^ah`.
pub const MAX_TREE_DEPTH: usize = 64;

/// The longest id, key, type, role, kind, tag or attribute name, in bytes: they are index keys.
pub const MAX_NAME_BYTES: usize = 512;

/// The largest content of one block, in bytes. It is held in memory whole while it is written.
pub const MAX_CONTENT_BYTES: usize = 64 << 20;

/// The largest value of one attribute, in bytes as a content counts them. A content is stored apart
/// and read when it is asked for; an attribute is kept with its node, and read, hashed and written
/// with the whole turn that the node is in.
pub const MAX_ATTR_BYTES: usize = 4 << 20;

/// The most attributes of one node: each is a name in an index.
pub const MAX_ATTRS: usize = 4096;

/// The most tags, and the most refs, of one node: each is a row of an index, and is tried one by one.
pub const MAX_LIST_ITEMS: usize = 1 << 16;

/// The most that a node has beside its content, in bytes: its names, lists and attributes together.
pub const MAX_NODE_BYTES: usize = 16 << 20;

/// The most nodes below one turn, `^sys` or `^ah`: positions inside one are 32-bit numbers, and
/// such a part of the tree is written as a whole when it changes.
pub const MAX_SUBTREE_NODES: usize = 1 << 20;

/// The most operations in one batch; all of them are held in memory until they are durable.
pub const MAX_BATCH_OPS: usize = 100_000;

/// The greatest cycle, and the greatest value of a ttl, a cadence or an offset: sums of two of
/// them stay inside 64 bits.
pub const MAX_NUMBER: i64 = 1 << 52;

/// The latest time that a node can be given, in nanoseconds since 1970: a day in 2255. Every node
/// is made after the one before it, so there must be time left after any that is given.
pub const MAX_TIME_NS: i64 = 9_000_000_000_000_000_000;

/// Memory for what was read, in bytes: half of it for pages of the file, half for the parts of the tree
/// and the contents in them.
pub const CACHE_BYTES: u64 = 128 << 20;

/// Commits between two flushes of the indexes. Opening a store reads at most this many commits
/// again; the index writes of this many commits share their pages.
pub const CHECKPOINT_EVERY: u64 = 64;

/// Most buckets of a timeline: more than a screen has pixels for, and a reply that a page reads at once.
pub const MAX_TIMELINE_BUCKETS: u64 = 2_000;

/// Longest text of a selector, in bytes. A selector is a line that a person or a model writes;
/// this leaves room for machine-made lists of ids and keeps each parse under a millisecond or so.
pub const MAX_SELECTOR_BYTES: usize = 64 * 1024;

/// Longest text of a statement, in bytes: room for the largest content with an escape everywhere.
/// What stands outside quotes is bounded like a selector.
pub const MAX_STATEMENT_BYTES: usize = 2 * MAX_CONTENT_BYTES + MAX_SELECTOR_BYTES;

/// Deepest nesting of brackets of any kind. The tree of a chain in parentheses is walked and
/// dropped by recursion; this keeps that far from the end of any stack.
pub const MAX_NESTING: usize = 32;

/// Most steps of one selector, over all its groups: each one may cost a pass over the tree.
pub const MAX_STEPS: usize = 1024;

/// Most tests of one selector, tags and ids included: each one is tried on every candidate.
pub const MAX_TESTS: usize = 4096;

/// Most numbers in the depth expressions of one selector: they are searched one after the other.
pub const MAX_DEPTH_NUMBERS: usize = 1024;

/// Most values in the lists of one selector.
pub const MAX_LIST_VALUES: usize = 8192;

/// The most memory that one compiled regular expression may take, in bytes. It bounds the time of
/// a search too: the engine is linear in the text, with this as the factor.
pub const MAX_PATTERN_BYTES: usize = 1 << 20;

/// Most regular expressions in one selector: their compiled forms are held together.
pub const MAX_PATTERNS: usize = 64;

/// Most lines or words on either side of a content diff. Finding the shortest diff takes time
/// with the product of the two; beyond this only the sizes are reported.
pub const MAX_DIFF_PIECES: usize = 20_000;

/// The most processes that are attached to one store: each has two threads in the process that holds
/// it.
pub const MAX_CONNECTIONS: usize = 64;

/// Longest text of a question in SQL, in bytes.
pub const MAX_SQL_TEXT_BYTES: usize = 1 << 20;

/// The most values that the tables hand to one question in SQL: SQLite sorts and groups them in memory.
pub const MAX_SQL_VALUES: u64 = 1 << 26;

/// The most bytes of texts that the tables hand to one question in SQL.
pub const MAX_SQL_BYTES: u64 = 4 << 30;

/// The longest text that SQL may make, in bytes: room for the largest content.
pub const MAX_SQL_VALUE_BYTES: usize = 2 * MAX_CONTENT_BYTES;

/// The rows of an answer in SQL, unless the request says otherwise.
pub const SQL_ROWS: u64 = 10_000;

/// The most bytes of an answer in SQL: it is one line, and held whole.
pub const MAX_SQL_REPLY_BYTES: usize = 64 << 20;

/// How deep expressions may nest in SQL, and how many questions one may unite: both are walked by
/// recursion.
pub const MAX_SQL_DEPTH: usize = 100;
