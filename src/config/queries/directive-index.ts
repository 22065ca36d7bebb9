import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import type { SourceFile } from "../../text/source.js";
import type { Directive, FileReading } from "../model/directive.js";
import type { Project } from "../model/project.js";

/**
 * The directives of a configuration by name, and the texts they come from. Whether any of a hundred thousand lines
 * contains something is decided by one search of the files instead of one for each line.
 */
class DirectiveIndex {
  private readonly byKey = new Map<string, Directive[]>();
  private readonly sources = new Set<SourceFile>();
  /** The directives whose arguments differ from the bytes of their files. */
  private readonly derived: Directive[] = [];

  constructor({ directives, htaccess }: Pick<Project, "directives" | "htaccess">) {
    this.add(directives);
    for (const file of htaccess) this.add(file.directives);
  }

  private add(directives: readonly Directive[]): void {
    let last: FileReading | undefined;
    for (const directive of directives) {
      getOrCreate(this.byKey, directive.key, () => []).push(directive);
      if (directive.reading !== last) this.sources.add(directive.reading.tree.source);
      last = directive.reading;
      if (directive.isDerived) this.derived.push(directive);
      if (directive.children) this.add(directive.children);
    }
  }

  /** Reports whether there is a directive of one of some lower-case names. */
  hasAny(keys: ReadonlySet<string>): boolean {
    for (const key of this.byKey.keys()) if (keys.has(key)) return true;
    return false;
  }

  /** Returns the directives of a lower-case name, in order. */
  named(key: string): readonly Directive[] {
    return this.byKey.get(key) ?? noDirectives;
  }

  /**
   * Reports whether a directive satisfies a predicate.
   *
   * @param mayHold whether it may hold for arguments that are part of a text; whole files are tested with it first
   */
  some(mayHold: (text: string) => boolean, predicate: (directive: Directive) => boolean): boolean {
    if ([...this.sources].some(({ text }) => mayHold(text)))
      return [...this.byKey.values()].some((directives) => directives.some(predicate));
    return this.derived.some(predicate);
  }
}

const noDirectives: readonly Directive[] = [];

/** Returns the index of a configuration and its `.htaccess` files. */
export const indexDirectives = memoize(
  (config: Pick<Project, "directives" | "htaccess">) => new DirectiveIndex(config),
);
