//! Lists that commands have in the file.

use crate::command::FileList;
use trace_base::bytes::Cursor;

/// An element of a [`FileList`].
pub trait ListElement: Sized {
    /// Reads one, and advances. Nothing if there are too few bytes.
    fn parse(cursor: &mut Cursor<'_>) -> Option<Self>;
}

/// The elements of `list`, whose bytes were read from the file.
pub fn list_elements<T: ListElement>(list: FileList<T>, bytes: &[u8]) -> impl Iterator<Item = T> {
    let mut cursor = Cursor::new(bytes, list.bytes.offset);
    (0..list.count).map_while(move |_| T::parse(&mut cursor))
}
