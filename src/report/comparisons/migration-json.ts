import type { NamedDifference } from "../../proof/migrate/acceptance.js";
import type { IneffectiveLines } from "../../proof/migrate/intent/ineffective-lines.js";
import type { MigratedFile, Migration, OpenChoice, Proposal, ProvedMigration } from "../../proof/migrate/migration.js";
import type { Inexpressible } from "../../proof/migrate/plan/access-policy.js";
import { describeRule } from "../../proof/migrate/plan/describe-require.js";
import { formatLine } from "../../server/trace/step.js";
import { formatJson } from "../../text/escaping.js";
import { sourceFile } from "../../text/source.js";
import { assumptionsToJson, DecisionJson, redactText } from "../answers/decision-json.js";
import { editToJson } from "../findings/json.js";
import { maskFile, maskVariableValues } from "../secrets/redaction.js";
import { secretValuesOf } from "../secrets/secret-names.js";
import { listLineEdits } from "../text/file-changes.js";
import { PlaceResolver } from "../text/source-places.js";
import { DifferenceJson } from "./comparison-json.js";

/** Renders a migration as JSON, as `migrate.schema.json` describes it. */
export function* renderMigrationJson(
  migration: Migration,
  base: string | undefined,
  assumptions: readonly string[] = [],
): Generator<string> {
  const { verdict, ...result } = migrationToJson(migration, base);
  yield `${formatJson({ verdict, ...assumptionsToJson(assumptions), ...result }, 2)}\n`;
}

function migrationToJson(migration: Migration, base: string | undefined): { readonly verdict: Migration["verdict"] } {
  const { verdict } = migration;
  const result = migration.verdict === "proved" ? provedToJson(migration, base) : refusedToJson(migration, base);
  return { verdict, ...result };
}

function provedToJson({ files, exceptions, ineffective }: ProvedMigration, base: string | undefined): object {
  const { byRelease, samePage, accepted, restored, faults, methods } = exceptions;
  const decisions = new DecisionJson(new PlaceResolver(base));
  const differences = new DifferenceJson(decisions, methods);
  const listOf = (name: string, all: readonly object[]) => (all.length === 0 ? {} : { [name]: all });
  return {
    files: filesToJson(files, base),
    refused: [],
    ...listOf(
      "byRelease",
      byRelease.map((each) => differences.difference(each)),
    ),
    ...listOf(
      "samePage",
      samePage.map((each) => differences.difference(each)),
    ),
    ...listOf(
      "accepted",
      accepted.map((each) => namedToJson(each, differences)),
    ),
    ...listOf(
      "restored",
      restored.map((each) => namedToJson(each, differences)),
    ),
    ...listOf(
      "faults",
      faults.map(({ id, fault }) => ({ id, ...reasonToJson(fault, decisions) })),
    ),
    ...listOf(
      "ineffective",
      ineffective.map((each) => ineffectiveToJson(each, decisions)),
    ),
  };
}

function filesToJson(files: readonly MigratedFile[], base: string | undefined): readonly object[] {
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
      edits: listLineEdits(before, after).map(({ start, end, text, newLine, count }) =>
        editToJson({ file, start, end }, isOpen(text, newLine, count) ? text : undefined, places),
      ),
    };
  });
}

function namedToJson({ id, isStricter, difference }: NamedDifference, differences: DifferenceJson): object {
  return { id, stricter: isStricter, difference: differences.difference(difference) };
}

function proposalToJson({ files, differences, methods }: Proposal, base: string | undefined): object {
  const writer = new DifferenceJson(new DecisionJson(new PlaceResolver(base)), methods);
  return { files: filesToJson(files, base), differences: differences.map((each) => namedToJson(each, writer)) };
}

function refusedToJson(migration: Migration & { readonly verdict: "refused" }, base: string | undefined): object {
  const { comparison, proposal, choice } = migration;
  const decisions = new DecisionJson(new PlaceResolver(base));
  const differences = comparison && new DifferenceJson(decisions, comparison.methods);
  return {
    files: [],
    refused: migration.refused.map((each) => reasonToJson(each, decisions)),
    ...(comparison && differences
      ? {
          differences: comparison.differences.map((each) => differences.difference(each)),
          unknown: comparison.unproved.map((each) => decisions.unproved(each)),
        }
      : {}),
    ...(proposal ? { proposal: proposalToJson(proposal, base) } : {}),
    ...(choice ? { choice: choiceToJson(choice, decisions, base) } : {}),
  };
}

function reasonToJson({ reason, notes = [], help = [], directive }: Inexpressible, decisions: DecisionJson): object {
  return {
    ...(directive ? { location: decisions.location(directive.span) } : {}),
    reason: redactText([reason, ...notes, ...help].map(formatSentence).join(" ")),
  };
}

function choiceToJson({ ineffective, results }: OpenChoice, decisions: DecisionJson, base: string | undefined): object {
  return {
    ineffective: ineffective.map((each) => ineffectiveToJson(each, decisions)),
    restore: migrationToJson(results.restore, base),
    delete: migrationToJson(results.delete, base),
  };
}

function ineffectiveToJson({ lines, now, written }: IneffectiveLines, decisions: DecisionJson): object {
  return {
    lines: lines.map((line) => ({ location: decisions.location(line.span), text: redactText(formatLine(line)) })),
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
