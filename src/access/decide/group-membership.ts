import type { ConfigLayer } from "../../httpd/model/config-layer.js";
import type { GroupSource } from "../../httpd/model/file-tree.js";
import { resolvePath } from "../../project/files/paths.js";
import { type AccessState, addRemark } from "../model/access-state.js";
import { type ProviderArguments, requireArgumentsOf } from "../rules/require-rules.js";
import type { AuthzResult } from "./decide-require.js";

interface SourceFacts {
  readonly directive: string;
  readonly file: string;
  /** What the server says of a file that is not there. */
  readonly unreadable: (path: string, type: string) => string;
  readonly byName: MessageCodes;
  readonly byFile: MessageCodes;
}

/** The numbers of the messages: no file named, it is not there, the user is in none, the user is in another. */
interface MessageCodes {
  readonly noFile: string;
  readonly unreadable: string;
  readonly noGroups?: string;
  readonly others?: string;
}

/** What mod_authz_groupfile and mod_authz_dbm write at the usual LogLevel; the rest is of levels below it. */
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

/** `Require group` and `Require dbm-group`: whether the user is in one of the groups named. */
export function checkGroupMembership(
  line: ProviderArguments,
  state: AccessState,
  user: string | undefined,
  source: GroupSource,
): AuthzResult {
  if (user === undefined) return "no-user";
  const member = new Membership(state, user, source, "byName");
  // mod_authz_dbm gives up where it cannot open its file (`dbmgroup_check_authorization`).
  const wanted = requireArgumentsOf(line).map(({ value }) => value);
  if (!member.hasGroups(wanted)) return source === "dbm" && isGroupFileMissing(state, "dbm") ? "error" : "denied";
  return member.isIn(wanted) ? "granted" : "denied";
}

/** Whether there is to be a file of groups, and none is. */
export function isGroupFileMissing(state: AccessState, source: GroupSource): boolean {
  const path = pathIn(state, sources[source].directive);
  return path !== undefined && isMissing(state, path, sources[source]);
}

/** `Require file-group` and `Require dbm-file-group`: whether the user is in the group that owns the file. */
export function checkFileGroup(state: AccessState, user: string | undefined, source: GroupSource): AuthzResult {
  if (user === undefined) return "no-user";
  const member = new Membership(state, user, source, "byFile");
  // Whoever takes note of looks has named no groups yet.
  if (state.request.looks === undefined && !member.hasGroups([])) return "denied";
  const owner = ownerOf(state, user, "AH01639");
  if (owner === "missing") {
    // mod_authz_groupfile leaves it at that.
    if (source === "dbm") member.isIn([]);
    return "denied";
  }
  if (owner) return member.isIn([owner.group]) ? "granted" : "denied";
  return mayBeInOwningGroup(state, user) ? "granted" : "denied";
}

/** Whether somebody is in the group of a file of which nobody knows it: both releases ask the same of it. */
export function mayBeInOwningGroup({ filename = "", questions }: AccessState, user: string): boolean {
  return questions.ask(`whether \`${user}\` is in the group that owns \`${filename}\``);
}

/** Whether a file is somebody's of which nobody knows whose it is. */
export function mayOwnFile({ filename = "", questions }: AccessState, user: string): boolean {
  return questions.ask(`whether \`${filename}\` belongs to \`${user}\``);
}

/** `Require file-owner`: whether the file belongs to the user. */
export function checkFileOwner(state: AccessState, user: string | undefined): AuthzResult {
  if (user === undefined) return "no-user";
  const owner = ownerOf(state, user, "AH01634");
  if (owner === "missing") return "denied";
  if (owner === undefined) return mayOwnFile(state, user) ? "granted" : "denied";
  if (owner.user === user) return "granted";
  addRemark(state, "AH01637", `${failure(state, user)} file owner ${owner.user} does not match.`);
  return "denied";
}

/** Asks which groups a user is in, and says what the server would say of it. */
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

  /** @param wanted the groups that it comes down to */
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

/** A dbm file may go by other names than the one that it is asked for by. A directory cannot be read as a text file. */
function isMissing({ files }: AccessState, path: string, { directive }: SourceFacts): boolean {
  if (directive === sources.dbm.directive)
    return [path, `${path}.pag`, `${path}.db`].every((name) => files.kindOf(name) === "missing");
  const kind = files.kindOf(path, true);
  return kind === "missing" || kind === "directory";
}

function dbmTypeOf(state: AccessState): string {
  const layer = state.layers.findLast((each) => each.has(sources.dbm.directive) || each.has("authzdbmtype"));
  return layer?.setting("authzdbmtype")?.arguments[0]?.value ?? "default";
}

/** Whether a user is in one of some groups, of which note is taken. */
export function isInAnyGroup(
  state: AccessState,
  user: string,
  source: GroupSource,
  wanted: readonly string[],
): boolean {
  const groups = groupsOf(state, user, source);
  if (groups === undefined)
    return wanted.some((group) => state.questions.ask(`whether \`${user}\` is in the group \`${group}\``));
  const isIn = wanted.some((group) => groups.includes(group));
  state.request.looks?.recordPredicate(
    { kind: "any", of: wanted.map((name) => ({ kind: "group", source, name })) },
    isIn,
  );
  return isIn;
}

/** The groups that the request is said to bring, else those that the file in force gives its user; undefined where nobody knows. */
function groupsOf(state: AccessState, user: string, source: GroupSource): readonly string[] | undefined {
  const { files, request } = state;
  const brought = source === "dbm" ? request.dbmGroups : request.groups;
  const path = pathIn(state, sources[source].directive);
  if (brought !== undefined || path === undefined || files.groupsOf === undefined) return brought ?? [];
  return isMissing(state, path, sources[source]) ? [] : files.groupsOf(path, user, source);
}

/** mod_authz_dbm does not merge: its AuthzDBMType alone takes the file away that was named further out. */
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
