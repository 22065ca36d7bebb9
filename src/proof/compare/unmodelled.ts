import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { iterateDirectives } from "../../config/queries/directive-tree.js";
import { formatRefusal, isUnread, mergeRefusals } from "../../config/refusals/refusal.js";
import { isOfOtherModule } from "../../server/access/other-modules.js";
import { argumentValuesOf, firstArgumentOf, keywordArgumentOf } from "../../server/model/config-layer.js";
import { documentOf } from "../../server/phases/error-documents.js";
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
  /** Returns the part of the arguments that counts. Default: all. */
  readonly read?: (line: Directive) => string;
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
    code: "file-content",
    matchesLine: (line, project) => mayGiveContentHandler(line, project),
  },
  {
    code: "error-document",
    matchesLine: mayReplaceStatus,
    // All URLs have one status.
    read: (line) => (documentOf(line)?.kind === "url" ? `${firstArgumentOf(line)} URL` : line.argumentText),
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
  const ofLines = unmodelledKinds.flatMap(({ code, matchesLine, isKnownAlike = false, read }) => {
    const [linesBefore, linesAfter] = mapPair([before, after], (project) =>
      linesIn(project).filter((line) => matchesLine(line, project)),
    );
    const isOpen = isKnownAlike ? findChangedLines([...linesBefore, ...linesAfter]) : () => true;
    const first = firstDifferentLine(linesAfter.filter(isOpen), linesBefore.filter(isOpen), read);
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
function firstDifferentLine(
  some: readonly Directive[],
  others: readonly Directive[],
  read?: (line: Directive) => string,
): Directive | undefined {
  const [texts, otherTexts] = mapPair([some, others], (lines) => lines.map((line) => textOf(line, read?.(line))));
  const at = texts.findIndex((text, place) => text !== otherTexts[place]);
  if (at >= 0) return some[at];
  return others[some.length];
}

/** Includes the enclosing sections and the names of the virtual host, because many share one address. */
function textOf({ key, argumentText, parent, children }: Directive, read = argumentText): string {
  const names =
    key === "<virtualhost" ? (children ?? []).filter((each) => /^server(?:name|alias)$/.test(each.key)) : [];
  const named = names.map((each) => `${each.key} ${each.argumentText}`).join(" ");
  return `${parent ? textOf(parent) : ""}\n${key} ${read} ${named}`;
}

/**
 * The handlers, and the types that stand for one, by which the content of a file decides the answer: type maps and image
 * maps name other URLs, and a file that is sent as it is may have a status.
 */
const contentHandlers: ReadonlyMap<string, string> = new Map([
  ["type-map", "negotiation_module"],
  ["application/x-type-map", "negotiation_module"],
  ["imap-file", "imagemap_module"],
  ["application/x-httpd-imap", "imagemap_module"],
  ["send-as-is", "asis_module"],
  ["httpd/send-as-is", "asis_module"],
]);

/** Reports whether a line gives files a handler that reads their content, configures it, or takes it away. */
function mayGiveContentHandler(line: Directive, project: Project): boolean {
  const { key } = line;
  if (/^(?:(?:add|set)handler|addtype|forcetype)$/.test(key) && namesContentHandler(line, project)) return true;
  const lines = contentLinesOf(project);
  if (lines.length === 0) return false;
  if (/^(?:imap|removehandler$|removetype$|sethandler$|forcetype$)/.test(key)) return true;
  if (key !== "addhandler" && key !== "addtype") return false;
  const extensions = new Set(lines.flatMap(extensionsIn));
  return extensionsIn(line).some((extension) => extensions.has(extension));
}

function namesContentHandler(line: Directive, { modules, modulesAreKnown }: Project): boolean {
  const module = contentHandlers.get(keywordArgumentOf(line) ?? "");
  return module !== undefined && (modules.has(module) || !modulesAreKnown);
}

const contentLinesOf = memoize((project: Project) =>
  linesIn(project).filter(
    (line) => /^(?:(?:add|set)handler|addtype|forcetype)$/.test(line.key) && namesContentHandler(line, project),
  ),
);

function extensionsIn(line: Directive): readonly string[] {
  return argumentValuesOf(line)
    .slice(1)
    .map((word) => word.toLowerCase().replace(/^\./, ""));
}

/**
 * Reports whether an ErrorDocument may replace the status of the error: a URL is a redirect, and a path may lead to a
 * program, a backend or a rule. A page or a text leaves it.
 */
function mayReplaceStatus(line: Directive, project: Project): boolean {
  if (line.key !== "errordocument") return false;
  const document = documentOf(line);
  return document?.kind === "url" || (document?.kind === "path" && mayAnswerOtherwise(project));
}

const mayAnswerOtherwise = memoize((project: Project) =>
  linesIn(project).some(
    ({ key }) =>
      /^(?:proxypass|rewriterule$|action$|script|wsgiscript|fallbackresource$|luamaphandler$|jkmount|passenger)/.test(
        key,
      ) || /^(?:add|set)handler$/.test(key),
  ),
);

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
