//! Storage in memory that outlives the store on it, so a test can open it again.

use redb::StorageBackend;
use std::io;
use std::sync::{Arc, Mutex};

/// Bytes that clones share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<Vec<u8>>>);

impl Memory {
    /// Storage that begins with these bytes.
    pub(crate) fn with(bytes: Vec<u8>) -> Memory {
        Memory(Arc::new(Mutex::new(bytes)))
    }

    /// A copy of all bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

fn beyond_end() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "beyond the end of the storage")
}

impl StorageBackend for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.lock().unwrap();
        let start = offset as usize;
        let found = bytes.get(start..start + out.len()).ok_or_else(beyond_end)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.0.lock().unwrap();
        let start = offset as usize;
        bytes.get_mut(start..start + data.len()).ok_or_else(beyond_end)?.copy_from_slice(data);
        Ok(())
    }
}
