import type { Directive } from "../project/directive.js";

/** Directives that lie over each other request by request: those of a server, a section, or a `.htaccess` file. */
export class Layer {
  /** What stands in it, Limit sections and Require containers with their contents behind them. */
  readonly directives: readonly Directive[];
  private readonly last = new Map<string, Directive>();
  private readonly picked = new Map<ReadonlySet<string>, readonly Directive[]>();

  constructor(
    readonly content: readonly Directive[],
    /** The section; undefined for a server's own directives and a `.htaccess` file's. */
    readonly section: Directive | undefined,
  ) {
    this.directives = withContents(content);
    for (const directive of this.directives) this.last.set(directive.key, directive);
  }

  /** The directive of a name that counts: the last. */
  setting(key: string): Directive | undefined {
    return this.last.get(key);
  }

  /** The directives of some names, in their order; picked out once for each set of names. */
  only(keys: ReadonlySet<string>): readonly Directive[] {
    const known = this.picked.get(keys) ?? this.directives.filter(({ key }) => keys.has(key));
    this.picked.set(keys, known);
    return known;
  }

  has(key: string): boolean {
    return this.last.has(key);
  }
}

/** Sections whose content belongs to what is around them. */
const transparent = new Set(["<limit", "<limitexcept", "<requireall", "<requireany", "<requirenone"]);

function withContents(content: readonly Directive[]): readonly Directive[] {
  if (!content.some((directive) => transparent.has(directive.key))) return content;
  return content.flatMap((directive) =>
    directive.children && transparent.has(directive.key)
      ? [directive, ...withContents(directive.children)]
      : [directive],
  );
}

const layers = new WeakMap<readonly Directive[], Layer>();

/** The layer of some content, made once. */
export function layerOf(content: readonly Directive[], section: Directive | undefined): Layer {
  const known = layers.get(content);
  if (known) return known;
  const layer = new Layer(content, section);
  layers.set(content, layer);
  return layer;
}

/** The layer of a section. */
export function layerOfSection(section: Directive): Layer {
  return layerOf(section.children ?? [], section);
}

/** The value of a setting that the innermost layer decides: its first word. */
export function settingIn(layers: readonly Layer[], key: string): Directive | undefined {
  for (let i = layers.length - 1; i >= 0; i--) {
    const directive = layers[i]?.setting(key);
    if (directive) return directive;
  }
  return undefined;
}
