//! A file that is read and written at places. Tests make it fail, and see what a loss of power would leave of it.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::Path;

/// An open file.
#[derive(Debug)]
pub(super) struct Disk {
    file: File,
    #[cfg(test)]
    pub(super) trial: super::trial::Trial,
}

impl Disk {
    /// Opens a file that is there.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        Ok(Self {
            file,
            #[cfg(test)]
            trial: super::trial::Trial::default(),
        })
    }

    /// Locks the whole file against all who have it open otherwise, in this process and in others.
    pub(super) fn try_lock(&self) -> Result<(), TryLockError> {
        self.file.try_lock()
    }

    pub(super) fn unlock(&self) -> io::Result<()> {
        self.file.unlock()
    }

    pub(super) fn len(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Reads as much as fits, or as there is. Says how much that was.
    pub(super) fn read_at(&self, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        let mut read = 0;
        while read < buffer.len() {
            match place::read(&self.file, &mut buffer[read..], at + read as u64) {
                Ok(0) => break,
                Ok(more) => read += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(read)
    }

    pub(super) fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        #[cfg(test)]
        let (bytes, outcome) = self.trial.write(bytes, at);
        let mut written = 0;
        while written < bytes.len() {
            match place::write(&self.file, &bytes[written..], at + written as u64) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(more) => written += more,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        #[cfg(test)]
        outcome?;
        Ok(())
    }

    /// Makes durable what was written, and as much of what the system knows of the file as is needed to read it.
    pub(super) fn sync_data(&self) -> io::Result<()> {
        #[cfg(test)]
        if !self.trial.sync()? {
            return Ok(());
        }
        self.file.sync_data()
    }

    /// Makes durable what was written, and all that the system knows of the file.
    pub(super) fn sync_all(&self) -> io::Result<()> {
        #[cfg(test)]
        if !self.trial.sync()? {
            return Ok(());
        }
        self.file.sync_all()
    }

    /// Takes away what lies behind a place.
    pub(super) fn cut(&self, len: u64) -> io::Result<()> {
        #[cfg(test)]
        self.trial.cut(len);
        self.file.set_len(len)
    }
}

#[cfg(unix)]
mod place {
    use super::{File, io};
    use std::os::unix::fs::FileExt as _;

    pub(super) fn read(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        file.read_at(buffer, at)
    }

    pub(super) fn write(file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
        file.write_at(bytes, at)
    }
}

#[cfg(not(unix))]
mod place {
    use super::{File, io};
    use std::io::{Read as _, Seek as _, SeekFrom, Write as _};

    pub(super) fn read(mut file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
        file.seek(SeekFrom::Start(at))?;
        file.read(buffer)
    }

    pub(super) fn write(mut file: &File, bytes: &[u8], at: u64) -> io::Result<usize> {
        file.seek(SeekFrom::Start(at))?;
        file.write(bytes)
    }
}
