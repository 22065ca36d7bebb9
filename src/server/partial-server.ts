import type { Directive } from "../config/model/directive.js";
import { isAssumed } from "../config/model/project.js";
import { isSince } from "../facts/release.js";
import { fromReadable, toReadable } from "../text/source.js";
import type { AccessResult, AccessState } from "./access/access-state.js";
import { accessRulesOf, mergeRequireRules, sourceLayersOf } from "./access/merge.js";
import { parseRequireLine } from "./access/require-rules.js";
import type { DefiniteAnswer } from "./definite-answer.js";
import { isMapped, type UrlMapping } from "./mapping/url-mapping.js";
import { type ConfigLayer, firstArgumentOf, keywordArgumentOf } from "./model/config-layer.js";
import { type Pass, passesOf } from "./model/pass.js";
import { portOf } from "./model/request.js";
import { type UnknownFact, unknownFact } from "./model/unknown-facts.js";
import { findEncodedSlashLine, hasCoreLine } from "./request/url-normalization.js";
import type { DirectoryWalk } from "./walk/directory-walk.js";

/**
 * Returns what only the rest of the server decides about the answer to a request; undefined if the lines of the fragment
 * decide it. They do if one of them redirects or rewrites the request before access is checked. They also do if its access
 * rules allow or deny the request.
 */
export function findExternalDependency(answered: DefiniteAnswer): UnknownFact | undefined {
  const { pass, status } = answered;
  // The URL itself is malformed, or TLS is missing.
  if (pass === undefined && status === 400) return undefined;
  return (
    findMissingHost(answered) ?? (pass === undefined ? describeUndecided(answered) : findMissingForPass(pass, answered))
  );
}

/** Returns how the answer depends on virtual hosts that another file may define. */
function findMissingHost({ setup: { servers }, request, oracle }: DefiniteAnswer): UnknownFact | undefined {
  // A virtual host that the analysis assumes around the fragment has any name.
  if (servers.hosts.every(({ section }) => isAssumed(section.span))) return undefined;
  switch (servers.hostSelectionFor(request, oracle)) {
    case "named":
      return undefined;
    case "default":
    case "unnamed":
      return unknownFact("host-elsewhere", String(request.host));
    case "none":
      return unknownFact("port-elsewhere", String(portOf(request)));
  }
}

function findMissingForPass(pass: Pass, answered: DefiniteAnswer): UnknownFact | undefined {
  const listing = findMissingListing(answered, pass);
  // It says more than that access may be denied, which has the same status.
  if (listing !== undefined && answered.status === 403) return listing;
  for (const each of passesOf(pass)) {
    const open = findUnreadFile(each, answered) ?? findMissingAccess(each, answered);
    if (open !== undefined) return open;
  }
  return listing ?? (isChecked(pass) ? undefined : describeUndecided(answered));
}

/** Returns whether access was checked for a file or a backend. */
function isChecked({ answer }: Pass): boolean {
  return answer !== undefined;
}

/** Checks an answer from before the access check: without a line that decides it, it is a default that another file may change. */
function describeUndecided({
  decidedBy,
  request: { path },
  status,
  outcome: { isRejectedEarly, layers },
}: DefiniteAnswer): UnknownFact | undefined {
  if (decidedBy.length > 0) return undefined;
  // A path with `%2f`, which no rule sees.
  if (isRejectedEarly && status === 404) return findMissingSlashRule(layers);
  return unknownFact("access-elsewhere", path);
}

/**
 * Returns the AllowEncodedSlashes that another file may set; undefined if it is off for a virtual host of this file, which
 * inherits none (`findEncodedSlashLine`).
 */
function findMissingSlashRule(layers: readonly ConfigLayer[]): UnknownFact | undefined {
  const [host] = layers.slice(-1);
  const isOwn = host?.section !== undefined && hasCoreLine(host);
  return isOwn || findEncodedSlashLine(layers).applied
    ? undefined
    : unknownFact("setting-elsewhere", "AllowEncodedSlashes");
}

/** Finds a `.htaccess` file of the path that was not read, because the part of the server does not name its directory. */
function findUnreadFile(
  { walked, mapping }: Pass,
  { setup: { project, files } }: DefiniteAnswer,
): UnknownFact | undefined {
  if (walked === undefined || !isMapped(mapping)) return undefined;
  const overrides = walked.layers.findLast((layer) => layer.has("allowoverride"))?.setting("allowoverride");
  if (keywordArgumentOf(overrides) === "none") return undefined;
  const read = new Set(project.htaccess.map(({ directory }) => fromReadable(directory).replace(/\/$/, "")));
  for (const directory of directoriesOf(walked)) {
    const path = `${directory}/.htaccess`;
    if (!read.has(directory) && files.kindOf(path, true) === "file")
      return unknownFact("htaccess-beyond-part", toReadable(path));
  }
  return undefined;
}

