import { resolvePath } from "../../config/files/paths.js";
import type { ConfigLayer } from "../model/config-layer.js";
import type { GroupSource } from "../model/file-tree.js";
import { unknownFact } from "../model/unknown-facts.js";
import { type AccessState, addRemark } from "./access-state.js";
import { UNNAMED_SUBJECT } from "./client-certificates.js";
import { isDbmFileMissing } from "./dbm-files.js";
import type { AuthzResult } from "./decide-require.js";
import { type ProviderArguments, requireArgumentsOf } from "./require-rules.js";
import { recordGroupFile } from "./user-sources.js";

interface SourceFacts {
  readonly directive: string;
  readonly file: string;
  /** Formats the server's message for a missing file. */
  readonly unreadable: (path: string, type: string) => string;
  readonly byName: MessageCodes;
  readonly byFile: MessageCodes;
}

/**
 * Message numbers: no file configured, the file is missing, the user is not in any group, the user is in another group.
 */
interface MessageCodes {
  readonly noFile: string;
  readonly unreadable: string;
  readonly noGroups?: string;
  readonly others?: string;
}

/** The messages that mod_authz_groupfile and mod_authz_dbm log at the usual LogLevel; others are at lower levels. */
const sources: Readonly<Record<GroupSource, SourceFacts>> = {
  text: {
    directive: "authgroupfile",
    file: "group file",
    unreadable: (path) => `Could not open group file: ${path}`,
    byName: { noFile: "AH01664", unreadable: "AH01665" },
    byFile: { noFile: "AH01668", unreadable: "AH01669", noGroups: "AH01670" },
  },
  dbm: {
    directive: "authdbmgroupfile",
    file: "DBM group file",
    unreadable: (path, type) => `could not open dbm (type ${type}) group access file: ${path}`,
    byName: { noFile: "AH01798", unreadable: "AH01799", noGroups: "AH01800", others: "AH01801" },
    byFile: { noFile: "AH01802", unreadable: "AH01799", noGroups: "AH01804", others: "AH01805" },
  },
};

/** Evaluates `Require group` and `Require dbm-group`: the user must be in one of the named groups. */
export function checkGroupMembership(
  line: ProviderArguments,
  state: AccessState,
  user: string | undefined,
  source: GroupSource,
): AuthzResult {
  if (user === undefined) return "no-user";
  const member = new Membership(state, user, source, "byName");
  // mod_authz_dbm fails if it cannot open its file (`dbmgroup_check_authorization`).
  const wanted = requireArgumentsOf(line).map(({ value }) => value);
  if (!member.hasGroups(wanted)) return source === "dbm" && isGroupFileMissing(state, "dbm") ? "error" : "denied";
  return member.isIn(wanted) ? "granted" : "denied";
}

/** Reports whether a group file is configured but missing. */
export function isGroupFileMissing(state: AccessState, source: GroupSource): boolean {
  const path = pathIn(state, sources[source].directive);
  return path !== undefined && isMissing(state, path, sources[source]);
}

/** Evaluates `Require file-group` and `Require dbm-file-group`: the user must be in the group that owns the file. */
export function checkFileGroup(state: AccessState, user: string | undefined, source: GroupSource): AuthzResult {
  if (user === undefined) return "no-user";
  const member = new Membership(state, user, source, "byFile");
  // If predicates are recorded, no groups have been named yet.
  if (state.request.tracker === undefined && !member.hasGroups([])) return "denied";
  const owner = ownerOf(state, user, "AH01639");
  if (owner === "missing") {
    // mod_authz_groupfile stops here.
    if (source === "dbm") member.isIn([]);
    return "denied";
  }
  if (owner) return member.isIn([owner.group]) ? "granted" : "denied";
  return mayBeInOwningGroup(state, user) ? "granted" : "denied";
}

/**
 * Reports whether a user is in the owning group of a file whose group is unknown. Both releases use the same oracle
 * question.
 */
export function mayBeInOwningGroup({ filename = "", oracle }: AccessState, user: string): boolean {
  return oracle.ask(unknownFact("group-of-file", user, filename));
}

/** Reports whether a user owns a file whose owner is unknown. */
export function mayOwnFile({ filename = "", oracle }: AccessState, user: string): boolean {
  return oracle.ask(unknownFact("file-owner", filename, user));
}

/** Evaluates `Require file-owner`: the file must belong to the user. */
export function checkFileOwner(state: AccessState, user: string | undefined): AuthzResult {
  if (user === undefined) return "no-user";
  const owner = ownerOf(state, user, "AH01634");
  if (owner === "missing") return "denied";
  if (owner === undefined) return mayOwnFile(state, user) ? "granted" : "denied";
  if (owner.user === user) return "granted";
  addRemark(state, "AH01637", `${failure(state, user)} file owner ${owner.user} does not match.`);
  return "denied";
}

