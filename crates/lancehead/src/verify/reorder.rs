//! Texts that belong one after the other, but come in any order.

/// What is to be shown of several files: the parts of the first in their order, then those of the
/// second, and so on.
pub(super) struct Reorder<T> {
    files: Vec<File<T>>,
    /// The file and the part that are shown next.
    next: (usize, usize),
}

struct File<T> {
    parts: Vec<Part<T>>,
    /// Are there no more parts to be expected?
    closed: bool,
}

enum Part<T> {
    Expected,
    Ready(T),
    Shown,
}

impl<T> Reorder<T> {
    pub(super) fn new(files: usize) -> Reorder<T> {
        let file = |_| File { parts: Vec::new(), closed: false };
        Reorder { files: (0..files).map(file).collect(), next: (0, 0) }
    }

    /// So many parts will follow those that are known. Returns the number of the first.
    pub(super) fn expect(&mut self, file: usize, parts: usize) -> usize {
        let Some(file) = self.files.get_mut(file) else { return 0 };
        let first = file.parts.len();
        file.parts.extend((0..parts).map(|_| Part::Expected));
        first
    }

    /// Here is a part that was expected.
    pub(super) fn put(&mut self, file: usize, part: usize, what: T) {
        let expected = self.files.get_mut(file).and_then(|file| file.parts.get_mut(part));
        if let Some(part @ Part::Expected) = expected {
            *part = Part::Ready(what);
        }
    }

    /// Here is one more part, the last of a file.
    pub(super) fn close(&mut self, file: usize, what: T) {
        let last = self.expect(file, 1);
        self.put(file, last, what);
        if let Some(file) = self.files.get_mut(file) {
            file.closed = true;
        }
    }

    /// What can be shown without leaving anything out, each with its file.
    pub(super) fn in_order(&mut self) -> Vec<(usize, T)> {
        let mut shown = Vec::new();
        while let Some(file) = self.files.get_mut(self.next.0) {
            match file.parts.get_mut(self.next.1) {
                Some(Part::Expected) => break,
                Some(part) => {
                    if let Part::Ready(what) = std::mem::replace(part, Part::Shown) {
                        shown.push((self.next.0, what));
                    }
                    self.next.1 += 1;
                }
                None if file.closed => {
                    file.parts = Vec::new();
                    self.next = (self.next.0 + 1, 0);
                }
                None => break,
            }
        }
        shown
    }

    /// Everything that is ready, although something before it is missing.
    pub(super) fn ready(&mut self) -> Vec<(usize, T)> {
        let mut shown = self.in_order();
        for (number, file) in self.files.iter_mut().enumerate().skip(self.next.0) {
            for part in file.parts.iter_mut().filter(|part| matches!(part, Part::Ready(_))) {
                if let Part::Ready(what) = std::mem::replace(part, Part::Shown) {
                    shown.push((number, what));
                }
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::Reorder;

    #[test]
    fn parts_wait_for_those_before_them() {
        let mut order = Reorder::new(2);
        assert_eq!(order.expect(0, 2), 0);
        order.put(0, 1, "b");
        order.close(1, "d");
        assert_eq!(order.in_order(), []);
        order.put(0, 0, "a");
        assert_eq!(order.in_order(), [(0, "a"), (0, "b")]);
        order.close(0, "c");
        assert_eq!(order.in_order(), [(0, "c"), (1, "d")]);
        assert_eq!(order.ready(), []);
    }

    #[test]
    fn or_not_for_ever() {
        let mut order = Reorder::new(2);
        order.expect(0, 3);
        order.put(0, 1, "b");
        order.expect(1, 1);
        order.put(1, 0, "d");
        assert_eq!(order.ready(), [(0, "b"), (1, "d")]);
        order.put(0, 2, "c");
        order.put(0, 0, "a");
        assert_eq!(order.in_order(), [(0, "a"), (0, "c")]);
        // What was shown is not shown again.
        order.put(0, 1, "b");
        order.close(0, "e");
        assert_eq!(order.ready(), [(0, "e")]);
    }
}
