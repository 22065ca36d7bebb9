import type { ConfigComparison, ServerProofs, Unproved } from "../../proof/model/comparison.js";
import { nameOfPair, sectionOfPair } from "../../proof/model/server-pairs.js";
import { formatCount, formatNumber } from "../../text/words.js";
import type { Block, BlockOptions, Item } from "../blocks/block.js";

/** Limit of the servers in one sentence. */
const MAX_SERVERS = 5;

/** Yields a heading with all unproved or unknown parts; nothing if there are none. */
export function* listUnproved(title: string, all: readonly Unproved[]): Generator<Block> {
  if (all.length === 0) return;
  yield { kind: "heading", level: "list", text: title };
  yield { kind: "items", items: all.map(toItem) };
}

function toItem({ reason, help, directive, example }: Unproved): Item {
  const text = `${reason}${example === undefined ? "" : ` (e.g. \`${example}\`)`}`;
  return { text, ...(directive ? { span: directive.span } : {}), ...(help ? { help } : {}) };
}

/** Yields the servers that a comparison is proved for, and those for which it is open; nothing if it is open for all. */
export function* listServerProofs(
  found: ServerProofs | undefined,
  provedExcept: ConfigComparison["provedExcept"],
  { isVerbose, places }: BlockOptions,
): Generator<Block> {
  if (found) {
    const { proved, open, all } = found;
    const shown = open.slice(0, isVerbose ? undefined : MAX_SERVERS).map((pair) => {
      const section = sectionOfPair(pair);
      return section ? `${nameOfPair(pair)} (${places.format(section.span)})` : nameOfPair(pair);
    });
    const left = open.length - shown.length;
    const more = left > 0 ? `, and ${formatCount(left, "more server")}` : "";
    const text = `Proved for ${formatNumber(proved.length)} of ${formatCount(all, "server")}. Not proved for: ${shown.join(", ")}${more}`;
    yield { kind: "paragraph", text, isNote: true };
  }
  if (provedExcept !== undefined)
    yield { kind: "paragraph", text: "Proved for all requests that do not lead to the directories of users" };
}
