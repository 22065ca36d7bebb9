import { type EarlySetter, earlySettersIn } from "./environment.js";
import { type IfSections, ifSectionsIn } from "./if-sections.js";
import type { Layer } from "./layer.js";
import { namesGroups } from "./named-groups.js";
import { Once } from "./once.js";
import type { PerDirConfig } from "./per-dir-config.js";
import type { Server } from "./server.js";
import { type Naming, namingOf } from "./server-names.js";

/** What follows from the sections that apply, whatever the request. */
export interface SectionFacts {
  readonly naming: Naming;
  /** The lines that set variables early, layer by layer: those of the sections; for a server alone its own. */
  readonly setters: readonly (readonly EarlySetter[])[];
  /** Whether the pattern of any section has named groups. */
  readonly namesGroups: boolean;
  /** The If sections in all layers, and those in the last group. */
  readonly ifs: IfSections;
  readonly lastIfs: IfSections;
}

export function sectionFacts({ server, groups, layers, sections, last }: PerDirConfig): SectionFacts {
  const own = groups.length > 1 ? sections : layers;
  return {
    // Most sections have no say in it.
    naming: sections.some(saysNames) ? namingOf(server, layers) : namingsOfServers.of(server),
    setters: own.map(earlySettersIn).filter(({ length }) => length > 0),
    namesGroups: layers.some(namesGroups),
    ifs: ifSectionsIn(layers),
    lastIfs: ifSectionsIn(last.layers),
  };
}

const sayingNames: ReadonlySet<string> = new Set(["usecanonicalname", "usecanonicalphysicalport", "hostnamelookups"]);

function saysNames(layer: Layer): boolean {
  return layer.only(sayingNames).length > 0;
}

const namingsOfServers = new Once((server: Server) => namingOf(server, server.layers));
