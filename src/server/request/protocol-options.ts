import type { Directive } from "../../config/model/directive.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";

const protocolOptions: ReadonlySet<string> = new Set(["httpprotocoloptions"]);

/** Returns the HttpProtocolOptions line that sets an option, unless a later word sets the opposite. */
export function findProtocolOption(
  layers: readonly ConfigLayer[],
  option: string,
  opposite: string,
): Directive | undefined {
  const lines = layers.flatMap((layer) => layer.pick(protocolOptions));
  const words = lines.flatMap((line) => argumentValuesOf(line).map((word) => ({ line, word: word.toLowerCase() })));
  const last = words.findLast(({ word }) => word === option || word === opposite);
  return last?.word === option ? last.line : undefined;
}
