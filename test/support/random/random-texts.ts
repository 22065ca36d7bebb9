import fc from "fast-check";

/** One of some texts. */
export const pick = (...items: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...items);

/** Texts one behind the other. */
export const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(""));
