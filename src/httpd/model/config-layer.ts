import type { Directive } from "../../project/model/directive.js";

/** Directives that lie over each other request by request: those of a server, a section, or a `.htaccess` file. */
export class ConfigLayer {
  /** What stands in it, Limit sections and Require containers with their contents behind them. */
  readonly directives: readonly Directive[];
  private readonly last = new Map<string, Directive>();
  private readonly picked = new Map<ReadonlySet<string>, readonly Directive[]>();

  constructor(
    readonly content: readonly Directive[],
    /** The section; undefined for a server's own directives and a `.htaccess` file's. */
    readonly section: Directive | undefined,
  ) {
    this.directives = flattenTransparent(content);
    for (const directive of this.directives) this.last.set(directive.key, directive);
  }

  /** The directive of a name that counts: the last. */
  setting(key: string): Directive | undefined {
    return this.last.get(key);
  }

  /** The directives of some names, in their order; picked out once for each set of names. */
  pick(keys: ReadonlySet<string>): readonly Directive[] {
    const known = this.picked.get(keys) ?? this.directives.filter(({ key }) => keys.has(key));
    this.picked.set(keys, known);
    return known;
  }

  has(key: string): boolean {
    return this.last.has(key);
  }
}

/** Sections whose content belongs to what is around them. */
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

/** The layer of some content, made once. */
export function layerOf(content: readonly Directive[], section: Directive | undefined): ConfigLayer {
  const known = layersByContent.get(content);
  if (known) return known;
  const layer = new ConfigLayer(content, section);
  layersByContent.set(content, layer);
  return layer;
}

/** The layer of a section. */
export function layerOfSection(section: Directive): ConfigLayer {
  return layerOf(section.children ?? [], section);
}

/** The value of a setting that the innermost layer decides: its first word. */
export function findSetting(layers: readonly ConfigLayer[], key: string): Directive | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const directive = layers[i]?.setting(key);
    if (directive) return directive;
  }
  return undefined;
}

const argumentCache = new WeakMap<Directive, readonly string[]>();

/** The words of a directive that request after request comes by: read once. */
export function argumentValuesOf(directive: Directive): readonly string[] {
  const before = argumentCache.get(directive);
  if (before) return before;
  const words = directive.arguments.map(({ value }) => value);
  argumentCache.set(directive, words);
  return words;
}

/** The first word of a directive; undefined where there is none. */
export function firstArgumentOf(directive: Directive | undefined): string | undefined {
  return directive && argumentValuesOf(directive)[0];
}

/** The first word of a directive that takes one of a few, such as `on` and `off`: in lower case, as httpd compares them. */
export function keywordArgumentOf(directive: Directive | undefined): string | undefined {
  return firstArgumentOf(directive)?.toLowerCase();
}
