import type { Directive } from "../../config/model/directive.js";
import type { ReadConfig } from "../../config/model/project.js";
import { getOrCreate } from "../../text/collections.js";

/** A directive that differs between two configurations and does not decide access. */
export interface UncomparedChange {
  /** Name as written. */
  readonly name: string;
  /** Absent if it was added. */
  readonly before?: Directive;
  /** Absent if it was deleted. */
  readonly after?: Directive;
}

/** A directive that is not compared. */
interface UncomparedEntry {
  readonly directive: Directive;
  /** Name with the enclosing sections. */
  readonly place: string;
  readonly words: readonly string[];
  /** Identifies it, without its file and line. */
  readonly text: string;
}

/**
 * Returns the directives for redirects, index files, backends, TLS, headers, caches and logs that differ between two
 * configurations. Two are equal if their names, arguments and enclosing sections are; file and order do not matter. Directives of these families
 * that decide access are omitted, because they are compared.
 */
export function findUncomparedChanges(beforeConfig: ReadConfig, afterConfig: ReadConfig): readonly UncomparedChange[] {
  const [before, after] = [entriesOf(beforeConfig), entriesOf(afterConfig)];
  const removed = withoutSame(before, after);
  const added = withoutSame(after, before);
  const partners = new Map<UncomparedEntry, UncomparedEntry>();
  pair(removed, added, withoutLastWord, partners);
  pair(removed, added, withFirstWord, partners);
  // A directive that is set once in a place was changed, whatever its arguments.
  const [uniqueBefore, uniqueAfter] = [uniquePlacesOf(removed), uniquePlacesOf(added)];
  const placeOf = ({ place }: UncomparedEntry) =>
    uniqueBefore.has(place) && uniqueAfter.has(place) ? place : undefined;
  pair(removed, added, placeOf, partners);
  const paired = new Set(partners.values());
  const changes = [
    ...removed.map((entry) => ({ before: entry, after: partners.get(entry) })),
    ...added.filter((entry) => !paired.has(entry)).map((entry) => ({ before: undefined, after: entry })),
  ];
  return changes.filter(isOutsideOfAccess).flatMap((change) => {
    const name = (change.before ?? change.after)?.directive.name;
    if (name === undefined) return [];
    const one = change.before ? { before: change.before.directive } : {};
    return [{ name, ...one, ...(change.after ? { after: change.after.directive } : {}) }];
  });
}

