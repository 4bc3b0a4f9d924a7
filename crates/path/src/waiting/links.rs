//! Doubly linked lists over indices: a place in a list costs no allocation, and leaving one no search.

/// No index.
pub const NONE: u32 = u32::MAX;

/// A list's ends and length; its links are in a [`Links`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct List {
    head: u32,
    tail: u32,
    len: u32,
}

impl Default for List {
    fn default() -> Self {
        List { head: NONE, tail: NONE, len: 0 }
    }
}

impl List {
    /// The first index.
    #[inline]
    pub fn head(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.head)
    }

    /// How many there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// For each index, its neighbours in whichever list it is in; an index is in one list of these links at most.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Links(Vec<[u32; 2]>);

impl Links {
    /// Room for so many indices.
    pub fn with(indices: usize) -> Links {
        Links(vec![[NONE; 2]; indices])
    }

    /// Makes room for one more index.
    pub fn grow(&mut self) {
        self.0.push([NONE; 2]);
    }

    /// What follows `index` in its list.
    #[inline]
    pub fn next(&self, index: u32) -> Option<u32> {
        let next = self.0[index as usize][1];
        (next != NONE).then_some(next)
    }

    /// Appends `index`.
    #[inline]
    pub fn push_back(&mut self, list: &mut List, index: u32) {
        self.link(list, list.tail, index, NONE);
    }

    /// Puts `index` before `place`, which is in `list`.
    pub fn insert_before(&mut self, list: &mut List, index: u32, place: u32) {
        self.link(list, self.0[place as usize][0], index, place);
    }

    #[inline]
    fn link(&mut self, list: &mut List, before: u32, index: u32, after: u32) {
        self.0[index as usize] = [before, after];
        match before {
            NONE => list.head = index,
            _ => self.0[before as usize][1] = index,
        }
        match after {
            NONE => list.tail = index,
            _ => self.0[after as usize][0] = index,
        }
        list.len += 1;
    }

    /// Takes `index` out of `list`, which it is in.
    #[inline]
    pub fn unlink(&mut self, list: &mut List, index: u32) {
        let [before, after] = std::mem::replace(&mut self.0[index as usize], [NONE; 2]);
        match before {
            NONE => list.head = after,
            _ => self.0[before as usize][1] = after,
        }
        match after {
            NONE => list.tail = before,
            _ => self.0[after as usize][0] = before,
        }
        list.len -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_middle_leaves_the_others_in_order() {
        let (mut links, mut list) = (Links::default(), List::default());
        (0..5).for_each(|_| links.grow());
        [0, 1, 2].into_iter().for_each(|index| links.push_back(&mut list, index));
        links.insert_before(&mut list, 3, 1);
        links.insert_before(&mut list, 4, 0);
        links.unlink(&mut list, 1);
        let order: Vec<u32> = std::iter::successors(list.head(), |&index| links.next(index)).collect();
        assert_eq!((order, list.len(), list.tail), (vec![4, 0, 3, 2], 4, 2));
        [4, 2, 3, 0].into_iter().for_each(|index| links.unlink(&mut list, index));
        assert_eq!(list, List::default());
    }
}
