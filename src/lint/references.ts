/** The parts of public catalogues that describe what a rule reports. */
export interface RuleReferences {
  /** Numbers of recommendations of the CIS benchmark. */
  readonly cis?: readonly string[];
  /** Vulnerability ids of DISA's guide. */
  readonly stig?: readonly string[];
  /** Numbers of weaknesses. */
  readonly cwe?: readonly number[];
}

/** A public catalogue of weaknesses or recommendations. */
export interface ReferenceCatalogue {
  readonly key: keyof RuleReferences;
  /** A short name, without spaces. */
  readonly name: string;
  readonly title: string;
  readonly organization: string;
  /** The edition that the numbers belong to; undefined if numbers never change. */
  readonly edition: string | undefined;
  readonly url: string;
}

/** The catalogues, in the order of lists. */
export const referenceCatalogues: readonly ReferenceCatalogue[] = [
  {
    key: "cis",
    name: "CIS",
    title: "CIS Apache HTTP Server 2.4 Benchmark",
    organization: "Center for Internet Security",
    edition: "2.3.0",
    url: "https://www.cisecurity.org/benchmark/apache_http_server",
  },
  {
    key: "stig",
    name: "STIG",
    title: "Apache Server 2.4 UNIX Server Security Technical Implementation Guide",
    organization: "DISA",
    edition: undefined,
    url: "https://public.cyber.mil/stigs/",
  },
  {
    key: "cwe",
    name: "CWE",
    title: "Common Weakness Enumeration",
    organization: "MITRE",
    edition: undefined,
    url: "https://cwe.mitre.org/",
  },
];

/** One reference of a rule. */
export interface Reference {
  readonly catalogue: ReferenceCatalogue;
  /** The id within the catalogue: `5.10`, `V-214274`, `552`. */
  readonly id: string;
  /** The text for people: `CIS 5.10`, `STIG V-214274`, `CWE-552`. */
  readonly text: string;
  /** The page of the entry; undefined if it has none of its own. */
  readonly url: string | undefined;
}

/** Lists references by catalogue, each in the order given. */
export function listReferences(references: RuleReferences | undefined): readonly Reference[] {
  if (references === undefined) return [];
  return referenceCatalogues.flatMap((catalogue) =>
    (references[catalogue.key] ?? []).map((id) => {
      const { key, name } = catalogue;
      return key === "cwe"
        ? { catalogue, id: `${id}`, text: `${name}-${id}`, url: `https://cwe.mitre.org/data/definitions/${id}.html` }
        : { catalogue, id: `${id}`, text: `${name} ${id}`, url: undefined };
    }),
  );
}
