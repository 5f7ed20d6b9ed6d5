//! The formats that can be imported, by their names.

use crate::named::named;

named! {
    /// A format that can be imported.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Format {
        /// Snapshot exports, one or a series.
        Pact = "pact",
        /// Messages with a role (or tag) and a content.
        Flat = "flat",
        /// Messages of the OpenAI chat API.
        OpenaiChat = "openai-chat",
        /// Items of the OpenAI Responses API.
        OpenaiResponses = "openai-responses",
        /// Messages of the Anthropic API.
        Anthropic = "anthropic",
        /// A session file of Claude Code.
        ClaudeCode = "claude-code",
        /// A session file of Codex.
        Codex = "codex",
    }
}
