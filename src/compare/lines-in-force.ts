import type { Directive } from "../project/directive.js";
import type { Layer } from "../scope/layer.js";
import type { Server } from "../scope/server.js";
import type { PathCell } from "./path-cell.js";

/** A line of the usual length counts as one, and a longer one as so many. */
const USUAL_LENGTH = 64;

/** Of these those that apply are counted by themselves; they are found without a look at the others. */
const found = /^<(?:virtualhost|directory|location|files|proxy)$/;

const known = new WeakMap<Layer | Directive, number>();

/** About how many lines a request for some paths is held against: those of the servers, and of the sections that apply. */
export function linesInForce(servers: readonly Server[], { sections }: PathCell): number {
  const layers = new Set(servers.flatMap((server) => server.layers));
  const applying = new Set(sections.flat());
  let lines = 0;
  for (const layer of layers) lines += remembered(layer, () => linesOf(layer.directives));
  for (const section of applying) lines += remembered(section, () => linesOf(section.children ?? []));
  return lines;
}

function remembered(of: Layer | Directive, count: () => number): number {
  const lines = known.get(of) ?? count();
  known.set(of, lines);
  return lines;
}

function linesOf(directives: readonly Directive[]): number {
  const read = directives.filter(({ key }) => !found.test(key));
  return read.reduce((sum, { argumentText }) => sum + 1 + Math.floor(argumentText.length / USUAL_LENGTH), 0);
}
