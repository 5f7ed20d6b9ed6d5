//! pactdb
