import { type Directive, lineKeyOf } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { accessRulesOf } from "../../server/access/merge.js";
import { rulesTransforms } from "../../server/access/upgrade-guide.js";
import type { Semantics } from "../../server/model/answer.js";
import { formatLine, quoteLines } from "../../server/trace/step.js";
import { quoteText } from "../../text/words.js";
import { compare } from "../compare/compare.js";
import type { Difference } from "../model/comparison.js";
import { acceptNothing, type NamedDifference, nameDifferences } from "./acceptance.js";
import { textsByPath } from "./attempt-prover.js";
import { convert, type ExploredSource, exploreSource } from "./conversion.js";
import { findIneffectiveLines, type IneffectiveLines } from "./intent/ineffective-lines.js";
import { findOpenedRequests } from "./intent/opened-requests.js";
import { omitLines, restoreLines } from "./intent/section-statements.js";
import type { MigratedFile, MigrateOptions, Migration, ProvedMigration } from "./migration.js";
import type { MergeContext } from "./plan/contexts.js";
import { describeRule, describeStatedMethods } from "./plan/describe-require.js";
import { type Inexpressible, stateReason, uniqueByDirective } from "./plan/inexpressible.js";
import { mayDecide, separateHarmlessDifferences } from "./set-aside.js";

/**
 * Returns the lines without effect: without all of them, every request has the same result to which only their section
 * and those around it apply. Elsewhere, they may count together with the lines of another section: those of a site do at
 * `/server-status`, although inherited lines deny the site.
 */
export function confirmIneffective(
  explored: ExploredSource,
  semantics: Semantics,
  { onProgress }: MigrateOptions,
): readonly IneffectiveLines[] {
  const { source, contexts, goals, budget, steps } = explored;
  let left = findIneffectiveLines(contexts, goals.methods, rulesTransforms[semantics]);
  while (left.length > 0) {
    const without = source.again(omitLines(left));
    const sides = [source.before, without].map((project) => ({ project, semantics }) as const);
    const [before, after] = sides;
    if (before === undefined || after === undefined) break;
    const { differences } = compare(before, after, budget, { steps, onProgress });
    const own = new Map(left.map((each) => [each, findOwnDifferences(each, differences, contexts)]));
    if ([...own.values()].every((some) => some.length === 0))
      return left.map((each) => ({ ...each, isPartial: differences.length > 0 }));
    left = omitEffective(own);
  }
  return left;
}

/** Returns the differences at requests to which only the section of some lines and those around it apply. */
function findOwnDifferences(
  { layer: { section } }: IneffectiveLines,
  differences: readonly Difference[],
  contexts: readonly MergeContext[],
): readonly Difference[] {
  // The sections of a request do not show whether a `.htaccess` file applies.
  if (section === undefined) return differences;
  const key = lineKeyOf(section);
  const sectionsOf = ({ layers }: MergeContext) =>
    new Set(layers.flatMap((layer) => (layer.section ? [lineKeyOf(layer.section)] : [])));
  const [first, ...others] = contexts.map(sectionsOf).filter((keys) => keys.has(key));
  const around = new Set([...(first ?? [])].filter((each) => others.every((keys) => keys.has(each))));
  return differences.filter(({ regions }) =>
    regions.some(({ pathClass: { sections } }) => {
      const applying = (sections[0] ?? []).filter((each) => mayDecide(each) || lineKeyOf(each) === key);
      return applying.some((each) => lineKeyOf(each) === key) && applying.every((each) => around.has(lineKeyOf(each)));
    }),
  );
}

/**
 * Returns the lines that decide none of the requests that count for them. Without any that do, all of those left with
 * such requests are given up.
 */
function omitEffective(own: ReadonlyMap<IneffectiveLines, readonly Difference[]>): readonly IneffectiveLines[] {
  const all = [...own.keys()];
  const decides = (each: IneffectiveLines) => {
    const deciding = new Set((own.get(each) ?? []).flatMap(({ before }) => before.decidedBy.map(lineKeyOf)));
    return each.lines.some((line) => deciding.has(lineKeyOf(line)));
  };
  const applies = (each: IneffectiveLines) => {
    const { section } = each.layer;
    return section !== undefined && (own.get(each) ?? []).some((difference) => appliesTo(section, difference));
  };
  const counts = (each: IneffectiveLines) => (own.get(each) ?? []).length > 0;
  for (const isEffective of [decides, applies, counts])
    if (all.some(isEffective))
      return all.flatMap((each) =>
        isEffective(each) ? (each.withoutInherited ? [each.withoutInherited] : []) : [each],
      );
  return [];
}

function appliesTo(section: Directive, { regions }: Difference): boolean {
  const key = lineKeyOf(section);
  return regions.some(({ pathClass }) =>
    pathClass.sections.some((sections) => sections.some((each) => lineKeyOf(each) === key)),
  );
}

/** Returns the question about lines without effect: what they say, and what is decided instead. */
export function describeIneffective(each: IneffectiveLines): Inexpressible {
  const { lines, layer, now, written } = each;
  const requests = describeStatedMethods(each.methods);
  const [directive] = lines;
  const where = layer.section ? ` in ${quoteText(`${layer.section.name} ${layer.section.argumentText}`.trim())}` : "";
  return {
    ...stateReason("no-effect", quoteLines(lines), lines.length === 1, where),
    notes: [
      describeCause(each),
      ...(each.isPartial ? ["where another section has access lines of its own, these lines may count as well"] : []),
      ...(each.asksForUser ? ["2.2 asks for a password here, too: `Allow from all` only concerns addresses"] : []),
      `now${requests}: ${describeRule(now)}`,
      `as written${requests}: ${describeRule(written)}`,
    ],
    help: [
      "to give the lines this effect, add `--ineffective restore`",
      "to keep the access of today and delete them, add `--ineffective delete`",
    ],
    directive,
  };
}

