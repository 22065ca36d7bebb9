import type { Directive } from "../project/directive.js";
import { type Layer, settingIn } from "./layer.js";
import { type SectionFacts, sectionFacts } from "./section-facts.js";
import type { Server } from "./servers.js";

/** Layers that the server merges among themselves before it lays the result over the earlier groups. */
export interface Group {
  readonly kind: "server" | "directory" | "proxy" | "files" | "location" | "if" | "alias";
  readonly layers: readonly Layer[];
}

type Step = Group["kind"] | Layer;

/**
 * What groups of layers come to, one laid over the other (`request_rec.per_dir_config`). Requests that come by the same
 * sections share it, so that what follows from these alone is worked out once.
 */
export class PerDirConfig {
  readonly groups: readonly Group[];
  /** Those of all groups, one after the other. */
  readonly layers: readonly Layer[];
  /** Without those of the server. */
  readonly sections: readonly Layer[];
  private settings: Map<string, Directive | undefined> | undefined;
  private known: SectionFacts | undefined;
  /** With another group behind it, and with another layer in its last group; mostly there is one such, which is the first. */
  private longer: Map<Step, PerDirConfig> | undefined;
  private first: PerDirConfig | undefined;

  /** @param count of all that were made out of each other */
  private constructor(
    readonly server: Server,
    before: PerDirConfig | undefined,
    /** What this was made of another with. */
    private readonly step: Step,
    readonly last: Group,
    private readonly count: { made: number },
  ) {
    count.made++;
    this.groups = before ? [...before.groups, last] : [last];
    this.layers = before ? [...before.layers, ...last.layers] : last.layers;
    this.sections = before ? [...before.sections, ...last.layers] : [];
  }

  static ofServer(server: Server, count: { made: number }): PerDirConfig {
    return new PerDirConfig(server, undefined, "server", { kind: "server", layers: server.layers }, count);
  }

  /** With a group laid over it. */
  under(kind: Group["kind"], layers: readonly Layer[]): PerDirConfig {
    let config = this.at(kind) ?? this.lengthened(kind, this, { kind, layers: [] });
    for (const layer of layers)
      config = config.at(layer) ?? config.lengthened(layer, this, { kind, layers: [...config.last.layers, layer] });
    return config;
  }

  private at(step: Step): PerDirConfig | undefined {
    return this.first?.step === step ? this.first : this.longer?.get(step);
  }

  private lengthened(step: Step, before: PerDirConfig, last: Group): PerDirConfig {
    const made = new PerDirConfig(this.server, before, step, last, this.count);
    if (this.first === undefined) this.first = made;
    else {
      this.longer ??= new Map();
      this.longer.set(step, made);
    }
    return made;
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
