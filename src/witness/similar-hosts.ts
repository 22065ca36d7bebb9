import type { Report } from "../engine/finding.js";
import type { Directive } from "../project/model/directive.js";
import type { Scope } from "../project/model/scope.js";

/** So many virtual hosts that are written alike are looked at one by one. */
const MAX_PROBED_HOSTS = 5;

/** What was found in a scope of a virtual host that was looked at. */
export interface HostFinding<Judge> {
  readonly judge: Judge;
  readonly report: Report;
  /** Which of the scope's directives it was reported at. */
  readonly line: number;
}

interface HostKind<Judge> {
  hosts: number;
  /** What was found in each host that was looked at, by the place of the scope in its host. */
  readonly found: Map<number, (readonly HostFinding<Judge>[])[]>;
  /** The same where enough of them came to the same. */
  readonly agreed: Map<number, readonly HostFinding<Judge>[]>;
}

interface Host<Judge> {
  readonly kind: HostKind<Judge>;
  /** Whether there have been enough of its kind. */
  readonly isFurther: boolean;
  /** How many of its scopes have come by. */
  scopes: number;
}

/**
 * Servers have virtual hosts by the thousand that a template wrote, alike but for names and numbers. Of each kind a few are
 * looked at; where all of them came to the same, so will the others, and they are named with the first.
 */
export class SimilarHosts<Judge> {
  private readonly kinds = new Map<string, HostKind<Judge>>();
  private readonly hosts = new Map<Scope, Host<Judge>>();
  /** The kind of the host before, with what stands between its numbers: hosts of a kind mostly follow each other. */
  private last: { readonly kind: HostKind<Judge>; readonly pieces: readonly string[] } | undefined;

  /** The place of the next scope of a host among its scopes. */
  next(host: Scope): { readonly host: Host<Judge>; readonly place: number } {
    const known = this.hosts.get(host) ?? this.enter(host);
    return { host: known, place: known.scopes++ };
  }

  private enter(scope: Scope): Host<Judge> {
    const kind = this.kindOf(scope);
    const host = { kind, isFurther: kind.hosts++ >= MAX_PROBED_HOSTS, scopes: 0 };
    this.hosts.set(scope, host);
    return host;
  }

  private kindOf({ section, content }: Scope): HostKind<Judge> {
    const last = content.at(-1);
    if (section === undefined || last === undefined) return this.kindFor("");
    const { file, start } = section.span;
    const end = endOf(last);
    const isHere = isWrittenHere(content, section);
    if (isHere && this.last && consistsOf(file.text, start, end, this.last.pieces)) return this.last.kind;
    const text = file.text.slice(start, end);
    const key = text.replace(/\d+/g, "#");
    // What comes from elsewhere is told by where it comes from.
    const kind = this.kindFor(isHere ? key : `${key}${file.path}${start}`);
    if (isHere) this.last = { kind, pieces: text.split(/\d+/) };
    return kind;
  }

  private kindFor(key: string): HostKind<Judge> {
    const kind = this.kinds.get(key) ?? { hosts: 0, found: new Map(), agreed: new Map() };
    this.kinds.set(key, kind);
    return kind;
  }

  /** What a scope of a further host comes to, as the same scope of those before it; undefined where they differ. */
  expected({ kind, isFurther }: Host<Judge>, place: number): readonly HostFinding<Judge>[] | undefined {
    return isFurther ? kind.agreed.get(place) : undefined;
  }

  note({ kind }: Host<Judge>, place: number, found: readonly HostFinding<Judge>[]): void {
    const known = kind.found.get(place) ?? [];
    kind.found.set(place, known);
    if (known.length === MAX_PROBED_HOSTS) return;
    known.push(found);
    const [first = found] = known;
    if (known.length === MAX_PROBED_HOSTS && known.every((each) => isSame(each, first))) kind.agreed.set(place, first);
  }
}

function isSame(some: readonly HostFinding<unknown>[], others: readonly HostFinding<unknown>[]): boolean {
  return (
    some.length === others.length &&
    some.every(({ judge, line }, index) => line >= 0 && others[index]?.judge === judge && others[index]?.line === line)
  );
}

/** Whether a stretch of a text is made of some pieces, with a number between each two. */
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

/** Where a directive ends, with all that is in it. */
function endOf(directive: Directive): number {
  const last = directive.children?.at(-1);
  return last ? endOf(last) : directive.span.end;
}

function isWrittenHere(directives: readonly Directive[], { reading }: Directive): boolean {
  for (const directive of directives) {
    if (directive.reading !== reading) return false;
    const { children } = directive;
    if (children && children.length > 0 && !isWrittenHere(children, directive)) return false;
  }
  return true;
}