function describeCause({ overriding, deciding, meant }: IneffectiveLines): string {
  const isOne = deciding.length === 1;
  if (overriding) return `the inherited ${quoteLines(deciding)} ${isOne ? "decides" : "decide"} instead`;
  if (meant?.isDefaultDeciding !== true) return `${quoteLines(deciding)} ${isOne ? "decides" : "decide"} instead`;
  return `${deciding.length === 0 ? "the default" : quoteLines(deciding)} allows every client, unless a Deny names it`;
}

/** Migrates a configuration in which lines without effect have the effect that they were written for. */
export function restore(
  ineffective: readonly IneffectiveLines[],
  explored: ExploredSource,
  semantics: Semantics,
  options: MigrateOptions,
): Migration {
  const { source, project, contexts } = explored;
  const texts = restoreLines(ineffective, project, contexts);
  const { withStartFixes } = source;
  const restored = exploreSource(
    {
      ...source,
      before: source.again(texts),
      after: (changed) => source.after(new Map([...texts, ...changed])),
      ...(withStartFixes && { withStartFixes: (changed) => withStartFixes(new Map([...texts, ...changed])) }),
    },
    semantics,
    options,
  );
  if (!restored.ok) return { verdict: "refused", refused: restored.error, comparison: undefined };
  const migration = convert(restored.value, semantics, options);
  const originals = textsByPath(source.before);
  const filesOf = (files: readonly MigratedFile[]) => withOriginals(files, texts, originals);
  if (migration.verdict === "refused") {
    const { proposal, ...others } = migration;
    return proposal ? { ...others, proposal: { ...proposal, files: filesOf(proposal.files) } } : migration;
  }
  const opened = refuseOpened(migration, explored, semantics, options);
  if (opened.verdict === "refused") return opened;
  const made = { ...migration, files: filesOf(migration.files), ineffective };
  const layers = ineffective.map(({ layer }) => layer);
  return withDifferences(made, explored, semantics, options, layers);
}

/** Returns the files with their original contents, including those that only the restoration changes. */
function withOriginals(
  files: readonly MigratedFile[],
  texts: ReadonlyMap<string, string>,
  originals: ReadonlyMap<string, string>,
): readonly MigratedFile[] {
  const after = new Map([...texts, ...files.map((file) => [file.path, file.after] as const)]);
  return [...after]
    .map(([path, text]) => ({ path, before: originals.get(path) ?? "", after: text }))
    .filter((file) => file.before !== file.after)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

/**
 * Refuses a migration by the semantics of the upgrade guide if it opens what should stay closed on the server as it
 * is.
 */
export function refuseOpened(
  migration: Migration,
  explored: ExploredSource,
  semantics: Semantics,
  options: MigrateOptions,
): Migration {
  if (semantics === "server" || migration.verdict === "refused") return migration;
  const layers = new Set(explored.contexts.flatMap((context) => context.layers));
  const opening = [...layers].filter((layer) => accessRulesOf(layer).compat !== undefined);
  const checked = withDifferences(migration, explored, "server", options, opening);
  return checked.verdict === "proved" ? migration : checked;
}

/**
 * Adds the requests that a migration answers differently than the configuration does now. Refuses it if it opens
 * requests that should stay closed, or breaks some.
 */
function withDifferences(
  migration: ProvedMigration,
  { source, contexts, goals, budget, steps }: ExploredSource,
  semantics: Semantics,
  { accept = acceptNothing, onProgress }: MigrateOptions,
  opening: Parameters<typeof findOpenedRequests>[1],
): Migration {
  const { after } = migration;
  const compared = compare({ project: source.before, semantics }, { project: after, semantics: "server" }, budget, {
    ...{ steps, followsUnknownPhases: true, onProgress },
  });
  const { comparison } = separateHarmlessDifferences(compared, goals.pages);
  if (comparison.unproved.length > 0) return { verdict: "refused", refused: [], comparison };
  const restored = nameDifferences(comparison.differences, comparison.methods);
  // The guide allows what a server does not: only denials of other sections show that requests should stay closed.
  const restoresLines = migration.ineffective.length > 0;
  const sides: readonly [Project, Project] = [source.before, after];
  const refused = [
    ...findOpenedRequests(comparison.differences, opening, contexts, sides, restoresLines, goals.pages).flatMap(
      ({ difference, reason }) =>
        describeOpened(
          restored.find((each) => each.difference === difference),
          reason,
          accept.ids,
        ),
    ),
    ...restored.filter(({ difference }) => difference.after.class === "500").map(describeBroken),
  ];
  if (refused.length > 0) {
    const proposal = { files: migration.files, differences: restored, methods: comparison.methods };
    return { verdict: "refused", refused: uniqueByDirective(refused), comparison: undefined, proposal };
  }
  return { ...migration, exceptions: { ...migration.exceptions, methods: comparison.methods, restored } };
}

function describeOpened(
  named: NamedDifference | undefined,
  reason: Inexpressible,
  accepted: ReadonlySet<string>,
): readonly Inexpressible[] {
  if (named === undefined || accepted.has(named.id)) return [];
  const help = [...(reason.help ?? []), `if they are to be open, add \`--accept ${named.id}\``];
  return [{ ...reason, ...stateReason("opens-requests", named.id, reason.reason), help }];
}

function describeBroken({ id, difference }: NamedDifference): Inexpressible {
  const [directive] = difference.after.decidedBy;
  const line = directive ? `: \`${formatLine(directive)}\`` : "";
  return { ...stateReason("breaks-requests", id, line), help: ["change the section by hand"], directive };
}
