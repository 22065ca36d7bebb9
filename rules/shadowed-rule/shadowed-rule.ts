import {
  compatDirectiveNames,
  findShadowedLines,
  formatLineTitle,
  listSkippedLines,
  type ShadowedLine,
  ShadowFinder,
} from "../../src/rule-api/access.js";
import { type Directive, type Project, type Scope, walkProject } from "../../src/rule-api/configuration.js";
import { defineRule, type Fix, formatWordList, type MessageText, removeLines } from "../../src/rule-api/rule.js";

const MAX_NAMED = 3;

const listDeciding = ({ by }: ShadowedLine) => {
  const named = by.slice(0, by.length > MAX_NAMED ? MAX_NAMED - 1 : MAX_NAMED).map(formatLineTitle);
  const more = by.length > named.length ? [`${by.length - named.length} more`] : [];
  return formatWordList([...named, ...more]);
};

const describeReason = (line: ShadowedLine) =>
  line.by.length === 1 ? `${listDeciding(line)} always decides` : "other lines always decide";

const remedies = ["delete it; if it is intended, correct the lines that decide instead"];

const messages = {
  /** @param order the line that sets the Order; undefined if the default applies */
  restrictsNothing: (line: Directive, order: Directive | undefined) => ({
    message: `${formatLineTitle(line)} restricts nothing: the section has no \`Deny\``,
    notes: [
      `${order ? "" : "the default, "}\`Order deny,allow\`${order ? "" : ","} allows clients that no line matches`,
    ],
    help: ["to allow only the listed clients, use `Order allow,deny`"],
  }),
  deniesAnyway: (line: Directive, order: Directive) => ({
    message: `${formatLineTitle(line)} has no effect: the section has no \`Allow\``,
    notes: [`${formatLineTitle(order)} denies clients that no line matches`],
    help: ["to deny only the listed clients, add `Allow from all`"],
  }),
  shadowed: (line: ShadowedLine) => ({
    message: `${formatLineTitle(line.directive)} has no effect: ${describeReason(line)}`,
    ...(line.by.length === 1 ? {} : { notes: [`${listDeciding(line)} decide every request that this line matches`] }),
    help: remedies,
  }),
  noEffect: (line: Directive) => ({
    message: `${formatLineTitle(line)} has no effect on access`,
    notes: ["the section makes the same decisions without it"],
    help: remedies,
  }),
};

const labels = { decides: "decides instead", alike: "same here" };

const fixTitles = { delete: "Delete this line" };

export const shadowedRule = defineRule({
  id: "shadowed-rule",
  title: "Access rule without effect",
  group: "access",
  severity: "warning",
  description: "An access control line without which its section makes the same decision for every request.",
  help: "Other lines of the section decide every request that this one matches. Under `Order allow,deny`, a Deny overrides an Allow. In RequireAny, one Require that grants access is sufficient; in RequireAll, one that denies it is. One network may contain another. This is proved for every client, user, method and variable. Delete the line, or correct the line that is wrong.",
  tags: ["access-control", "correctness"],
  messages,
  check: ({ project, report }) => {
    const finder = new ShadowFinder();
    const shadowedLines: ShadowedFinding[] = [];
    return {
      scope: {
        holding: [...compatDirectiveNames, "require"],
        visit(scope) {
          if (elsewhere.has(scope.place)) return;
          const lines = findShadowedLines(scope, project, finder);
          if (lines.length === 0) return;
          const removed = new Set(lines.map(({ directive }) => directive));
          for (const line of lines) shadowedLines.push({ ...line, scope, removed });
        },
        passesAlikeHosts: true,
      },
      pending: () => shadowedLines.length,
      end() {
        const isCertain = isEverywhere(shadowedLines, project);
        const skipped = shadowedLines.some(({ scope }) => scope.inHtaccess) ? listSkippedLines(project) : [];
        const reported = new Set<string>();
        for (const line of shadowedLines) {
          const { directive, by, scope } = line;
          if (isIdiom(line)) continue;
          // If a file is read several times, one finding covers all.
          if (reported.has(placeOf(directive))) continue;
          reported.add(placeOf(directive));
          if (!isCertain(directive) || scope.directives.some((each) => skipped.some((file) => file.has(each))))
            continue;
          const onesided = onesidedLinesOf(line);
          const fix = onesided ? undefined : removalOf(line);
          // One finding covers all Allow lines of a section without Deny.
          for (const other of onesided?.slice(1) ?? []) reported.add(placeOf(other));
          report({
            message: createMessage(line, onesided !== undefined),
            span: directive.span,
            related: [
              ...by.map(({ span }) => ({ message: labels.decides, span })),
              ...(onesided ?? []).slice(1).map(({ span }) => ({ message: labels.alike, span })),
            ],
            ...(fix ? { fix } : {}),
          });
        }
      },
    };
  },
});

