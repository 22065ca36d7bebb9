import type { Directive } from "../../config/model/directive.js";
import { type ConfigLayer, layerOf } from "../model/config-layer.js";
import type { ListenAddress, Server } from "../model/server.js";

/** A virtual host. There may be thousands, and for most only the address is needed: the rest is read on demand. */
export class VirtualHost implements Server {
  private own: ConfigLayer | undefined;
  private allLayers: readonly ConfigLayer[] | undefined;

  /** @param addresses the same list for all hosts with identical addresses */
  constructor(
    readonly section: Directive,
    readonly main: Server,
    readonly addresses: readonly ListenAddress[],
  ) {}

  get directives(): readonly Directive[] {
    return this.section.children ?? [];
  }

  get layer(): ConfigLayer {
    this.own ??= layerOf(this.directives, this.section);
    return this.own;
  }

  get layers(): readonly ConfigLayer[] {
    this.allLayers ??= [...this.main.layers, this.layer];
    return this.allLayers;
  }
}
