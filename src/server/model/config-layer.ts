import type { Directive } from "../../config/model/directive.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";

/** A per-directory configuration to be merged per request: that of a server, a section, or a `.htaccess` file. */
export class ConfigLayer {
  /** Its directives; Limit sections and Require containers are followed by their content. */
  readonly directives: readonly Directive[];
  private readonly last = new Map<string, Directive>();
  private readonly picked = new Map<ReadonlySet<string>, readonly Directive[]>();

  constructor(
    readonly content: readonly Directive[],
    /** The section; undefined for a server's own directives and a `.htaccess` file's. */
    readonly section: Directive | undefined,
  ) {
    const directives = flattenTransparent(content);
    this.directives = directives.some(isEmptyList) ? directives.filter((each) => !isEmptyList(each)) : directives;
    for (const directive of this.directives) this.last.set(directive.key, directive);
  }

  /** Returns the directive of a name that applies: the last. */
  setting(key: string): Directive | undefined {
    return this.last.get(key);
  }

  /** Returns the directives of some names, in order; cached for each set of names. */
  pick(keys: ReadonlySet<string>): readonly Directive[] {
    return getOrCreate(this.picked, keys, () => this.directives.filter(({ key }) => keys.has(key)));
  }

  has(key: string): boolean {
    return this.last.has(key);
  }
}

/**
 * Reports whether a directive has no element of its list, such as DirectoryIndex without arguments in 2.2: httpd calls the
 * directive for each element, so it sets nothing (server/config.c `invoke_cmd`, ITERATE). 2.4 rejects such a line.
 */
function isEmptyList(directive: Directive): boolean {
  return directive.argumentText === "" && directive.known.facts[0]?.argumentKind === "ITERATE";
}

/** Sections whose content belongs to the enclosing one. */
const transparentSections = new Set(["<limit", "<limitexcept", "<requireall", "<requireany", "<requirenone"]);

function flattenTransparent(content: readonly Directive[]): readonly Directive[] {
  if (!content.some((directive) => transparentSections.has(directive.key))) return content;
  return content.flatMap((directive) =>
    directive.children && transparentSections.has(directive.key)
      ? [directive, ...flattenTransparent(directive.children)]
      : [directive],
  );
}

const layersByContent = new WeakMap<readonly Directive[], ConfigLayer>();

/** Returns the per-directory configuration of some content, created once. */
export function layerOf(content: readonly Directive[], section: Directive | undefined): ConfigLayer {
  return getOrCreate(layersByContent, content, () => new ConfigLayer(content, section));
}

/** Returns the per-directory configuration of a section. */
export function layerOfSection(section: Directive): ConfigLayer {
  return layerOf(section.children ?? [], section);
}

/** Returns the directive that applies for a setting: that of the innermost per-directory configuration with one. */
export function findSetting(layers: readonly ConfigLayer[], key: string): Directive | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const directive = layers[i]?.setting(key);
    if (directive) return directive;
  }
  return undefined;
}

/** Returns the argument values of a directive, which is used for each request: parsed once. */
export const argumentValuesOf = memoize((directive: Directive): readonly string[] =>
  directive.arguments.map(({ value }) => value),
);

/** Returns the first argument of a directive; undefined if there is none. */
export function firstArgumentOf(directive: Directive | undefined): string | undefined {
  return directive && argumentValuesOf(directive)[0];
}

/**
 * Returns the first argument of a directive with a few keywords, such as `on` and `off`: in lower case, as httpd
 * compares them.
 */
export function keywordArgumentOf(directive: Directive | undefined): string | undefined {
  return firstArgumentOf(directive)?.toLowerCase();
}