interface ShadowedFinding extends ShadowedLine {
  readonly scope: Scope;
  /** All redundant lines of the section. */
  readonly removed: ReadonlySet<Directive>;
}

/** Access control is rejected there, or the context is unknown. */
const elsewhere: ReadonlySet<string> = new Set(["unknown", "server", "virtualhost"]);

function createMessage(line: ShadowedFinding, isOnesided: boolean): MessageText {
  const { directive, by } = line;
  if (isOnesided) {
    const [order] = by;
    return order === undefined || directive.key === "allow"
      ? messages.restrictsNothing(directive, order)
      : messages.deniesAnyway(directive, order);
  }
  return by.length === 0 ? messages.noEffect(directive) : messages.shadowed(line);
}

/**
 * Returns the Allow lines of a section without Deny under `Order deny,allow`, or the Deny lines of one without Allow
 * under `Order allow,deny`: the Order decides for every client. Returns undefined if another line decides.
 */
function onesidedLinesOf({ directive: { key }, by, scope }: ShadowedFinding): readonly Directive[] | undefined {
  const opposite = { allow: "deny", deny: "allow" }[key];
  if (opposite === undefined || !by.every((line) => line.key === "order")) return undefined;
  if (scope.directives.some((line) => line.key === opposite)) return undefined;
  const lines = scope.directives.filter((line) => line.key === key);
  return lines.some(namesAll) ? undefined : lines;
}

/** Returns whether a line is the `Allow from all` of `Order deny,allow`, a common way to allow every client. */
function isIdiom({ directive, by }: ShadowedLine): boolean {
  return directive.key === "allow" && namesAll(directive) && by.every((line) => line.key === "order");
}

/** Returns whether an Allow or Deny line matches every client. */
function namesAll({ argumentText }: Directive): boolean {
  return /^from\s+all$/i.test(argumentText.trim());
}

function placeOf({ span: { file, start } }: Directive): string {
  return `${file.realPath}:${start}`;
}

/** Returns whether a line is redundant each time that it is read: a file may be included in two sections. */
function isEverywhere(shadowedLines: readonly ShadowedFinding[], project: Project): (directive: Directive) => boolean {
  const included = shadowedLines.filter(({ directive }) => directive.reading.includedFrom !== undefined);
  const left = new Map(included.map(({ directive }) => [placeOf(directive), 0]));
  const count = (directive: Directive, by: 1 | -1) => {
    const place = placeOf(directive);
    const before = left.get(place);
    if (before !== undefined) left.set(place, before + by);
  };
  if (left.size > 0) {
    const names = [...compatDirectiveNames, "require", "<requireall", "<requireany", "<requirenone"];
    const visit = (directive: Directive) => count(directive, 1);
    walkProject(project, [{ directives: Object.fromEntries(names.map((name) => [name, visit])) }], () => 0);
    for (const { directive } of included) count(directive, -1);
  }
  return (directive) => !("macro" in directive.span.file) && (left.get(placeOf(directive)) ?? 0) === 0;
}

/** Constructs that can make a section different on another server: the line may matter there. */
const conditional = /^[\t ]*(?:<if(?:module|define|version|file|directive|section)\b|include|use[\t ])|\$\{/im;

/**
 * Returns whether a line allows all clients. A line next to it that names clients or users is likely the intended one.
 */
function grantsAll({ key, argumentText }: Directive): boolean {
  return key === "require" && /^all\s+granted$/i.test(argumentText.trim());
}

/**
 * Returns a fix that deletes the line; undefined if it is not on a line of its own, or if that leaves an empty
 * container or a dangling comment.
 */
function removalOf({ directive, by, scope, removed }: ShadowedFinding): Fix | undefined {
  const { parent, span } = directive;
  if (by.some(grantsAll) && !grantsAll(directive)) return undefined;
  const edit = directive.children === undefined ? removeLines(span) : undefined;
  if (edit === undefined) return undefined;
  const isOnlyContent = parent !== scope.section && (parent?.children ?? []).every((each) => removed.has(each));
  const { text } = span.file;
  const before = text.slice(0, edit.span.start).trimEnd();
  const isNoted = /^[\t ]*#/.test(before.slice(before.lastIndexOf("\n") + 1));
  if (isOnlyContent || isNoted || conditional.test(textOf(scope, text))) return undefined;
  return { title: fixTitles.delete, safety: "safe", edits: [edit] };
}

/** Returns the text from the opening of a section to its end; for a `.htaccess` file, all of it. */
function textOf({ section, content }: Scope, text: string): string {
  if (section === undefined) return text;
  const last = content.at(-1)?.span.end ?? section.span.end;
  const end = text.indexOf("</", last);
  return text.slice(section.span.end, end < 0 ? text.length : end);
}
