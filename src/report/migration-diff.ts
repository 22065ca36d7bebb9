import type { Migration, NotMigrated } from "../migrate/migrate.js";
import { givenWords, requestText } from "../scope/request-text.js";
import { lineText } from "../simulate/written.js";
import type { Look } from "./painter.js";
import { patchOf } from "./patch.js";
import { Places } from "./places.js";
import { Teller } from "./teller.js";

/** So many requests that would be answered otherwise are told of. */
const MOST_SHOWN = 10;

/** What is to be changed, as `patch` and `git apply` read it; where nothing is, why not. */
export function* migrationDiff(migration: Migration, look: Look): Generator<string> {
  if (migration.verdict === "refused") {
    yield* reasons(migration, new Teller(look));
    return;
  }
  const places = new Places(look.base);
  for (const { path, before, after } of migration.files) yield patchOf(places.named(path), before, after);
}

function* reasons({ refused, comparison }: NotMigrated, teller: Teller): Generator<string> {
  const { bold, red } = teller.colours;
  yield `${bold(red("not migrated"))}: ${teller.say("all of it moves at once or nothing does, and this stands in the way; nothing is written", 14)}\n`;
  for (const { reason, directive } of refused)
    yield `  ${directive ? `${teller.where(directive)}: ` : ""}${teller.say(reason, 4)}\n`;
  if (comparison === undefined) return;
  const { differences, unproved } = comparison;
  for (const { request, given, before, after } of differences.slice(0, MOST_SHOWN)) {
    const such = givenWords(given).map((each) => `, where ${each}`);
    const told = `${requestText(request)}${such.join("")}: ${before.class} now, and ${after.class} with what comes closest`;
    const [line] = before.decidedBy;
    yield `  ${line ? `${teller.where(line)}: ${teller.say(`\`${lineText(line)}\``, 4)}\n    ` : ""}${teller.say(told, 4)}\n`;
  }
  if (differences.length > MOST_SHOWN) yield `  and ${differences.length - MOST_SHOWN} more\n`;
  if (unproved.length > 0) yield teller.doubts("not proved", unproved);
}