/** Checks a user's group membership and records the server's log messages. */
class Membership {
  private readonly facts: SourceFacts;
  private readonly groups: readonly string[] | undefined;

  constructor(
    private readonly state: AccessState,
    private readonly user: string,
    private readonly source: GroupSource,
    private readonly by: "byName" | "byFile",
  ) {
    this.facts = sources[source];
    this.groups = groupsOf(state, user, source);
  }

  /** @param wanted the groups that decide */
  hasGroups(wanted: readonly string[]): boolean {
    const { state, facts } = this;
    const codes = facts[this.by];
    const path = pathIn(state, facts.directive);
    if (path === undefined) {
      addRemark(state, codes.noFile, "No group file was specified in the configuration");
      return false;
    }
    if (isMissing(state, path, facts)) {
      addRemark(state, codes.unreadable, facts.unreadable(path, dbmTypeOf(state)));
      return false;
    }
    if (this.groups === undefined || this.groups.length > 0) return true;
    isInAnyGroup(state, this.user, this.source, wanted);
    addRemark(state, codes.noGroups, `${failure(state, this.user)} user doesn't appear in ${facts.file} (${path}).`);
    return false;
  }

  isIn(wanted: readonly string[]): boolean {
    const { state, user, source } = this;
    if (isInAnyGroup(state, user, source, wanted)) return true;
    const code = this.facts[this.by].others;
    addRemark(state, code, `${failure(this.state, this.user)} user is not part of the 'require'ed group(s).`);
    return false;
  }
}

function failure({ path }: AccessState, user: string): string {
  return `Authorization of user ${user} to access ${path} failed, reason:`;
}

/** Reports whether a group file is missing. A directory cannot be read as a text file. */
function isMissing({ files }: AccessState, path: string, { directive }: SourceFacts): boolean {
  if (directive === sources.dbm.directive) return isDbmFileMissing(path, files);
  const kind = files.kindOf(path, true);
  return kind === "missing" || kind === "directory";
}

function dbmTypeOf(state: AccessState): string {
  const layer = state.layers.findLast((each) => each.has(sources.dbm.directive) || each.has("authzdbmtype"));
  return layer?.setting("authzdbmtype")?.arguments[0]?.value ?? "default";
}

/** Reports whether a user is in one of the given groups, and records the predicate. */
export function isInAnyGroup(
  state: AccessState,
  user: string,
  source: GroupSource,
  wanted: readonly string[],
): boolean {
  const { directive } = sources[source];
  recordGroupFile(state, directive, pathIn(state, directive));
  const groups = groupsOf(state, user, source);
  if (groups === undefined) return wanted.some((group) => state.oracle.ask(unknownFact("in-group", user, group)));
  const own = new Set(groups.map((group) => comparedName(group, source)));
  const names = wanted.map((group) => comparedName(group, source));
  const isIn = names.some((group) => own.has(group));
  state.request.tracker?.recordPredicate(
    { kind: "any", of: names.map((name) => ({ kind: "group", source, name })) },
    isIn,
  );
  return isIn;
}

/** mod_authz_groupfile keeps a user's groups in a table, whose names are case-insensitive (`apr_table_get`). */
function comparedName(group: string, source: GroupSource): string {
  return source === "text" ? group.replace(/[A-Z]/g, (letter) => letter.toLowerCase()) : group;
}

/**
 * Returns the groups given with the request, or else those that the configured file lists for its user; undefined if
 * unknown.
 */
function groupsOf(state: AccessState, user: string, source: GroupSource): readonly string[] | undefined {
  const { files, request } = state;
  if (user === UNNAMED_SUBJECT) return undefined;
  const given = source === "dbm" ? request.dbmGroups : request.groups;
  const path = pathIn(state, sources[source].directive);
  if (given !== undefined || path === undefined || files.groupsOf === undefined) return given ?? [];
  return isMissing(state, path, sources[source]) ? [] : files.groupsOf(path, user, source);
}

/**
 * Returns the path of the group file. mod_authz_dbm does not merge: an AuthzDBMType on its own discards the inherited
 * file.
 */
function pathIn(state: AccessState, directive: string): string | undefined {
  const isOther = (layer: ConfigLayer) => directive === "authdbmgroupfile" && layer.has("authzdbmtype");
  const layer = state.layers.findLast((each) => each.has(directive) || isOther(each));
  const written = layer?.setting(directive)?.arguments[0]?.value;
  return written === undefined ? undefined : resolvePath(state.project.serverRoot, written);
}

function ownerOf(state: AccessState, user: string, code: string) {
  const { files, filename = "" } = state;
  if (files.kindOf(filename.replace(/\/$/, "")) !== "missing") return files.ownerOf?.(filename);
  addRemark(state, code, `${failure(state, user)} could not stat file ${filename}`);
  return "missing";
}
