import type { ConfigComparison, ServerProofs, Unproved } from "../../proof/model/comparison.js";
import { nameOfPair, sectionOfPair } from "../../proof/model/server-pairs.js";
import { formatCount, formatNumber } from "../../text/words.js";
import type { Block, BlockOptions, Item } from "../blocks/block.js";
import { formatMore, groupByKey } from "../text/text-printer.js";

/** Limit of the servers in one sentence. */
const MAX_SERVERS = 5;
/** Fewer parts with the reason of another are listed as it is. */
const MIN_SAME = 3;

/**
 * Yields a heading with all unproved or unknown parts, and nothing if there are none. The first of those with one reason
 * names the lines of the others.
 */
export function* listUnproved(title: string, all: readonly Unproved[], options: BlockOptions): Generator<Block> {
  if (all.length === 0) return;
  yield { kind: "heading", level: "list", text: title };
  const groups = groupByKey(all, ({ reason, help, directive, example }) =>
    JSON.stringify([reason, help, directive ? "" : example]),
  );
  const items = groups.flatMap(({ first, others }) =>
    others.length < MIN_SAME || options.isVerbose
      ? [first, ...others].map((each) => toItem(each))
      : [toItem(first, others, options)],
  );
  yield { kind: "items", items };
}

function toItem(
  { reason, help, directive, example }: Unproved,
  others: readonly Unproved[] = [],
  options?: BlockOptions,
): Item {
  const text = `${reason}${example === undefined ? "" : ` (e.g. \`${example}\`)`}`;
  const lines = options
    ? others.flatMap(({ directive }) => (directive ? options.places.format(directive.span) : []))
    : [];
  return {
    ...{ text, ...(directive ? { span: directive.span } : {}), ...(help ? { help } : {}) },
    ...(lines.length > 0 ? { notes: [`the same applies to ${formatMore("line", lines, false)}`] } : {}),
  };
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
