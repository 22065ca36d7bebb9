import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { formatRefusal, isUnread, mergeRefusals } from "../../config/refusals/refusal.js";
import { isOfOtherModule } from "../../server/access/other-modules.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { isEarlyHeader } from "../../server/request/early-headers.js";
import { unmodelledKeys } from "../../server/unmodelled-directives.js";
import { omitUnreadHtaccess } from "../../server/walk/ignored-htaccess.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";
import { mapPair } from "../model/server-pairs.js";
import { type PlainReasonCode, reasonFor, type UnprovedPart } from "../model/unproved-reasons.js";

/** A kind of line that controls an unmodelled aspect. */
interface UnmodelledKind {
  readonly code: PlainReasonCode;
  readonly matchesLine: (line: Directive, project: Project) => boolean;
  /**
   * Whether the aspect counts as known if all such lines of a name on both sides are written alike: it is visible
   * whether one applies.
   */
  readonly isKnownAlike?: boolean;
}

const unmodelledKinds: readonly UnmodelledKind[] = [
  {
    code: "client-address",
    matchesLine: ({ key }) => key.startsWith("remoteip"),
  },
  {
    code: "early-headers",
    matchesLine: isEarlyHeader,
  },
  {
    code: "encoded-slashes",
    matchesLine: ({ key }) => key === "allowencodedslashes",
  },
  {
    code: "user-files",
    matchesLine: ({ key }) => /^auth.*(?:file|provider|alias)$/.test(key) || /^auth(?:ldap|dbd|n?zdbd|nz)/.test(key),
    isKnownAlike: true,
  },
  {
    code: "server-path",
    matchesLine: ({ key }) => key === "serverpath",
  },
  {
    code: "program-access",
    matchesLine: ({ key }) => key === "action" || key === "script",
  },
  {
    code: "effect-on-answer",
    matchesLine: ({ key }) => unmodelledKeys.has(key),
  },
  {
    code: "third-party-conditions",
    matchesLine: isOfOtherModule,
  },
  {
    code: "forward-proxy",
    matchesLine: (line, project) => isForwardProxy(project) && mayApplyToForwarded(line),
  },
  {
    code: "own-name-and-port",
    matchesLine: ({ key }, project) =>
      /^(?:usecanonicalname|usecanonicalphysicalport|servername|hostnamelookups)$/.test(key) && testsHostNames(project),
  },
  {
    code: "path-as-sent",
    matchesLine: (line, project) =>
      isOfSentPath(line) && variablesIn(line).some((name) => readingLinesOf(project).includes(name)),
  },
];

/** Returns the unmodelled aspects that may differ, because the two sides configure them differently. */
export function findUnmodelledDifferences(before: Project, after: Project): readonly UnprovedPart[] {
  const ofLines = unmodelledKinds.flatMap(({ code, matchesLine, isKnownAlike = false }) => {
    const [linesBefore, linesAfter] = mapPair([before, after], (project) =>
      linesIn(project).filter((line) => matchesLine(line, project)),
    );
    const isOpen = isKnownAlike ? findChangedLines([...linesBefore, ...linesAfter]) : () => true;
    const first = firstDifferentLine(linesAfter.filter(isOpen), linesBefore.filter(isOpen));
    return first ? [{ reason: reasonFor(code), directive: first, example: undefined }] : [];
  });
  return [...ofLines, ...findUnreadParts(before), ...findUnreadParts(after)];
}

/** Unread parts of the configuration may also change results. */
export const findUnreadParts = memoize((project: Project): readonly UnprovedPart[] => {
  const problem = mergeRefusals(omitUnreadHtaccess(project).problems.filter(isUnread));
  if (problem === undefined) return [];
  const reason = reasonFor("unread-part", formatRefusal(problem));
  return [{ reason, directive: undefined, example: undefined, isUnread: true }];
});

/** Returns a predicate for lines whose text differs from others of their name. */
function findChangedLines(lines: readonly Directive[]): (line: Directive) => boolean {
  const words = new Map<string, Set<string>>();
  for (const { key, argumentText } of lines) getOrCreate(words, key, () => new Set()).add(argumentText);
  return ({ key }) => key.startsWith("<") || (words.get(key)?.size ?? 0) > 1;
}

/**
 * Returns the first difference of two lists of lines. The order counts, because either the last line or all in turn may
 * apply.
 */
function firstDifferentLine(some: readonly Directive[], others: readonly Directive[]): Directive | undefined {
  const [texts, otherTexts] = [some.map(textOf), others.map(textOf)];
  const at = texts.findIndex((text, place) => text !== otherTexts[place]);
  if (at >= 0) return some[at];
  return others[some.length];
}

/** Includes the enclosing sections and the names of the virtual host, because many share one address. */
function textOf({ key, argumentText, parent, children }: Directive): string {
  const names =
    key === "<virtualhost" ? (children ?? []).filter((each) => /^server(?:name|alias)$/.test(each.key)) : [];
  const named = names.map((each) => `${each.key} ${each.argumentText}`).join(" ");
  return `${parent ? textOf(parent) : ""}\n${key} ${argumentText} ${named}`;
}

const testsHostNames = memoize((project: Project) =>
  linesIn(project).some(({ argumentText }) => /SERVER_(?:NAME|PORT)|REMOTE_HOST/i.test(argumentText)),
);

function linesIn(project: Project): readonly Directive[] {
  return [...iterateDirectives(project)];
}

const isForwardProxy = memoize((project: Project) =>
  linesIn(project).some((line) => line.key === "proxyrequests" && keywordArgumentOf(line) === "on"),
);

/** Lines apply to requests to other servers in a section that may match a whole URL, and in the server context. */
function mayApplyToForwarded(line: Directive): boolean {
  const { key, parent } = line;
  if (parent === undefined || parent.key === "<virtualhost")
    return (
      /^(?:proxyrequests$|setenv|browsermatch|rewrite|<proxy|<locationmatch$|<if$|<else)/.test(key) ||
      isUrlSection(line)
    );
  return mayApplyToForwarded(parent);
}

function isUrlSection(line: Directive): boolean {
  return line.key === "<location" && !(firstArgumentOf(line) ?? "").startsWith("/");
}

/** Directives in the server context read the path as it is sent. */
function isOfSentPath(line: Directive): boolean {
  const { key, parent } = line;
  const isAtServer = parent === undefined || parent.key === "<virtualhost";
  return isAtServer && /^setenvif(?:nocase)?$/.test(key) && /^request_uri$/i.test(argumentValuesOf(line)[0] ?? "");
}

function variablesIn(line: Directive): readonly string[] {
  return argumentValuesOf(line)
    .slice(2)
    .map((word) => word.replace(/^!/, "").replace(/=.*$/s, "").toLowerCase());
}

const readingDirectives = new Set(["allow", "deny", "require", "rewritecond", "<if", "<elseif", "authzprovideralias"]);

/** The arguments of lines that read request variables for access control, in lower case. */
const readingLinesOf = memoize((project: Project) =>
  linesIn(project)
    .flatMap(({ key, argumentText }) => (readingDirectives.has(key) ? [argumentText.toLowerCase()] : []))
    .join("\n"),
);
