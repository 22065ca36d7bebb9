import fc from "fast-check";

/** Generates one of some texts. */
export const pick = (...items: readonly string[]): fc.Arbitrary<string> => fc.constantFrom(...items);

/** Generates concatenated texts. */
export const joined = (...parts: readonly fc.Arbitrary<string>[]): fc.Arbitrary<string> =>
  fc.tuple(...parts).map((texts) => texts.join(""));
