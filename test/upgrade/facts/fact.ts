/** The treatment of a known difference between 2.2 and 2.4. */
export type Told =
  | {
      /** The rule that reports it. */
      readonly by: string;
      /** A main file in which the rule reports it. */
      readonly example: string;
      /** Further files by path. */
      readonly files?: Readonly<Record<string, string>>;
      readonly modules?: readonly string[];
      readonly withoutModules?: readonly string[];
    }
  | {
      readonly because: "no configuration can show it" | "same behavior" | "outside the configuration";
      readonly why: string;
    };

export interface Fact {
  readonly fact: string;
  readonly told: Told;
}

export interface Facts {
  readonly title: string;
  readonly facts: readonly Fact[];
}

/** Returns facts that a rule reports, each with a main file that shows it. */
export function toldBy(by: string, facts: Readonly<Record<string, string>>): readonly Fact[] {
  return Object.entries(facts).map(([fact, example]) => ({ fact, told: { by, example } }));
}

/** Returns unreported facts that share one reason. */
export function untold(
  because: Exclude<Told, { by: string }>["because"],
  why: string,
  facts: readonly string[],
): readonly Fact[] {
  return facts.map((fact) => ({ fact, told: { because, why } }));
}

/** Returns unreported facts, each with its own reason. */
export function eachUntold(
  because: Exclude<Told, { by: string }>["because"],
  facts: Readonly<Record<string, string>>,
): readonly Fact[] {
  return Object.entries(facts).map(([fact, why]) => ({ fact, told: { because, why } }));
}
