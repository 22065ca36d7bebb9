import type { Directive } from "../project/directive.js";
import { type Layer, settingIn } from "./layer.js";
import { type SectionFacts, sectionFacts } from "./section-facts.js";
import type { Server } from "./server.js";

/** Layers that the server merges among themselves before it lays the result over the earlier groups. */
export interface Group {
  readonly kind: "server" | "directory" | "proxy" | "files" | "location" | "if" | "alias";
  readonly layers: readonly Layer[];
}

type Whole = Readonly<Record<"layers" | "sections", readonly Layer[]>> & { readonly groups: readonly Group[] };

function wholeOf(before: PerDirConfig | undefined, last: Group): Whole {
  if (before === undefined) return { groups: [last], layers: last.layers, sections: [] };
  return {
    groups: [...before.groups, last],
    layers: [...before.layers, ...last.layers],
    sections: [...before.sections, ...last.layers],
  };
}

type Step = Group["kind"] | Layer;

/**
 * What groups of layers come to, one laid over the other (`request_rec.per_dir_config`). Requests that come by the same
 * sections share it, so that what follows from these alone is worked out once.
 */
export class PerDirConfig {
  private own: Whole | undefined;
  private settings: Map<string, Directive | undefined> | undefined;
  private known: SectionFacts | undefined;
  /** With another layer in its last group or in a new one, or with an empty group; mostly there is one, which is the first. */
  private longer: Map<Step, PerDirConfig> | undefined;
  private first: PerDirConfig | undefined;

  /** @param count of all that were made out of each other */
  private constructor(
    readonly server: Server,
    private readonly before: PerDirConfig | undefined,
    /** What this was made of another with. */
    private readonly step: Step,
    readonly last: Group,
    private readonly count: { made: number },
  ) {
    count.made++;
  }

  static ofServer(server: Server, count: { made: number }): PerDirConfig {
    return new PerDirConfig(server, undefined, "server", { kind: "server", layers: server.layers }, count);
  }

  /** Apart from all that requests come by. @param groups that of the server first */
  static of(server: Server, groups: readonly Group[]): PerDirConfig {
    const start = PerDirConfig.ofServer(server, { made: 0 });
    return groups.slice(1).reduce((config, { kind, layers }) => config.under(kind, layers), start);
  }

  /** With a group laid over it. */
  under(kind: Group["kind"], layers: readonly Layer[]): PerDirConfig {
    if (layers.length === 0) return this.at(kind, this, kind, layers);
    let config: PerDirConfig = this;
    for (const [index, layer] of layers.entries())
      config = config.at(layer, this, kind, index === layers.length - 1 ? layers : layers.slice(0, index + 1));
    return config;
  }

  /** @param before what the group that has come to be some layers is laid over */
  private at(step: Step, before: PerDirConfig, kind: Group["kind"], layers: readonly Layer[]): PerDirConfig {
    const known = this.first?.step === step ? this.first : this.longer?.get(step);
    if (known?.before === before && known.last.kind === kind) return known;
    const made = new PerDirConfig(this.server, before, step, { kind, layers }, this.count);
    if (this.first === undefined) this.first = made;
    else {
      this.longer ??= new Map();
      this.longer.set(step, made);
    }
    return made;
  }

  get groups(): readonly Group[] {
    return this.whole.groups;
  }

  /** Those of all groups, one after the other. */
  get layers(): readonly Layer[] {
    return this.whole.layers;
  }

  /** Without those of the server. */
  get sections(): readonly Layer[] {
    return this.whole.sections;
  }

  /** Put together where it is asked for: most are only on the way to others. */
  private get whole(): Whole {
    this.own ??= wholeOf(this.before, this.last);
    return this.own;
  }

  get facts(): SectionFacts {
    this.known ??= sectionFacts(this);
    return this.known;
  }

  /** The directive in force of those that each count by themselves: the innermost. */
  setting(key: string): Directive | undefined {
    this.settings ??= new Map();
    const known = this.settings.get(key);
    if (known !== undefined || this.settings.has(key)) return known;
    const found = settingIn(this.layers, key);
    this.settings.set(key, found);
    return found;
  }

  has(key: string): boolean {
    return this.setting(key) !== undefined;
  }
}
