import type { Directive } from "./directive.js";
import { type ScopePlace, type Standing, scopePlaceOf } from "./standing.js";

/**
 * A place whose directives take effect together: the server, a virtual host, a Directory, Location, Files, If or Proxy
 * section, a `.htaccess` file. Limit and the Require containers are not scopes: what they hold belongs to the scope
 * around them.
 */
export class Scope {
  private all: readonly Directive[] | undefined;

  constructor(
    /** Where its own directives stand. */
    readonly standing: Standing,
    /** What it holds, sections with all that is in them. */
    readonly content: readonly Directive[],
    /** The section that opens it; undefined at the top of a file. */
    readonly section?: Directive,
    readonly parent?: Scope,
  ) {}

  get place(): ScopePlace {
    return this.standing.place;
  }

  /** A `.htaccess` file or a section in one, where only what AllowOverride grants may stand. */
  get inHtaccess(): boolean {
    return this.standing.inHtaccess;
  }

  /** What stands in it, Limit sections and containers with their contents behind them, inner scopes left out. */
  get directives(): readonly Directive[] {
    this.all ??= this.content.some(holdsOfScope) ? flattened(this.content) : this.content;
    return this.all;
  }
}

/** The kind of scope that a section opens; undefined for one that opens none. */
export function placeOfSection(section: Directive): ScopePlace | undefined {
  return scopePlaceOf(section.known);
}

function holdsOfScope(directive: Directive): boolean {
  return directive.children !== undefined && placeOfSection(directive) === undefined;
}

function flattened(directives: readonly Directive[], into: Directive[] = []): readonly Directive[] {
  for (const directive of directives) {
    into.push(directive);
    if (directive.children && placeOfSection(directive) === undefined) flattened(directive.children, into);
  }
  return into;
}

/** The Limit or LimitExcept section around a directive within its scope; undefined where every method is meant. */
export function limitAround(directive: Directive): Directive | undefined {
  for (let outer = directive.parent; outer; outer = outer.parent) {
    if (outer.key === "<limit" || outer.key === "<limitexcept") return outer;
    if (placeOfSection(outer)) return undefined;
  }
  return undefined;
}
