// Which of several panels with the same data a node obeys: the one that was restored last, and of its copies the one that was started last.

/** More restores than there can be. */
export const MAX_EPOCH = 1_000_000_000;