/** Returns the directories that contain a file, outermost first, without a trailing slash. */
function directoriesOf({ filename, kind }: DirectoryWalk): readonly string[] {
  const parts = filename.replace(/\/+$/, "").split("/");
  const count = kind === "directory" ? parts.length : parts.length - 1;
  return parts.slice(0, count).map((_, index) => parts.slice(0, index + 1).join("/"));
}

function findMissingAccess(pass: Pass, answered: DefiniteAnswer): UnknownFact | undefined {
  const { state, answer, path, walked } = pass;
  const files = walked?.htaccess ?? [];
  if (files.length > 0 && !walked?.layers.some((layer) => layer.has("allowoverride")))
    return unknownFact("override-elsewhere", String(files[0]?.file.directory));
  if (state === undefined || answer === undefined) return undefined;
  // The request is denied, whatever the rest of the server sets.
  if (answer.by.length === 0 && answered.status === 403 && answered.decidedBy.some(denies)) return undefined;
  if (answer.by.length === 0) return unknownFact("access-elsewhere", path);
  if (answer.status === 500) return findMissingPasswordFile(answered, state) ?? unknownFact("login-elsewhere", path);
  return (
    findMissingMapping(pass.mapping, answer, path) ??
    findMissingRequire(answer, state) ??
    findMissingGroups(answer, state) ??
    (answer.status === 405 || answer.status === 426 ? undefined : findMissingMerging(answer, state))
  );
}

/** Returns the password file that a line of the part names, if it is only missing here. */
function findMissingPasswordFile({ log }: DefiniteAnswer, { config }: AccessState): UnknownFact | undefined {
  const file = firstArgumentOf(config.setting("authuserfile"));
  const isMissing = log.includes("AH01620") || log.includes("AH01622");
  return isMissing && file !== undefined ? unknownFact("password-file-elsewhere", file) : undefined;
}

function denies({ key }: Directive): boolean {
  return key === "rewriterule" || key.startsWith("redirect");
}

/**
 * Returns an open question about the location of the URL: lines for a directory decide, and the fragment does not map
 * the URL.
 */
function findMissingMapping(mapping: UrlMapping, { by }: AccessResult, path: string): UnknownFact | undefined {
  if (isMapped(mapping) || !by.some(isInDirectory)) return undefined;
  return unknownFact("mapping-elsewhere", path);
}

function isInDirectory({ parent }: Directive): boolean {
  if (parent === undefined) return false;
  return parent.key === "<directory" || parent.key === "<directorymatch" || isInDirectory(parent);
}

/**
 * Returns the Require lines of other files, which may deny a request that Order and Allow lines allow. On 2.4 both must pass, and the main files
 * that Debian and Red Hat ship have `Require all denied` for the whole disk.
 */
function findMissingRequire({ status }: AccessResult, { project, groups, path }: AccessState): UnknownFact | undefined {
  if (!isSince(project.release, "2.4") || status !== undefined || mergeRequireRules(groups) !== undefined)
    return undefined;
  return unknownFact("require-elsewhere", path);
}

/** Returns the group file that another file may set for the user. */
function findMissingGroups({ status, by }: AccessResult, state: AccessState): UnknownFact | undefined {
  if (status === undefined || state.request.user === undefined) return undefined;
  const lines = by.filter(({ key }) => key === "require").map(parseRequireLine);
  for (const [provider, source] of [
    ["group", "AuthGroupFile"],
    ["dbm-group", "AuthDBMGroupFile"],
  ] as const)
    if (lines.some((line) => line.provider === provider) && state.config.setting(source.toLowerCase()) === undefined)
      return unknownFact("setting-elsewhere", source);
  return undefined;
}

/** Returns the Require lines of other files, if AuthMerging merges them and they can change the answer. */
function findMissingMerging({ status }: AccessResult, { project, groups }: AccessState): UnknownFact | undefined {
  const rules = isSince(project.release, "2.4") ? mergeRequireRules(groups) : undefined;
  const [outermost] = rules ? sourceLayersOf(rules) : [];
  const merging = outermost && accessRulesOf(outermost).authz?.merging;
  // A failed side of `And`, or a met side of `Or`, decides on its own.
  if (merging === undefined || merging === "off" || (status === undefined) === (merging === "or")) return undefined;
  const line = outermost?.setting("authmerging");
  return unknownFact("merging-elsewhere", `${line?.name} ${line?.argumentText}`);
}

/** Returns an open question about the listing, if another file may allow it or set another index file. */
function findMissingListing({ status, decidedBy, answeredBy }: DefiniteAnswer, pass: Pass): UnknownFact | undefined {
  const { isAuthorized, walked, redirect, path, mapping } = pass;
  // If another file maps the URL, only access is known.
  if (walked?.kind !== "directory" || !isAuthorized || redirect || !isMapped(mapping)) return undefined;
  const isForbidden = status === 403 && decidedBy.every(({ key }) => key === "options");
  if (!isForbidden && status !== 404 && answeredBy !== "listing") return undefined;
  return unknownFact("index-elsewhere", path);
}
