//! Tables over many numbers of which few are used: pieces that are made when one of theirs is set.
//!
//! A table beside all types of the library has tens of thousands of places, and a small program looks at some dozens of
//! them.

/// Places of a piece.
const PIECE: usize = 128;

/// Every place has its type's default until it is set.
#[derive(Clone, Debug, Default)]
pub struct Sparse<T> {
    pieces: Vec<Option<Box<[T; PIECE]>>>,
}

impl<T: Copy + Default> Sparse<T> {
    #[inline]
    pub fn get(&self, i: usize) -> T {
        match self.pieces.get(i / PIECE) {
            Some(Some(piece)) => piece[i % PIECE],
            _ => T::default(),
        }
    }

    #[inline]
    pub fn set(&mut self, i: usize, value: T) {
        if i / PIECE >= self.pieces.len() {
            self.pieces.resize_with(i / PIECE + 1, || None);
        }
        let piece = self.pieces[i / PIECE].get_or_insert_with(|| Box::new([T::default(); PIECE]));
        piece[i % PIECE] = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_set_is_there() {
        let mut table = Sparse::default();
        table.set(100_000, 1);
        table.set(3, 2);
        assert_eq!([3, 4, 99_999, 100_000, 1 << 40].map(|i| table.get(i)), [2u8, 0, 0, 1, 0]);
    }
}
