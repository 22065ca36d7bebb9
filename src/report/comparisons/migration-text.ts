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
import { formatPatch } from "../text/file-changes.js";
import { ReportPrinter } from "../text/report-printer.js";
import { PlaceResolver } from "../text/source-places.js";
import { ALL_SHOWN, type TextStyle } from "../text/text-printer.js";
import { formatConditions } from "./client-words.js";
import { DifferenceText, describeShownAnswer } from "./difference-text.js";

/** Limit of the changed requests shown. */
const MAX_SHOWN = 10;

/** Renders the changes in the format of `patch` and `git apply`, or the reason why there are none. */
export function* renderMigrationDiff(migration: Migration, style: TextStyle): Generator<string> {
  if (migration.verdict === "refused") {
    yield* explainRefusal(migration, style);
    return;
  }
  const places = new PlaceResolver(style.base);
  yield* formatPatches(migration.files, places);
}

function* formatPatches(files: readonly MigratedFile[], places: PlaceResolver): Generator<string> {
  for (const { path, before, after } of files) yield formatPatch(places.patchPath(path), before, after);
}

function* explainRefusal(refusal: NotMigrated, style: TextStyle): Generator<string> {
  const printer = new ReportPrinter(style);
  const { bold, red } = printer.colours;
  yield `${bold(red("not migrated"))}: ${printer.wrap("all files are converted at once, or none; no file was changed", 14)}\n`;
  yield* describeReasons(refusal, printer, new PlaceResolver(style.base));
}

function* describeReasons(
  { refused, comparison, proposal, choice }: NotMigrated,
  printer: ReportPrinter,
  places: PlaceResolver,
): Generator<string> {
  for (const { reason, notes = [], help = [], directive } of refused) {
    yield `  ${directive ? `${printer.formatPlace(directive)}: ` : ""}${printer.wrap(reason, 4)}\n`;
    for (const note of notes) yield `    = note: ${printer.wrap(note, 12)}\n`;
    for (const advice of help) yield `    = help: ${printer.wrap(advice, 12)}\n`;
  }
  if (choice) for (const name of ineffectiveChoices) yield* describeChoice(name, choice, printer, places);
  if (proposal) yield* describeProposal(proposal, printer, places);
  if (comparison === undefined) return;
  const { differences, unproved, byServer, provedExcept } = comparison;
  if (differences.length > 0) yield "Requests that the closest conversion would change:\n";
  const shown = printer.isVerbose ? differences : differences.slice(0, MAX_SHOWN);
  const moves = new Set<string>();
  for (const difference of shown) {
    const { request, assumptions, before, after } = difference;
    const given = formatAssumptions(assumptions);
    const example = `${describeRequest(request)}${given.length === 0 ? "" : `, ${formatConditions(given)}`}`;
    const change = `${example}: ${describeShownAnswer(before)} now, ${describeShownAnswer(after)} after the conversion`;
    const [line] = before.decidedBy;
    yield `  ${line ? `${printer.formatPlace(line)}: ${printer.wrap(`\`${formatLine(line)}\``, 4)}\n    ` : ""}${printer.wrap(change, 4)}\n`;
    const move = describeMove(difference);
    if (move === undefined || moves.has(move)) continue;
    moves.add(move);
    yield `    = note: ${printer.wrap(move, 12)}\n`;
    yield `    = help: ${printer.wrap("run `httpd-lint check --from 2.2`, which names the cause, and correct it first", 12)}\n`;
  }
  const left = differences.length - shown.length;
  if (left > 0) yield `  and ${left} more (${ALL_SHOWN})\n`;
  if (unproved.length > 0) yield printer.unprovedList("Not proved:", unproved);
  yield printer.serverProofs(byServer);
  yield printer.provedRest(provedExcept);
}

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

/** Renders the result of a choice about lines without effect: the requests that it changes, and the files. */
function* describeChoice(
  name: IneffectiveChoice,
  { results }: OpenChoice,
  printer: ReportPrinter,
  places: PlaceResolver,
): Generator<string> {
  const result = results[name];
  const flag = `--ineffective ${name}`;
  if (result.verdict === "refused") {
    yield `\nWith \`${flag}\`: not migrated\n`;
    yield* describeReasons(result, printer, places);
    return;
  }
  const { restored, methods } = result.exceptions;
  yield `\nWith \`${flag}\`:\n`;
  yield* describeDifferences(restored, methods, printer);
  yield* formatPatches(result.files, places);
}

/** Renders all differences of a proposed migration with their IDs, and its changes. */
function* describeProposal(
  { differences, files, methods }: Proposal,
  printer: ReportPrinter,
  places: PlaceResolver,
): Generator<string> {
  yield* describeDifferences(differences, methods, printer);
  yield differences.length > 0 ? "\nChanges with these differences:\n" : "\nChanges:\n";
  yield* formatPatches(files, places);
}

function* describeDifferences(
  differences: readonly NamedDifference[],
  methods: ProbedMethods,
  printer: ReportPrinter,
): Generator<string> {
  for (const { id, difference } of differences) {
    const single: ConfigComparison = {
      ...{ verdict: "different", differences: [difference], unproved: [], uncomparedRequests: [], methods },
      ...{ serverPairs: new Set(difference.regions.map(({ pair }) => pair)).size, pathClasses: 0 },
    };
    yield* new DifferenceText(printer, ["now", "after"], single, false, `${id}:`).all();
  }
}
