import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import { inOne, isUnread } from "../project/problems.js";
import type { Project } from "../project/project.js";
import { isEarlyHeader } from "../scope/early-headers.js";
import { Once } from "../scope/once.js";
import { withoutUnreadFiles } from "../scope/unread-files.js";
import { wordsOf } from "../scope/words.js";
import type { Unproved } from "./doubts.js";

/** Lines that say how what is not gone through is answered. */
interface Kind {
  /** As a clause. */
  readonly reason: string;
  readonly isMeant: (line: Directive, project: Project) => boolean;
  /** Whether all is known where every such line of a name has the same words: it is seen whether one is in force. */
  readonly isKnownAlike?: boolean;
}

export const earlyHeaders = "what it makes of headers before they are looked at is not gone through";

const kinds: readonly Kind[] = [
  {
    reason: "what it refuses gets 405, which counts as let in here",
    isMeant: ({ key }) => key === "allowmethods",
  },
  {
    reason: "who may tell mod_remoteip the client's address is not gone through",
    isMeant: ({ key }) => key.startsWith("remoteip"),
  },
  {
    reason: earlyHeaders,
    isMeant: isEarlyHeader,
  },
  {
    reason: "paths with escaped slashes in them are not gone through",
    isMeant: ({ key }) => key === "allowencodedslashes",
  },
  {
    reason: "which users and groups are in which file, and who else vouches for them, is not gone through",
    isMeant: ({ key }) => /^auth.*(?:file|provider|alias)$/.test(key) || /^auth(?:ldap|dbd|n?zdbd|nz)/.test(key),
    isKnownAlike: true,
  },
  {
    reason: "where it leads requests without a Host header is not gone through",
    isMeant: ({ key }) => key === "serverpath",
  },
  {
    reason: "who may have the program that it hands requests on to is not gone through",
    isMeant: ({ key }) => key === "action" || key === "script",
  },
  {
    reason: "what the server calls itself, and at what port, is not gone through",
    isMeant: ({ key }, project) =>
      /^(?:usecanonicalname|usecanonicalphysicalport|servername|hostnamelookups)$/.test(key) &&
      askingForNames.of(project),
  },
  {
    reason: "it looks at the path as it is sent, and paths with escapes that are not needed are not gone through",
    isMeant: (line, project) =>
      isOfSentPath(line) && variablesIn(line).some((name) => askedFor.of(project).includes(name)),
  },
];

/** What is not gone through and may be answered differently, since the two sides say something else of it. */
export function notGoneThrough(before: Project, after: Project): readonly Unproved[] {
  const ofLines = kinds.flatMap(({ reason, isMeant, isKnownAlike = false }) => {
    const [old = [], now = []] = [before, after].map((project) =>
      linesIn(project).filter((line) => isMeant(line, project)),
    );
    const isOpen = isKnownAlike ? saysOther([...old, ...now]) : () => true;
    const first = firstOther(now.filter(isOpen), old.filter(isOpen));
    return first ? [{ reason, directive: first, example: undefined }] : [];
  });
  return [...ofLines, ...unreadParts.of(before), ...unreadParts.of(after)];
}

/** By what was not read there may be other answers, too. */
export const unreadParts = new Once((project: Project): readonly Unproved[] => {
  const problem = inOne(withoutUnreadFiles(project).problems.filter(isUnread));
  return problem ? [{ reason: problem.message, directive: undefined, example: undefined, isUnread: true }] : [];
});

/** Tells the lines that others of their name say other words than. */
function saysOther(lines: readonly Directive[]): (line: Directive) => boolean {
  const words = new Map<string, Set<string>>();
  for (const { key, argumentText } of lines) words.set(key, (words.get(key) ?? new Set()).add(argumentText));
  return ({ key }) => key.startsWith("<") || (words.get(key)?.size ?? 0) > 1;
}

/** Where two lists of lines part: the order counts, since of several lines the last or all in turn may. */
function firstOther(some: readonly Directive[], others: readonly Directive[]): Directive | undefined {
  const [texts, otherTexts] = [some.map(textOf), others.map(textOf)];
  const at = texts.findIndex((text, place) => text !== otherTexts[place]);
  if (at >= 0) return some[at];
  return others[some.length];
}

/** With the sections that it stands in, and the names of its virtual host: many have one address. */
function textOf({ key, argumentText, parent, children }: Directive): string {
  const names =
    key === "<virtualhost" ? (children ?? []).filter((each) => /^server(?:name|alias)$/.test(each.key)) : [];
  const said = names.map((each) => `${each.key} ${each.argumentText}`).join(" ");
  return `${parent ? textOf(parent) : ""}\n${key} ${argumentText} ${said}`;
}

const askingForNames = new Once((project: Project) =>
  linesIn(project).some(({ argumentText }) => /SERVER_(?:NAME|PORT)|REMOTE_HOST/i.test(argumentText)),
);

function linesIn(project: Project): readonly Directive[] {
  return [...allDirectives(project)];
}

/** The server's own lines look at the path as it is sent. */
function isOfSentPath(line: Directive): boolean {
  const { key, parent } = line;
  const isAtServer = parent === undefined || parent.key === "<virtualhost";
  return isAtServer && /^setenvif(?:nocase)?$/.test(key) && /^request_uri$/i.test(wordsOf(line)[0] ?? "");
}

function variablesIn(line: Directive): readonly string[] {
  return wordsOf(line)
    .slice(2)
    .map((word) => word.replace(/^!/, "").replace(/=.*$/s, "").toLowerCase());
}

const asking = new Set(["allow", "deny", "require", "rewritecond", "<if", "<elseif", "authzprovideralias"]);

/** What access asks for, in lower case. */
const askedFor = new Once((project: Project) =>
  linesIn(project)
    .flatMap(({ key, argumentText }) => (asking.has(key) ? [argumentText.toLowerCase()] : []))
    .join("\n"),
);
