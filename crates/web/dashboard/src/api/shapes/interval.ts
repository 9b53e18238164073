/** A lower and an upper bound. */
export type Interval = [number, number];
