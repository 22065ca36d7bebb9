import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import {
  type HostFamilies,
  type HostFamily,
  hostFamiliesOf,
  MAX_CHECKED_HOSTS,
} from "../../config/queries/host-families.js";
import { getOrCreate } from "../../text/collections.js";
import type { Report } from "../finding.js";

/** A finding in a scope of a probed virtual host. */
export interface HostFinding<Rule> {
  readonly rule: Rule;
  readonly report: Report;
  /** Index of the scope's directive with the finding. */
  readonly line: number;
}

interface ProbedFamily<Rule> {
  hosts: number;
  /** The findings in each probed host, by the index of the scope in its host. */
  readonly found: Map<number, (readonly HostFinding<Rule>[])[]>;
  /** The findings on which enough hosts agree. */
  readonly agreed: Map<number, readonly HostFinding<Rule>[]>;
}

interface Host<Rule> {
  readonly of: ProbedFamily<Rule>;
  /** Whether enough hosts of its family were probed. */
  readonly isFurther: boolean;
  /** Number of its scopes visited so far. */
  scopes: number;
}

/**
 * The findings in families of virtual hosts, which differ only in numbers. A few of each family are probed. If their
 * findings agree, the same ones are reported for the rest, grouped with the first.
 */
export class FamilyFindings<Rule> {
  private readonly probed = new Map<HostFamily | undefined, ProbedFamily<Rule>>();
  private readonly hosts = new Map<Scope, Host<Rule>>();
  private readonly families: HostFamilies;

  constructor(project: Project) {
    this.families = hostFamiliesOf(project);
  }

  /** Returns the index of the next scope of a host. */
  next(host: Scope): { readonly host: Host<Rule>; readonly place: number } {
    const known = this.hosts.get(host) ?? this.enter(host);
    return { host: known, place: known.scopes++ };
  }

  private enter(scope: Scope): Host<Rule> {
    const family = scope.section && this.families.find(scope.section).family;
    const of = getOrCreate(this.probed, family, () => ({ hosts: 0, found: new Map(), agreed: new Map() }));
    const host = { of, isFurther: of.hosts++ >= MAX_CHECKED_HOSTS, scopes: 0 };
    this.hosts.set(scope, host);
    return host;
  }

  /**
   * Returns the expected findings for a scope of a further host: those of the same scope in earlier hosts; undefined if
   * they differ.
   */
  expected({ of, isFurther }: Host<Rule>, place: number): readonly HostFinding<Rule>[] | undefined {
    return isFurther ? of.agreed.get(place) : undefined;
  }

  note({ of }: Host<Rule>, place: number, found: readonly HostFinding<Rule>[]): void {
    const known = getOrCreate(of.found, place, () => []);
    if (known.length === MAX_CHECKED_HOSTS) return;
    known.push(found);
    const [first = found] = known;
    if (known.length === MAX_CHECKED_HOSTS && known.every((each) => isSame(each, first))) of.agreed.set(place, first);
  }
}

function isSame(some: readonly HostFinding<unknown>[], others: readonly HostFinding<unknown>[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ rule, line }, index) => line >= 0 && others[index]?.rule === rule && others[index]?.line === line)
  );
}