/** Removes the entries that another configuration also has, up to the number of occurrences there. */
function withoutSame(
  entries: readonly UncomparedEntry[],
  others: readonly UncomparedEntry[],
): readonly UncomparedEntry[] {
  const counts = new Map<string, number>();
  for (const { text } of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  return entries.filter(({ text }) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
}

/** Pairs each old directive with the new one of the same key. */
function pair(
  before: readonly UncomparedEntry[],
  after: readonly UncomparedEntry[],
  keyOf: (entry: UncomparedEntry) => string | undefined,
  partners: Map<UncomparedEntry, UncomparedEntry>,
): void {
  const taken = new Set(partners.values());
  const waiting = new Map<string, UncomparedEntry[]>();
  for (const entry of after) {
    const key = taken.has(entry) ? undefined : keyOf(entry);
    if (key === undefined) continue;
    getOrCreate(waiting, key, () => []).push(entry);
  }
  for (const entry of before) {
    const key = partners.has(entry) ? undefined : keyOf(entry);
    const partner = key === undefined ? undefined : waiting.get(key)?.shift();
    if (partner) partners.set(entry, partner);
  }
}

function uniquePlacesOf(entries: readonly UncomparedEntry[]): ReadonlySet<string> {
  const once = new Set<string>();
  const seen = new Set<string>();
  for (const { place } of entries) {
    if (seen.has(place)) once.delete(place);
    else once.add(place);
    seen.add(place);
  }
  return once;
}

function withoutLastWord({ place, words }: UncomparedEntry): string {
  return joinWords([place, ...words.slice(0, -1)]);
}

function withFirstWord({ place, words }: UncomparedEntry): string | undefined {
  return words.length < 2 ? undefined : joinWords([place, ...words.slice(0, 1)]);
}

/**
 * Reports whether a change is listed. For a RewriteRule to another path of the server, only a new target is: the rest
 * is compared.
 */
function isOutsideOfAccess({
  before,
  after,
}: {
  readonly before: UncomparedEntry | undefined;
  readonly after: UncomparedEntry | undefined;
}): boolean {
  const rules = [before, after].filter((entry) => entry?.directive.key === "rewriterule");
  if (rules.length === 0 || rules.some((rule) => rule !== undefined && isExternalTarget(rule))) return true;
  if (before === undefined || after === undefined) return false;
  const [pattern, target] = before.words;
  const [newPattern, newTarget] = after.words;
  return pattern === newPattern && target !== newTarget;
}

/** Reports whether a RewriteRule redirects or forwards to a backend. */
function isExternalTarget({ words: [, target = "", flags = ""] }: UncomparedEntry): boolean {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(target) || /[[,]\s*(?:R|redirect|P|proxy)\s*(?:=[^,\]]*)?[,\]]/i.test(flags);
}

function entriesOf({ directives, htaccess, serverRoot }: ReadConfig): readonly UncomparedEntry[] {
  const entries: UncomparedEntry[] = [];
  const collect = (each: readonly Directive[], parents: string) => {
    for (const directive of each) {
      const { children, key } = directive;
      const words = directive.arguments.map(({ value }) => value);
      if (children !== undefined) collect(children, joinWords([parents, key, ...words, nameOfHost(directive)]));
      else if (isListed(directive, words)) {
        const place = joinWords([parents, key]);
        entries.push({ directive, place, words, text: joinWords([place, ...words]) });
      }
    }
  };
  collect(directives, "");
  for (const { directory, directives: inner } of htaccess) {
    // The two configurations may be copies in two folders.
    const isBelow = directory.startsWith(`${serverRoot}/`);
    collect(inner, joinWords([".htaccess", isBelow ? directory.slice(serverRoot.length) : directory]));
  }
  return entries;
}

/** Returns the name that distinguishes virtual hosts at one address. */
function nameOfHost({ key, children = [] }: Directive): string {
  if (key !== "<virtualhost") return "";
  const name = children.find((each) => each.key === "servername");
  return name?.arguments[0]?.value.toLowerCase() ?? "";
}

function joinWords(words: readonly string[]): string {
  return words.join("\0");
}

const redirects: ReadonlySet<string> = new Set([
  ...["redirect", "redirectmatch", "redirecttemp", "redirectpermanent", "rewriterule", "rewritemap"],
]);
/** Access to the file is compared, but not which file answers. */
const indexFiles: ReadonlySet<string> = new Set(["directoryindex", "fallbackresource"]);
const logs: ReadonlySet<string> = new Set(["errorlog", "errorlogformat", "loglevel"]);
const modules: ReadonlySet<string> = new Set([
  ...["mod_headers", "mod_ssl", "mod_log_config"],
  ...["mod_cache", "mod_cache_disk", "mod_cache_socache", "mod_disk_cache", "mod_mem_cache"],
]);
/** TLS directives that decide access. */
const comparedTlsDirectives: ReadonlySet<string> = new Set([
  "sslrequiressl",
  "sslrequire",
  "sslverifyclient",
  "ssloptions",
]);

function isListed({ key, known }: Directive, words: readonly string[]): boolean {
  if (redirects.has(key)) return !decidesIndependently(key, words);
  if (key === "errordocument") return /^[a-z][a-z\d+.-]*:\/\//i.test(words[1] ?? "");
  if (key === "sethandler" || key === "addhandler") return /^proxy:/i.test(words[0] ?? "");
  if (logs.has(key) || indexFiles.has(key) || key === "fileetag") return true;
  return known.facts.some(
    ({ module }) => (modules.has(module) || /^mod_proxy(?:_|$)/.test(module)) && !comparedTlsDirectives.has(key),
  );
}

/** Reports whether a Redirect or RewriteRule has no target, only a status: that is compared. */
function decidesIndependently(key: string, words: readonly string[]): boolean {
  if (key === "rewriterule") return words[1] === "-";
  return /^redirect(?:match)?$/.test(key) && /^(?:gone|[1245]\d\d)$/i.test(words[0] ?? "");
}
