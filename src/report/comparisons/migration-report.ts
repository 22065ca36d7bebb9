import type { NamedDifference } from "../../proof/migrate/acceptance.js";
import {
  type IneffectiveChoice,
  ineffectiveChoices,
  type MigratedFile,
  type Migration,
  type NotMigrated,
  type OpenChoice,
  type Proposal,
} from "../../proof/migrate/migration.js";
import type { ConfigComparison, Difference, ProbedMethods } from "../../proof/model/comparison.js";
import { describeRequest, formatAssumptions } from "../../server/model/request.js";
import type { Server } from "../../server/model/server.js";
import { formatLine } from "../../server/trace/step.js";
import type { Block, BlockOptions, Item } from "../blocks/block.js";
import { blockOptionsOf, TextLayout } from "../blocks/text-layout.js";
import { ALL_SHOWN, type TextStyle } from "../text/text-printer.js";
import { formatConditions } from "./client-words.js";
import { describeShownAnswer, listDifferences } from "./difference-blocks.js";
import { listServerProofs, listUnproved } from "./unproved-blocks.js";

/** Limit of the changed requests shown. */
const MAX_SHOWN = 10;

/** Renders the changes in the format of `patch` and `git apply`, or the reason why there are none. */
export function renderMigrationDiff(migration: Migration, style: TextStyle): Generator<string> {
  const options = blockOptionsOf(style);
  const blocks =
    migration.verdict === "refused" ? listRefusal(migration, options) : listPatches(migration.files, options);
  return new TextLayout(style).render(blocks);
}

/**
 * Yields the blocks of a migration: the verdict, the notes and the changes, or the reason why there are none.
 *
 * @param notes about a proved migration, with or without the name of the program before them
 */
export function* listMigration(
  migration: Migration,
  notes: readonly string[],
  options: BlockOptions,
): Generator<Block> {
  if (migration.verdict === "refused") {
    yield* listRefusal(migration, options);
    return;
  }
  const [summary = "", ...others] = notes.map((note) => note.replace(/^httpd-lint: /, ""));
  yield {
    kind: "verdict",
    verdict: migration.files.length > 0 ? "proved" : "unchanged",
    tone: "good",
    text: summary.replace(/^proved: /, ""),
  };
  if (others.length > 0) yield { kind: "items", items: others.map((text) => ({ text })) };
  if (migration.files.length > 0) yield { kind: "heading", level: "part", text: "Changes" };
  yield* listPatches(migration.files, options);
}

function* listPatches(files: readonly MigratedFile[], { places }: BlockOptions): Generator<Block> {
  for (const { path, before, after } of files) yield { kind: "patch", path: places.patchPath(path), before, after };
}

function* listRefusal(refusal: NotMigrated, options: BlockOptions): Generator<Block> {
  const text = "all files are converted at once, or none; no file was changed";
  yield { kind: "verdict", verdict: "not migrated", tone: "bad", text };
  yield* listReasons(refusal, options);
}

function* listReasons({ refused, comparison, proposal, choice }: NotMigrated, options: BlockOptions): Generator<Block> {
  const reasons = refused.map(({ reason, notes = [], help = [], directive }) => ({
    ...{ text: reason, notes, help },
    ...(directive ? { span: directive.span } : {}),
  }));
  if (reasons.length > 0) yield { kind: "items", items: reasons };
  if (choice) for (const name of ineffectiveChoices) yield* listChoice(name, choice, options);
  if (proposal) yield* listProposal(proposal, options);
  if (comparison === undefined) return;
  const { differences, unproved, byServer, provedExcept } = comparison;
  if (differences.length > 0) {
    yield { kind: "paragraph", text: "Requests that the closest conversion would change:" };
    yield { kind: "items", items: listChangedRequests(differences, options) };
    const left = differences.length - MAX_SHOWN;
    if (left > 0 && !options.isVerbose) yield { kind: "items", items: [{ text: `and ${left} more (${ALL_SHOWN})` }] };
  }
  yield* listUnproved("Not proved", unproved, options);
  yield* listServerProofs(byServer, provedExcept, options);
}

function listChangedRequests(differences: readonly Difference[], { isVerbose }: BlockOptions): readonly Item[] {
  const moves = new Set<string>();
  return (isVerbose ? differences : differences.slice(0, MAX_SHOWN)).map((difference) => {
    const { request, assumptions, before, after } = difference;
    const given = formatAssumptions(assumptions);
    const example = `${describeRequest(request)}${given.length === 0 ? "" : `, ${formatConditions(given)}`}`;
    const change = `${example}: ${describeShownAnswer(before)} now, ${describeShownAnswer(after)} after the conversion`;
    const [line] = before.decidedBy;
    const move = describeMove(difference);
    const isNew = move !== undefined && !moves.has(move);
    if (isNew) moves.add(move);
    return {
      ...(line ? { span: line.span, text: `\`${formatLine(line)}\``, details: [change] } : { text: change }),
      ...(isNew ? { notes: [move], help: [MOVE_HELP] } : {}),
    };
  });
}

const MOVE_HELP = "run `httpd-lint check --from 2.2`, which names the cause, and correct it first";

/** Describes the hosts that answer a request on both sides; undefined if they have one name. */
function describeMove({ regions: [region] }: Difference): string | undefined {
  const [now, after] = region?.pair.servers.map(nameOfServer) ?? [];
  return now === after ? undefined : `${now} answers this request now, ${after} after the conversion`;
}

function nameOfServer({ section }: Server): string {
  if (section === undefined) return "the main server";
  const name = section.children?.findLast(({ key }) => key === "servername")?.argumentText;
  return name === undefined ? "a virtual host without ServerName" : `the host \`${name}\``;
}

/** Yields the result of a choice about lines without effect: the requests that it changes, and the files. */
function* listChoice(name: IneffectiveChoice, { results }: OpenChoice, options: BlockOptions): Generator<Block> {
  const result = results[name];
  const flag = `--ineffective ${name}`;
  yield { kind: "space" };
  if (result.verdict === "refused") {
    yield { kind: "paragraph", text: `With \`${flag}\`: not migrated` };
    yield* listReasons(result, options);
    return;
  }
  const { restored, methods } = result.exceptions;
  yield { kind: "paragraph", text: `With \`${flag}\`:` };
  yield* listNamedDifferences(restored, methods, options);
  yield* listPatches(result.files, options);
}

/** Yields all differences of a proposed migration with their IDs, and its changes. */
function* listProposal({ differences, files, methods }: Proposal, options: BlockOptions): Generator<Block> {
  yield* listNamedDifferences(differences, methods, options);
  yield { kind: "space" };
  yield { kind: "paragraph", text: differences.length > 0 ? "Changes with these differences:" : "Changes:" };
  yield* listPatches(files, options);
}

function* listNamedDifferences(
  differences: readonly NamedDifference[],
  methods: ProbedMethods,
  options: BlockOptions,
): Generator<Block> {
  for (const { id, difference } of differences) {
    const single: ConfigComparison = {
      ...{ verdict: "different", differences: [difference], unproved: [], uncomparedRequests: [], methods },
      ...{ serverPairs: new Set(difference.regions.map(({ pair }) => pair)).size, pathClasses: 0 },
    };
    yield* listDifferences(single, ["now", "after"], { ...options, label: `${id}:` });
  }
}
