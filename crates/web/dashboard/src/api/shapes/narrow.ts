/** A generated type with some fields said more precisely; each of them must still fit what the document says. */
export type Narrow<Base, Finer extends { [Key in keyof Finer]: Key extends keyof Base ? Base[Key] : never }> = Omit<Base, keyof Finer> & Finer;
