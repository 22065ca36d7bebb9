import type { NamedDifference } from "../../proof/migrate/acceptance.js";
import type { IneffectiveLines } from "../../proof/migrate/intent/ineffective-lines.js";
import type { MigratedFile, Migration, OpenChoice, Proposal, ProvedMigration } from "../../proof/migrate/migration.js";
import { describeRule } from "../../proof/migrate/plan/describe-require.js";
import type { Inexpressible } from "../../proof/migrate/plan/inexpressible.js";
import { formatLine } from "../../server/trace/step.js";
import { unlessEmpty } from "../../text/collections.js";
import { formatJson } from "../../text/escaping.js";
import { sourceFile } from "../../text/source.js";
import { AnswerJsonWriter, assumptionsToJson, redactText } from "../answers/answer-json.js";
import { editPlaceToJson, editToJson } from "../findings/json.js";
import type { ineffectiveLinesSchema, migrateOutput, namedDifferenceSchema } from "../schema/comparisons.js";
import type { JsonOf } from "../schema/parts.js";
import { maskFile, maskVariableValues } from "../secrets/redaction.js";
import { secretValuesOf } from "../secrets/secret-names.js";
import { listLineEdits } from "../text/file-changes.js";
import { PlaceResolver } from "../text/source-places.js";
import { DifferenceJson } from "./comparison-json.js";

type MigrationFields = JsonOf<typeof migrateOutput>;
type FileJson = MigrationFields["files"][number];

/** Renders a migration as JSON, as `migrate.schema.json` describes it. */
export function* renderMigrationJson(
  migration: Migration,
  base: string | undefined,
  assumptions: readonly string[] = [],
): Generator<string> {
  const { verdict, ...result } = migrationToJson(migration, base);
  const whole: MigrationFields = { verdict, assumptions: assumptionsToJson(assumptions), ...result };
  yield `${formatJson(whole, 2)}\n`;
}

function migrationToJson(migration: Migration, base: string | undefined): MigrationFields {
  return migration.verdict === "proved" ? provedToJson(migration, base) : refusedToJson(migration, base);
}

function provedToJson(
  { verdict, files, exceptions, ineffective, hasOpenDifferences = false }: ProvedMigration,
  base: string | undefined,
): MigrationFields {
  const { byRelease, samePage, accepted, restored, faults, methods } = exceptions;
  const json = new AnswerJsonWriter(new PlaceResolver(base));
  const differences = new DifferenceJson(json, methods);
  return {
    verdict: hasOpenDifferences ? "unchanged" : verdict,
    files: filesToJson(files, base),
    refused: [],
    byRelease: unlessEmpty(byRelease.map((each) => differences.difference(each))),
    samePage: unlessEmpty(samePage.map((each) => differences.difference(each))),
    accepted: unlessEmpty(accepted.map((each) => namedToJson(each, differences))),
    restored: unlessEmpty(restored.map((each) => namedToJson(each, differences))),
    faults: unlessEmpty(faults.map(({ id, fault }) => ({ id, ...reasonToJson(fault, json) }))),
    ineffective: unlessEmpty(ineffective.map((each) => ineffectiveToJson(each, json))),
  };
}

/** Returns changed files with their edits; an edit that contains a secret has no text. */
export function filesToJson(
  files: readonly Pick<MigratedFile, "path" | "before" | "after">[],
  base: string | undefined,
): readonly FileJson[] {
  const places = new PlaceResolver(base);
  return files.map(({ path, before, after }) => {
    const file = sourceFile(path, before);
    const changed = sourceFile(path, after);
    const words = secretValuesOf([file, changed]);
    const [lines, masked] = [after.split("\n"), maskFile(changed).split("\n")];
    // Masked, an edit would destroy the secret.
    const isOpen = (text: string, newLine: number, count: number) =>
      lines.slice(newLine, newLine + count).every((line, index) => line === masked[newLine + index]) &&
      maskVariableValues(text, words) === text;
    return {
      path: places.displayPath(path),
      edits: listLineEdits(before, after).map(({ start, end, text, newLine, count }) => {
        const edit = { span: { file, start, end }, text };
        return isOpen(text, newLine, count)
          ? editToJson(edit, places)
          : { ...editPlaceToJson(edit, places), omitted: "secret" };
      }),
    };
  });
}

function namedToJson(
  { id, isStricter, difference }: NamedDifference,
  differences: DifferenceJson,
): JsonOf<typeof namedDifferenceSchema> {
  return { id, stricter: isStricter, difference: differences.difference(difference) };
}

function proposalToJson(
  { files, differences, methods }: Proposal,
  base: string | undefined,
): MigrationFields["proposal"] {
  const writer = new DifferenceJson(new AnswerJsonWriter(new PlaceResolver(base)), methods);
  return { files: filesToJson(files, base), differences: differences.map((each) => namedToJson(each, writer)) };
}

function refusedToJson(
  { verdict, refused, comparison, proposal, choice }: Exclude<Migration, ProvedMigration>,
  base: string | undefined,
): MigrationFields {
  const json = new AnswerJsonWriter(new PlaceResolver(base));
  const differences = comparison && new DifferenceJson(json, comparison.methods);
  return {
    verdict,
    files: [],
    refused: refused.map((each) => reasonToJson(each, json)),
    differences: differences && comparison.differences.map((each) => differences.difference(each)),
    unknown: comparison?.unproved.map((each) => json.unproved(each)),
    servers: json.serverProofs(comparison?.byServer),
    provedExcept: comparison?.provedExcept,
    proposal: proposal && proposalToJson(proposal, base),
    choice: choice && choiceToJson(choice, json, base),
  };
}

function reasonToJson(
  { reason, notes = [], help = [], directive }: Inexpressible,
  json: AnswerJsonWriter,
): MigrationFields["refused"][number] {
  return {
    location: directive && json.place(directive.span),
    reason: redactText([reason, ...notes, ...help].map(formatSentence).join(" ")),
  };
}

function choiceToJson(
  { ineffective, results }: OpenChoice,
  json: AnswerJsonWriter,
  base: string | undefined,
): MigrationFields["choice"] {
  return {
    ineffective: ineffective.map((each) => ineffectiveToJson(each, json)),
    restore: migrationToJson(results.restore, base),
    delete: migrationToJson(results.delete, base),
  };
}

function ineffectiveToJson(
  { lines, now, written }: IneffectiveLines,
  json: AnswerJsonWriter,
): JsonOf<typeof ineffectiveLinesSchema> {
  return {
    lines: lines.map((line) => ({ location: json.place(line.span), text: redactText(formatLine(line)) })),
    now: redactText(describeRule(now)),
    written: redactText(describeRule(written)),
  };
}

/** Renders a clause as a sentence; a name in front keeps its case. */
function formatSentence(clause: string): string {
  const isName = /^(?:`|httpd\b|mod_|\d)/.test(clause);
  const sentence = isName ? clause : clause.charAt(0).toUpperCase() + clause.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
