/** The treatment of a known difference between 2.2 and 2.4. */
export type Treatment =
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
  readonly treatment: Treatment;
}

export interface Facts {
  readonly title: string;
  readonly facts: readonly Fact[];
}

/** Returns facts that a rule reports, each with a main file that shows it. */
export function reportedBy(by: string, facts: Readonly<Record<string, string>>): readonly Fact[] {
  return Object.entries(facts).map(([fact, example]) => ({ fact, treatment: { by, example } }));
}

/** Returns unreported facts that share one reason. */
export function unreported(
  because: Exclude<Treatment, { by: string }>["because"],
  why: string,
  facts: readonly string[],
): readonly Fact[] {
  return facts.map((fact) => ({ fact, treatment: { because, why } }));
}

/** Returns unreported facts, each with its own reason. */
export function eachUnreported(
  because: Exclude<Treatment, { by: string }>["because"],
  facts: Readonly<Record<string, string>>,
): readonly Fact[] {
  return Object.entries(facts).map(([fact, why]) => ({ fact, treatment: { because, why } }));
}
