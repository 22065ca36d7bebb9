import type { Directive } from "../../config/model/directive.js";
import { memoize } from "../../text/memoize.js";
import { type ConfigLayer, findSetting } from "../model/config-layer.js";
import type { Server } from "../model/server.js";
import { hasNameCheck, type NamingConfig, nameSettingsOf } from "../request/server-names.js";
import { type EarlySetter, earlySettersOf } from "../request/setenvif.js";
import { findIfSections, type IfSections } from "./if-sections.js";
import { hasNamedGroups } from "./section-index.js";

/**
 * Per-directory configurations that the server merges with each other before it merges the result over the earlier
 * groups.
 */
export interface MergeGroup {
  readonly kind: "server" | "directory" | "proxy" | "files" | "location" | "if" | "alias";
  readonly layers: readonly ConfigLayer[];
}

type MergedLayers = Readonly<Record<"layers" | "sections", readonly ConfigLayer[]>> & {
  readonly groups: readonly MergeGroup[];
};

function mergedLayersOf(before: PerDirConfig | undefined, last: MergeGroup): MergedLayers {
  if (before === undefined) return { groups: [last], layers: last.layers, sections: [] };
  return {
    groups: [...before.groups, last],
    layers: [...before.layers, ...last.layers],
    sections: [...before.sections, ...last.layers],
  };
}

type Step = MergeGroup["kind"] | ConfigLayer;

/**
 * A sequence of merged groups (`request_rec.per_dir_config`). Requests with the same sections share it, so that derived
 * values are computed once.
 */
export class PerDirConfig {
  private own: MergedLayers | undefined;
  private settings: Map<string, Directive | undefined> | undefined;
  private known: SectionFacts | undefined;
  /**
   * Extensions by another element in the last group or a new one, or by an empty group; there is usually one, stored as
   * the first.
   */
  private extensions: Map<Step, PerDirConfig> | undefined;
  private firstExtension: PerDirConfig | undefined;

  /** @param count shared by all configurations derived from each other */
  private constructor(
    readonly server: Server,
    private readonly before: PerDirConfig | undefined,
    /** The step by which it was derived. */
    private readonly step: Step,
    readonly last: MergeGroup,
    private readonly count: { made: number },
  ) {
    count.made++;
  }

  static ofServer(server: Server, count: { made: number }): PerDirConfig {
    return new PerDirConfig(server, undefined, "server", { kind: "server", layers: server.layers }, count);
  }

  /** Returns a configuration separate from those of requests. @param groups the server's first */
  static fromGroups(server: Server, groups: readonly MergeGroup[]): PerDirConfig {
    const start = PerDirConfig.ofServer(server, { made: 0 });
    return groups.slice(1).reduce((config, { kind, layers }) => config.extend(kind, layers), start);
  }

  /** Returns the configuration with another group merged over it. */
  extend(kind: MergeGroup["kind"], layers: readonly ConfigLayer[]): PerDirConfig {
    if (layers.length === 0) return this.extendBy(kind, this, kind, layers);
    let config: PerDirConfig = this;
    for (const [index, layer] of layers.entries())
      config = config.extendBy(layer, this, kind, index === layers.length - 1 ? layers : layers.slice(0, index + 1));
    return config;
  }

  /** @param before the configuration below the group that the elements form */
  private extendBy(
    step: Step,
    before: PerDirConfig,
    kind: MergeGroup["kind"],
    layers: readonly ConfigLayer[],
  ): PerDirConfig {
    const known = this.firstExtension?.step === step ? this.firstExtension : this.extensions?.get(step);
    if (known?.before === before && known.last.kind === kind) return known;
    const made = new PerDirConfig(this.server, before, step, { kind, layers }, this.count);
    if (this.firstExtension === undefined) this.firstExtension = made;
    else {
      this.extensions ??= new Map();
      this.extensions.set(step, made);
    }
    return made;
  }

  get groups(): readonly MergeGroup[] {
    return this.merged.groups;
  }

  /** The elements of all groups, in order. */
  get layers(): readonly ConfigLayer[] {
    return this.merged.layers;
  }

  /** The elements other than the server's. */
  get sections(): readonly ConfigLayer[] {
    return this.merged.sections;
  }

  /** Computed on demand: most configurations are only steps to others. */
  private get merged(): MergedLayers {
    this.own ??= mergedLayersOf(this.before, this.last);
    return this.own;
  }

  get facts(): SectionFacts {
    this.known ??= computeSectionFacts(this);
    return this.known;
  }

  /** Returns the innermost directive of a name, for directives that merge individually. */
  setting(key: string): Directive | undefined {
    this.settings ??= new Map();
    const known = this.settings.get(key);
    if (known !== undefined || this.settings.has(key)) return known;
    const found = findSetting(this.layers, key);
    this.settings.set(key, found);
    return found;
  }

  has(key: string): boolean {
    return this.setting(key) !== undefined;
  }
}

/** Facts derived from the sections that apply, independent of the request. */
interface SectionFacts {
  readonly naming: NamingConfig;
  /** The directives that set variables early, grouped by section; for only a server, its own. */
  readonly setters: readonly (readonly EarlySetter[])[];
  /** Whether the pattern of any section has named groups. */
  readonly namesGroups: boolean;
  /** The If sections in the whole configuration, and those in the last group. */
  readonly ifs: IfSections;
  readonly lastIfs: IfSections;
}

function computeSectionFacts({ server, groups, layers, sections, last }: PerDirConfig): SectionFacts {
  const own = groups.length > 1 ? sections : layers;
  return {
    // Most sections do not affect it.
    naming: sections.some(setsNaming) ? nameSettingsOf(server, layers) : serverNameSettingsOf(server),
    setters: own.map(earlySettersOf).filter(({ length }) => length > 0),
    namesGroups: layers.some(hasNamedGroups),
    ifs: findIfSections(layers),
    lastIfs: findIfSections(last.layers),
  };
}

const namingDirectives: ReadonlySet<string> = new Set([
  "usecanonicalname",
  "usecanonicalphysicalport",
  "hostnamelookups",
]);

function setsNaming(layer: ConfigLayer): boolean {
  return layer.pick(namingDirectives).length > 0 || hasNameCheck(layer);
}

const serverNameSettingsOf = memoize((server: Server) => nameSettingsOf(server, server.layers));
