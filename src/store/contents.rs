//! Reading contents through the cache, or many along the log without keeping them.

use super::reader::StoreReader;
use crate::json::Json;
use crate::log::{each_content, get_content};
use crate::model::{ContentRef, ReadError};
use crate::snapshot::{Body, Contents};
use std::sync::Arc;

/// How many contents are read at once.
const SCAN: usize = 1024;

impl Contents for StoreReader {
    fn content(&self, content: &ContentRef) -> Result<Arc<Json>, ReadError> {
        let key = (content.seq, content.item);
        if let Some(content) = self.contents.get(&key) {
            return Ok(content);
        }
        let value = Arc::new(self.with(|view| get_content(view.log()?, key))?);
        self.contents.insert(key, value.clone());
        Ok(value)
    }

    fn each(
        &self,
        list: &[ContentRef],
        each: &mut dyn FnMut(usize, Body<'_>),
    ) -> Result<(), ReadError> {
        for (i, chunk) in list.chunks(SCAN).enumerate() {
            let each = &mut |k: usize, body: Body<'_>| each(i * SCAN + k, body);
            self.with(|view| each_content(view.log()?, chunk, each))?;
        }
        Ok(())
    }
}
