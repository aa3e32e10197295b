//! The programs in `examples/quantified`, and mistakes to make in them. A mistake is a change of the
//! text and what has to be reported for it, so that there is one copy of each program.

use std::path::{Path, PathBuf};

/// An example, and four ways to break it.
pub struct Example {
    /// The file in `examples/quantified`, without `.vpr`.
    pub name: &'static str,
    /// What is reported today although nothing is wrong. It is to become empty.
    pub spurious: &'static [Expected],
    pub mistakes: [Mistake; 4],
}

/// A change that makes a program wrong.
pub struct Mistake {
    pub what: &'static str,
    /// A text that occurs once.
    pub find: &'static str,
    pub replace: &'static str,
    pub errors: &'static [Expected],
}

/// An error: Viper's identifier, and a text that occurs once in the changed program and starts on the
/// line that the error is reported for.
pub type Expected = (&'static str, &'static str);

/// Where the examples are.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/quantified")
}

impl Example {
    pub fn path(&self) -> PathBuf {
        folder().join(self.name).with_extension("vpr")
    }

    pub fn text(&self) -> std::io::Result<String> {
        std::fs::read_to_string(self.path())
    }
}

impl Mistake {
    /// The text with this mistake; an error if it does not say where to make it.
    pub fn make_in(&self, text: &str) -> Result<String, String> {
        match text.matches(self.find).count() {
            1 => Ok(text.replacen(self.find, self.replace, 1)),
            n => Err(format!("this is there {n} times, not once:\n{}", self.find)),
        }
    }

    /// Writes the example with this mistake into a folder of its own, beside what it imports.
    pub fn write(&self, example: &Example, dir: &Path) -> Result<PathBuf, String> {
        let io = |e: std::io::Error| e.to_string();
        std::fs::create_dir_all(dir).map_err(io)?;
        std::fs::copy(folder().join("array.vpr"), dir.join("array.vpr")).map_err(io)?;
        let path = dir.join(example.name).with_extension("vpr");
        std::fs::write(&path, self.make_in(&example.text().map_err(io)?)?).map_err(io)?;
        Ok(path)
    }
}

