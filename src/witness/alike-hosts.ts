import type { Report } from "../engine/finding.js";
import type { Directive } from "../project/directive.js";
import type { Scope } from "../project/scope.js";

/** So many virtual hosts that are written alike are looked at one by one. */
const LOOKED_AT = 5;

/** What was found in a scope of a virtual host that was looked at. */
export interface Found<Judge> {
  readonly judge: Judge;
  readonly report: Report;
  /** Which of the scope's directives it was reported at. */
  readonly line: number;
}

interface Kind<Judge> {
  hosts: number;
  /** What was found in each host that was looked at, by the place of the scope in its host. */
  readonly found: Map<number, (readonly Found<Judge>[])[]>;
}

interface Host<Judge> {
  readonly kind: Kind<Judge>;
  /** Whether there have been enough of its kind. */
  readonly isFurther: boolean;
  /** How many of its scopes have come by. */
  scopes: number;
}

/**
 * Servers have virtual hosts by the thousand that a template wrote, alike but for names and numbers. Of each kind a few are
 * looked at; where all of them came to the same, so will the others, and they are named with the first.
 */
export class AlikeHosts<Judge> {
  private readonly kinds = new Map<string, Kind<Judge>>();
  private readonly hosts = new Map<Scope, Host<Judge>>();

  /** The place of the next scope of a host among its scopes. */
  next(host: Scope): { readonly host: Host<Judge>; readonly place: number } {
    const known = this.hosts.get(host) ?? this.enter(host);
    return { host: known, place: known.scopes++ };
  }

  private enter(scope: Scope): Host<Judge> {
    const text = textOf(scope);
    const kind = this.kinds.get(text) ?? { hosts: 0, found: new Map() };
    this.kinds.set(text, kind);
    const host = { kind, isFurther: kind.hosts++ >= LOOKED_AT, scopes: 0 };
    this.hosts.set(scope, host);
    return host;
  }

  /** What a scope of a further host comes to, as the same scope of those before it; undefined where they differ. */
  expected({ kind, isFurther }: Host<Judge>, place: number): readonly Found<Judge>[] | undefined {
    const [first, ...others] = kind.found.get(place) ?? [];
    if (!isFurther || first === undefined || others.length < LOOKED_AT - 1) return undefined;
    return [first, ...others].every((each) => isSame(each, first)) ? first : undefined;
  }

  note({ kind }: Host<Judge>, place: number, found: readonly Found<Judge>[]): void {
    const known = kind.found.get(place) ?? [];
    known.push(found);
    kind.found.set(place, known);
  }
}

function isSame(some: readonly Found<unknown>[], others: readonly Found<unknown>[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ judge, line }, index) => line >= 0 && others[index]?.judge === judge && others[index]?.line === line)
  );
}

/** All that is written in a host, with one mark for any number. */
function textOf({ section, content }: Scope): string {
  const last = content.at(-1);
  if (section === undefined || last === undefined) return "";
  const { file, start } = section.span;
  const text = file.text.slice(start, endOf(last)).replace(/\d+/g, "#");
  // What comes from elsewhere is told by where it comes from.
  return isWrittenHere(content, section) ? text : `${text}${file.path}${start}`;
}

/** Where a directive ends, with all that is in it. */
function endOf(directive: Directive): number {
  const last = directive.children?.at(-1);
  return last ? endOf(last) : directive.span.end;
}

function isWrittenHere(directives: readonly Directive[], { reading }: Directive): boolean {
  return directives.every((each) => each.reading === reading && isWrittenHere(each.children ?? [], each));
}
