//! A file that only its owner may read, and that appears only when it is whole.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use uuid::Uuid;

/// A file in the making, under a name that nothing else has; unless it is kept, nothing of it is left.
pub(crate) struct Draft {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Draft {
    /// Begins a file in this folder.
    pub(crate) fn within(folder: &Path) -> io::Result<Self> {
        let path = folder.join(format!("touchstone-{}.part", Uuid::new_v4().simple()));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        Ok(Self { file: BufWriter::new(file), path })
    }

    /// Adds a piece.
    pub(crate) fn write(&mut self, piece: &str) -> io::Result<()> {
        self.file.write_all(piece.as_bytes())
    }

    /// Brings every piece to the disk.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()
    }

    /// Puts the file into its place, in the folder where it was begun; a file that was there before is replaced.
    pub(crate) fn keep_as(mut self, name: &Path) -> io::Result<()> {
        self.settle()?;
        std::fs::rename(&self.path, name)
    }
}

impl Drop for Draft {
    /// One that was kept has another name by now.
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn files(folder: &Path) -> Vec<PathBuf> {
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
    }

    #[test]
    fn a_file_can_be_read_by_its_owner_alone_and_appears_when_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("ada.json");
        let mut draft = Draft::within(folder.path()).unwrap();
        draft.write("whole").unwrap();
        draft.settle().unwrap();
        assert!(!name.exists());

        draft.keep_as(&name).unwrap();

        assert_eq!(files(folder.path()), [name.as_path()]);
        assert_eq!(std::fs::read_to_string(&name).unwrap(), "whole");
        assert_eq!(std::fs::metadata(&name).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn two_drafts_of_one_folder_do_not_meet() {
        let folder = tempfile::tempdir().unwrap();

        let drafts = [Draft::within(folder.path()).unwrap(), Draft::within(folder.path()).unwrap()];

        assert_eq!(files(folder.path()).len(), drafts.len());
    }

    #[test]
    fn a_draft_that_is_given_up_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();

        drop(Draft::within(folder.path()).unwrap());

        assert!(files(folder.path()).is_empty());
    }

    #[test]
    fn a_draft_that_cannot_be_put_into_its_place_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let taken = folder.path().join("taken");
        std::fs::create_dir(&taken).unwrap();

        Draft::within(folder.path()).unwrap().keep_as(&taken).unwrap_err();

        assert_eq!(files(folder.path()), [taken]);
    }

    #[test]
    fn a_draft_on_a_full_disk_is_neither_settled_nor_kept_and_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.part");
        File::create(&path).unwrap();
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut draft = Draft { file: BufWriter::new(full), path };
        draft.write("lost").unwrap();

        draft.settle().unwrap_err();
        draft.keep_as(&folder.path().join("ada.json")).unwrap_err();

        assert!(files(folder.path()).is_empty());
    }
}