pub const EXAMPLES: [Example; 9] = [
    Example {
        name: "arraylist",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "wrong index",
                find: "loc(this.elems, n).val := loc(this.elems, n - 1).val",
                replace: "loc(this.elems, n - 1).val := loc(this.elems, n).val",
                errors: &[(
                    "invariant.not.preserved:assertion.false",
                    "n < i && i <= this.size ==>",
                )],
            },
            Mistake {
                what: "no room is made",
                find: "    reserve(this)\n",
                replace: "",
                errors: &[(
                    "invariant.not.established:assertion.false",
                    "invariant index <= n && n <= this.size && this.size < len(this.elems)",
                )],
            },
            Mistake {
                what: "missing permission",
                find: "invariant whole(bigger, write)",
                replace: "invariant whole(bigger, 1/2)",
                errors: &[(
                    "assignment.failed:insufficient.permission",
                    "loc(bigger, n).val := loc(this.elems, n).val",
                )],
            },
            Mistake {
                what: "the array does not grow",
                find: "new_array(2 * len(this.elems))",
                replace: "new_array(len(this.elems))",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures unfolding list(this) in this.size < len(this.elems)",
                )],
            },
        ],
    },
    Example {
        name: "quickselect",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "an element is lost",
                find: "    loc(a, y).val := v\n",
                replace: "    loc(a, x).val := v\n",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures loc(a, x).val == old(loc(a, y).val)",
                )],
            },
            Mistake {
                what: "broken invariant",
                find: "            mid := mid + 1\n",
                replace: "",
                errors: &[("invariant.not.preserved:assertion.false", "from(a, mid, n, v)")],
            },
            Mistake {
                what: "the pivot stays at the end",
                find: "    q := swap(a, low, high, mid, high - 1)\n    p := then(p, q)\n",
                replace: "",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures loc(a, mid).val == old(loc(a, pivot).val)",
                )],
            },
            Mistake {
                what: "wrong permutation",
                find: "q := select(a, low, mid, k)\n        p := then(p, q)",
                replace: "q := select(a, low, mid, k)\n        p := then(q, p)",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures rearranged(a, low, high, p)\n    ensures forall i: Int",
                )],
            },
        ],
    },
    Example {
        name: "binary-search",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "wrong index",
                find: r"(low + high) \ 2",
                replace: r"(low + high) \ 2 + 1",
                errors: &[("if.failed:insufficient.permission", "if (loc(a, mid).val < key)")],
            },
            Mistake {
                what: "a candidate is skipped",
                find: "            high := mid\n",
                replace: "            high := mid - 1\n",
                errors: &[
                    ("invariant.not.preserved:assertion.false", "0 <= low && low <= high"),
                    (
                        "invariant.not.preserved:assertion.false",
                        "invariant index == -1 ==>\n            (forall i: Int :: { loc(a, i) } high",
                    ),
                ],
            },
            Mistake {
                what: "missing permission",
                find: "        invariant whole(a, 1/2)\n",
                replace: "",
                errors: &[("not.wellformed:insufficient.permission", "invariant sorted(")],
            },
            Mistake {
                what: "wrong postcondition",
                find: "ensures index == -1 ==>",
                replace: "ensures index < len(a) - 1 ==>",
                errors: &[("postcondition.violated:assertion.false", "index < len(a) - 1 ==>")],
            },
        ],
    },
    Example {
        name: "graph-copy",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "a copy is forgotten",
                find: "        map := map[node := twin]\n",
                replace: "",
                errors: &[("postcondition.violated:assertion.false", "ensures copied(map, node)")],
            },
            Mistake {
                what: "wrong edge",
                find: "copy(s, node.right, map)",
                replace: "copy(s, node.left, map)",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures faithful(before, map)",
                )],
            },
            Mistake {
                what: "missing permission",
                find: "requires nodes(range(before), write)",
                replace: "requires nodes(range(before), 1/2)",
                errors: &[(
                    "postcondition.violated:insufficient.permission",
                    "ensures nodes(range(map), write)\n    ensures extends",
                )],
            },
            Mistake {
                what: "copies may be the same",
                find: "n != m ==> map[n] != map[m])",
                replace: "n == m ==> map[n] == map[m])",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures faithful(before, map)",
                )],
            },
        ],
    },
    Example {
        name: "graph-marking",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "null is followed",
                find: "if (node.right != null && !node.right.marked)",
                replace: "if (!node.right.marked)",
                errors: &[("if.failed:insufficient.permission", "if (!node.right.marked)")],
            },
            Mistake {
                what: "missing permission",
                find: "n in nodes ==> acc(n.marked))",
                replace: "n in nodes ==> acc(n.marked, 1/2))",
                errors: &[("assignment.failed:insufficient.permission", "node.marked := true")],
            },
            Mistake {
                what: "a mark is forgotten",
                find: "    node.marked := true\n",
                replace: "",
                errors: &[("postcondition.violated:assertion.false", "ensures node.marked")],
            },
            Mistake {
                what: "a part that is not closed",
                find: "a, Set(a, b))",
                replace: "a, Set(a))",
                errors: &[("call.precondition:assertion.false", "mark_reachable(Set(a, b, c)")],
            },
        ],
    },
    Example {
        name: "longest-common-prefix",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "wrong index",
                find: "        n := n + 1\n",
                replace: "        n := n + 2\n",
                errors: &[
                    (
                        "invariant.not.preserved:assertion.false",
                        "invariant 0 <= n && x + n <= len(a) && y + n <= len(a)",
                    ),
                    ("invariant.not.preserved:assertion.false", "invariant common(a, x, y, n)"),
                ],
            },
            Mistake {
                what: "beyond the end",
                find: "while (x + n < len(a) && ",
                replace: "while (",
                errors: &[("while.failed:insufficient.permission", "while (y + n < len(a)")],
            },
            Mistake {
                what: "locations that are not different",
                find: "    requires whole(a, 1/2)\n",
                replace: "    requires forall i: Int :: 0 <= i && i < len(a) ==> acc(loc(a, i \\ 2).val, 1/2)\n",
                errors: &[
                    ("not.wellformed:qp.not.injective", "acc(loc(a, i \\ 2).val, 1/2)"),
                    ("call.precondition:qp.not.injective", "n := longest_common_prefix(a, x, y)"),
                    ("call.precondition:qp.not.injective", "n := longest_common_prefix(a, x, x)"),
                ],
            },
            Mistake {
                what: "wrong postcondition",
                find: "loc(a, x + n).val != loc(a, y + n).val",
                replace: "loc(a, x + n).val < loc(a, y + n).val",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "loc(a, x + n).val < loc(a, y + n).val",
                )],
            },
        ],
    },
    Example {
        name: "max-elimination",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "the greater one is dropped",
                find: "if (loc(a, best).val <= loc(a, last).val)",
                replace: "if (loc(a, best).val >= loc(a, last).val)",
                errors: &[
                    (
                        "invariant.not.preserved:assertion.false",
                        "invariant forall i: Int :: { loc(a, i) } 0 <= i && i < best ==>",
                    ),
                    (
                        "invariant.not.preserved:assertion.false",
                        "invariant forall i: Int :: { loc(a, i) } last < i",
                    ),
                ],
            },
            Mistake {
                what: "wrong index",
                find: "var last: Int := len(a) - 1",
                replace: "var last: Int := len(a)",
                errors: &[(
                    "invariant.not.established:assertion.false",
                    "invariant 0 <= best && best <= last && last < len(a)",
                )],
            },
            Mistake {
                what: "missing permission",
                find: "    requires whole(a, write)\n",
                replace: "    requires whole(a, 1/2)\n",
                errors: &[(
                    "invariant.not.established:insufficient.permission",
                    "invariant whole(a, write)",
                )],
            },
            Mistake {
                what: "wrong function",
                find: "? loc(a, j).val : loc(a, i).val",
                replace: "? loc(a, i).val : loc(a, j).val",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures loc(a, i).val <= result && loc(a, j).val <= result",
                )],
            },
        ],
    },
    Example {
        name: "max-standard",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "beyond the end",
                find: "while (n < len(a))",
                replace: "while (n <= len(a))",
                errors: &[(
                    "if.failed:insufficient.permission",
                    "if (loc(a, best).val < loc(a, n).val)",
                )],
            },
            Mistake {
                what: "wrong index",
                find: "            best := n\n",
                replace: "            best := n + 1\n",
                errors: &[("invariant.not.preserved:assertion.false", "best < n")],
            },
            Mistake {
                what: "the last of several",
                find: "if (loc(a, best).val < loc(a, n).val)",
                replace: "if (loc(a, best).val <= loc(a, n).val)",
                errors: &[(
                    "invariant.not.preserved:assertion.false",
                    "invariant is_first_max(a, best, n)",
                )],
            },
            Mistake {
                what: "missing permission",
                find: "        invariant whole(a, 1/2)\n",
                replace: "",
                errors: &[(
                    "not.wellformed:insufficient.permission",
                    "invariant is_first_max(a, best, n)",
                )],
            },
        ],
    },
    Example {
        name: "parallel-replace",
        spurious: &[],
        mistakes: [
            Mistake {
                what: "overlapping segments",
                find: "fork_replace(a, mid, high, from, to)",
                replace: "fork_replace(a, mid - 1, high, from, to)",
                errors: &[("call.precondition:insufficient.permission", "right := fork_replace")],
            },
            Mistake {
                what: "a thread is not joined",
                find: "        join_replace(right, a, mid, high, from, to)\n",
                replace: "",
                errors: &[(
                    "postcondition.violated:insufficient.permission",
                    "ensures segment(a, low, high, write)\n    ensures forall i: Int :: { loc(a, i) } low <= i && i < high ==>\n        loc(a, i).val == replaced(old",
                )],
            },
            Mistake {
                what: "wrong value",
                find: "            loc(a, low).val := to\n",
                replace: "            loc(a, low).val := from\n",
                errors: &[(
                    "postcondition.violated:assertion.false",
                    "ensures forall i: Int :: { loc(a, i) } low <= i && i < high ==>\n        loc(a, i).val == replaced(old",
                )],
            },
            Mistake {
                what: "a data race",
                find: "loc(a, 5).val := 7",
                replace: "loc(a, 4).val := 7",
                errors: &[("assignment.failed:insufficient.permission", "loc(a, 4).val := 7")],
            },
        ],
    },
];
