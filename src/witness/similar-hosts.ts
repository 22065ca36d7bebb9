import type { Report } from "../engine/finding.js";
import type { Directive } from "../project/model/directive.js";
import type { Project } from "../project/model/project.js";
import type { Scope } from "../project/model/scope.js";
import { getOrCreate } from "../text/collections.js";
import { memoize } from "../text/memoize.js";

/** Number of similar virtual hosts to probe individually. */
const MAX_PROBED_HOSTS = 5;

/** A finding in a scope of a probed virtual host. */
export interface HostFinding<Rule> {
  readonly rule: Rule;
  readonly report: Report;
  /** Index of the scope's directive with the finding. */
  readonly line: number;
}

interface HostKind<Rule> {
  hosts: number;
  /** The findings in each probed host, by the index of the scope in its host. */
  readonly found: Map<number, (readonly HostFinding<Rule>[])[]>;
  /** The findings on which enough hosts agree. */
  readonly agreed: Map<number, readonly HostFinding<Rule>[]>;
}

interface Host<Rule> {
  readonly kind: HostKind<Rule>;
  /** Whether enough hosts of its kind were probed. */
  readonly isFurther: boolean;
  /** Number of its scopes visited so far. */
  scopes: number;
}

/**
 * A grouping of virtual hosts that differ only in numbers: templates generate them by the thousand. A few of each kind
 * are probed. If their findings agree, the same ones are reported for the rest, grouped with the first.
 */
export class SimilarHosts<Rule> {
  private readonly kinds = new Map<number, HostKind<Rule>>();
  private readonly hosts = new Map<Scope, Host<Rule>>();
  private readonly templates: HostTemplates;

  constructor(project: Project) {
    this.templates = hostTemplatesOf(project);
  }

  /** Returns the index of the next scope of a host. */
  next(host: Scope): { readonly host: Host<Rule>; readonly place: number } {
    const known = this.hosts.get(host) ?? this.enter(host);
    return { host: known, place: known.scopes++ };
  }

  private enter(scope: Scope): Host<Rule> {
    const number = this.templates.numberOf(scope);
    const kind = getOrCreate(this.kinds, number, () => ({ hosts: 0, found: new Map(), agreed: new Map() }));
    const host = { kind, isFurther: kind.hosts++ >= MAX_PROBED_HOSTS, scopes: 0 };
    this.hosts.set(scope, host);
    return host;
  }

  /**
   * Returns the expected findings for a scope of a further host: those of the same scope in earlier hosts; undefined if
   * they differ.
   */
  expected({ kind, isFurther }: Host<Rule>, place: number): readonly HostFinding<Rule>[] | undefined {
    return isFurther ? kind.agreed.get(place) : undefined;
  }

  note({ kind }: Host<Rule>, place: number, found: readonly HostFinding<Rule>[]): void {
    const known = getOrCreate(kind.found, place, () => []);
    if (known.length === MAX_PROBED_HOSTS) return;
    known.push(found);
    const [first = found] = known;
    if (known.length === MAX_PROBED_HOSTS && known.every((each) => isSame(each, first))) kind.agreed.set(place, first);
  }
}

/** The texts of virtual hosts without their numbers. All groupings of a configuration share them. */
class HostTemplates {
  private readonly numbers = new Map<string, number>();
  private readonly known = new Map<Directive, number>();
  /** The template of the previous host, as the texts between its numbers: hosts of a template are mostly adjacent. */
  private last: { readonly number: number; readonly pieces: readonly string[] } | undefined;

  /** Returns a number that is equal for virtual hosts that differ only in numbers. */
  numberOf({ section, content }: Scope): number {
    if (section === undefined) return this.numberFor("");
    return getOrCreate(this.known, section, () => this.findNumber(section, content));
  }

  private findNumber(section: Directive, content: readonly Directive[]): number {
    const last = content.at(-1);
    if (last === undefined) return this.numberFor("");
    const { file, start } = section.span;
    const end = endOf(last);
    const isHere = isInOneFile(content, section);
    if (isHere && this.last && consistsOf(file.text, start, end, this.last.pieces)) return this.last.number;
    const text = file.text.slice(start, end);
    const key = text.replace(/\d+/g, "#");
    // Text from elsewhere, such as a macro, is identified by its origin.
    const number = this.numberFor(isHere ? key : `${key}${file.path}${start}`);
    if (isHere) this.last = { number, pieces: text.split(/\d+/) };
    return number;
  }

  private numberFor(key: string): number {
    return getOrCreate(this.numbers, key, () => this.numbers.size);
  }
}

const hostTemplatesOf = memoize((_: Project) => new HostTemplates());

function isSame(some: readonly HostFinding<unknown>[], others: readonly HostFinding<unknown>[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ rule, line }, index) => line >= 0 && others[index]?.rule === rule && others[index]?.line === line)
  );
}

/** Returns whether part of a text consists of the given pieces, separated by numbers. */
function consistsOf(text: string, start: number, end: number, pieces: readonly string[]): boolean {
  let at = start;
  for (let index = 0; index < pieces.length; index++) {
    if (index > 0) {
      const number = at;
      while (isDigit(text.charCodeAt(at))) at++;
      if (at === number) return false;
    }
    const piece = pieces[index] ?? "";
    if (!text.startsWith(piece, at)) return false;
    at += piece.length;
  }
  return at === end;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** Returns the end of a directive, including its contents. */
function endOf(directive: Directive): number {
  const last = directive.children?.at(-1);
  return last ? endOf(last) : directive.span.end;
}

function isInOneFile(directives: readonly Directive[], { reading }: Directive): boolean {
  for (const directive of directives) {
    if (directive.reading !== reading) return false;
    const { children } = directive;
    if (children && children.length > 0 && !isInOneFile(children, directive)) return false;
  }
  return true;
}
