//! The formats that can be imported, by their names.

/// A format that can be imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Snapshot exports, one or a series.
    Pact,
    /// Messages with a role (or tag) and a content.
    Flat,
    /// Messages of the OpenAI chat API.
    OpenaiChat,
    /// Items of the OpenAI Responses API.
    OpenaiResponses,
    /// Messages of the Anthropic API.
    Anthropic,
    /// A session file of Claude Code.
    ClaudeCode,
    /// A session file of Codex.
    Codex,
}

impl Format {
    /// All of them.
    pub const ALL: [Format; 7] = [
        Format::Pact,
        Format::Flat,
        Format::OpenaiChat,
        Format::OpenaiResponses,
        Format::Anthropic,
        Format::ClaudeCode,
        Format::Codex,
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Format::Pact => "pact",
            Format::Flat => "flat",
            Format::OpenaiChat => "openai-chat",
            Format::OpenaiResponses => "openai-responses",
            Format::Anthropic => "anthropic",
            Format::ClaudeCode => "claude-code",
            Format::Codex => "codex",
        }
    }

    /// The format of that name.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }
}
