import {
  type AccessAnswer,
  authnProvidersOf,
  authTypeOf,
  describeProbe,
  formatLineTitle,
  type Inspector,
  ownRulesOf,
  type ProbeContext,
  parseRequireLine,
  requireArgumentsOf,
  requireLinesOf,
} from "../../src/lint/api/access.js";
import { type Directive, findPlaceholder, findUndefinedVariable } from "../../src/lint/api/configuration.js";
import {
  findClosestWord,
  isWindowsPath,
  type PasswordUser,
  quoteText,
  type Related,
  type Report,
  type RuleContext,
  resolvePath,
} from "../../src/lint/api/rule.js";

type Files = NonNullable<RuleContext["files"]>;

const describeAll = (count: number, { log }: AccessAnswer) =>
  `a request of ${count === 1 ? "its only user" : `each of its ${count} users`} returns 401${log.length > 0 ? ` (${log.join(", ")})` : ""}`;

export const unusableUserMessages = {
  noRealm: (path: string, count: number, answer: AccessAnswer) => ({
    message: `nobody can log in: \`AuthType Digest\` needs a file of \`htdigest\`, and ${quoteText(path)} is one of \`htpasswd\``,
    notes: ["Digest reads only lines with the realm of `AuthName` and a hash for it", describeAll(count, answer)],
    help: ["use `AuthType Basic`, or create the file with `htdigest`"],
  }),
  otherRealm: (own: string, realms: readonly string[], count: number, answer: AccessAnswer) => ({
    message: `nobody can log in: no line of the password file has the realm ${quoteText(own)}`,
    notes: [`the lines have ${realms.map(quoteText).join(", ")}`, describeAll(count, answer)],
    help: [`use ${quoteText(`AuthName "${realms[0] ?? ""}"`)}, or create the file with this realm`],
  }),
  realm: (path: string, count: number, answer: AccessAnswer) => ({
    message: `nobody can log in: \`AuthType Basic\` needs a file of \`htpasswd\`, and ${quoteText(path)} is one of \`htdigest\``,
    notes: ["Basic reads the realm as the hash of the password", describeAll(count, answer)],
    help: ["use `AuthType Digest`, or create the file with `htpasswd`"],
  }),
  plain: (path: string, count: number, answer: AccessAnswer) => ({
    message: `nobody can log in: the passwords in ${quoteText(path)} are not hashed`,
    notes: [describeAll(count, answer)],
    help: ["create the lines with `htpasswd`"],
  }),
  unknownUser: (user: string, path: string, similar: string | undefined, answer: AccessAnswer) => ({
    message: `the user ${quoteText(user)} is not in ${quoteText(path)}`,
    notes: [describeProbe(answer)],
    help: [
      similar === undefined ? "add the user, or correct the name" : `use ${quoteText(similar)}, which the file has`,
    ],
  }),
  noMembers: (line: Directive, path: string) => ({
    message: `${formatLineTitle(line)} allows nobody: no user of ${quoteText(path)} is in the group`,
    notes: ["users who log in are asked again (401)"],
    help: ["add users to the group in the file of `AuthGroupFile`, or correct the name"],
    addsLines: true as const,
  }),
  joinedMembers: (line: Directive, path: string, { word, corrected }: JoinedMembers, answer: AccessAnswer) => ({
    message: `${quoteText(word)} is one member of the group in ${formatLineTitle(line)}`,
    notes: ["httpd separates the members in a group file by spaces", describeProbe(answer)],
    help: [`in ${quoteText(path)}, use ${quoteText(corrected)}`],
    addsLines: true as const,
  }),
};

export const unusableUserLabels = {
  type: (line: Directive) => `${formatLineTitle(line)} applies`,
  userFile: "the password file",
  groupFile: "the group file",
};

/** Limit of the users of a file that are tried. */
const MAX_USERS = 200;

/** Reports password files of which no user, or not the user of a Require line, gets access; only files that can be read. */
export function findUnusableUsers(
  situation: ProbeContext,
  inspector: Inspector,
  files: RuleContext["files"],
): Report | undefined {
  const { state, require, isSameForAll } = situation;
  const { config, project } = state;
  const line = config.setting("authuserfile");
  const [word] = line?.arguments ?? [];
  const type = authTypeOf(state);
  if (files?.usersOf === undefined || line === undefined || word === undefined || require === undefined)
    return undefined;
  if (!isSameForAll || (type !== "basic" && type !== "digest")) return undefined;
  if (isUnknownWord(word.value)) return undefined;
  // Another provider may know the users.
  if (authnProvidersOf(state, `auth${type}provider`).names.some((name) => name !== "file")) return undefined;
  const path = resolvePath(project.serverRoot, word.value);
  const users = files.kindOf(path) === "file" ? files.usersOf(path) : undefined;
  if (users === undefined || users.length === 0 || users.length > MAX_USERS) return undefined;
  const span = line.spanOf(word);
  const answers = users.map(({ name }) => askAs(name, situation, inspector, files));
  const [first] = answers;
  if (first && answers.every((each) => each !== undefined && isNotAuthenticated(each))) {
    // On Windows, passwords need not be hashed.
    const mayBePlain = [path, project.serverRoot].some((each) => isWindowsPath(each.replace(/^\//, "")));
    const message = describeMismatch({ type, path, users, answer: first, config }, mayBePlain);
    const of = config.setting("authtype");
    const related = of ? [{ message: unusableUserLabels.type(of), span: of.span }] : [];
    return message && { message, span, related };
  }
  return (
    findUnknownUser({ situation, inspector, files }, path, users) ??
    findEmptyGroup({ situation, inspector, files }, path, users)
  );
}

/** Returns the answer to a user who sends the right password, with the password and group files of the disk. */
function askAs(user: string, situation: ProbeContext, inspector: Inspector, files: Files): AccessAnswer | undefined {
  const { state, request } = situation;
  return inspector.probe({ ...situation, state: { ...state, files } }, { ...request, user });
}

/** The messages of mod_auth_basic and mod_auth_digest about a user or password that the file does not have. */
const authenticationCodes = ["AH01617", "AH01618", "AH01790", "AH01791", "AH01794"];

function isNotAuthenticated({ class: decided, log }: AccessAnswer): boolean {
  return decided === "401" && log.some((code) => authenticationCodes.includes(code));
}

interface UnusableFile {
  readonly type: string;
  readonly path: string;
  readonly users: readonly PasswordUser[];
  readonly answer: AccessAnswer;
  readonly config: ProbeContext["state"]["config"];
}

/** Describes why no user of a file can log in: undefined if the lines do not tell. */
function describeMismatch({ type, path, users, answer, config }: UnusableFile, mayBePlain: boolean) {
  const realms = [...new Set(users.flatMap(({ realm }) => realm ?? []))];
  const count = users.length;
  if (type === "basic") {
    if (users.every(({ realm }) => realm !== undefined)) return unusableUserMessages.realm(path, count, answer);
    return realms.length > 0 || mayBePlain ? undefined : unusableUserMessages.plain(path, count, answer);
  }
  if (realms.length === 0) return unusableUserMessages.noRealm(path, count, answer);
  const own = config.setting("authname")?.arguments[0]?.value ?? "";
  return realms.includes(own) ? undefined : unusableUserMessages.otherRealm(own, realms, count, answer);
}

/** Where requests of users are tried. */
interface Trial {
  readonly situation: ProbeContext;
  readonly inspector: Inspector;
  readonly files: Files;
}

/** Reports a user of a Require line of the section that is not in the password file. */
function findUnknownUser(
  { situation, inspector, files }: Trial,
  path: string,
  users: readonly PasswordUser[],
): Report | undefined {
  const names = users.map(({ name }) => name);
  for (const line of linesFor(situation, ["user"]))
    for (const word of requireArgumentsOf(parseRequireLine(line))) {
      if (names.includes(word.value) || isUnknownWord(word.value)) continue;
      const answer = askAs(word.value, situation, inspector, files);
      if (answer === undefined || !isNotAuthenticated(answer)) continue;
      const similar = findClosestWord(word.value, names);
      return {
        severity: "warning",
        message: unusableUserMessages.unknownUser(word.value, path, similar, answer),
        span: line.spanOf(word),
        related: relatedFile(situation, "authuserfile"),
      };
    }
  return undefined;
}

/** A word of a group file with several names, and the line with each of them. */
interface JoinedMembers {
  /** A user with such a name. */
  readonly user: string;
  readonly word: string;
  readonly corrected: string;
}

/** Finds a member of a group that has the name of a user between commas or semicolons (mod_authz_groupfile.c `groups_for_user`). */
function findJoinedMembers(
  text: string,
  groups: readonly string[],
  users: readonly PasswordUser[],
): JoinedMembers | undefined {
  const isUser = (name: string) => users.some((user) => user.name === name);
  for (const [, group = "", rest = ""] of text.matchAll(/^[ \t]*([^\s:#]+)[ \t]*:[ \t]*(.*?)[ \t\r]*$/gm)) {
    const words = groups.includes(group) ? rest.split(/[ \t]+/) : [];
    const word = words.find((each) => !isUser(each) && each.split(/[,;]/).some(isUser));
    const user = word?.split(/[,;]/).find(isUser);
    const members = words.flatMap((each) => (isUser(each) ? [each] : each.split(/[,;]/).filter((part) => part !== "")));
    if (word !== undefined && user !== undefined) return { user, word, corrected: `${group}: ${members.join(" ")}` };
  }
  return undefined;
}

/** Reports a group of a Require line of the section that no user of the password file is in, or a user in it between commas. */
function findEmptyGroup(
  { situation, inspector, files }: Trial,
  path: string,
  users: readonly PasswordUser[],
): Report | undefined {
  const { config, project } = situation.state;
  const [written] = config.setting("authgroupfile")?.arguments ?? [];
  if (written === undefined || isUnknownWord(written.value)) return undefined;
  const groupFile = resolvePath(project.serverRoot, written.value);
  if (files.kindOf(groupFile) !== "file") return undefined;
  for (const line of linesFor(situation, ["group"])) {
    const groups = requireArgumentsOf(parseRequireLine(line)).map(({ value }) => value);
    const isMember = ({ name }: PasswordUser) =>
      files.groupsOf?.(groupFile, name, "text")?.some((group) => groups.includes(group)) ?? true;
    if (groups.some(isUnknownWord)) continue;
    const joined = findJoinedMembers(files.textOf?.(groupFile) ?? "", groups, users);
    const refused = joined && askAs(joined.user, situation, inspector, files);
    if (joined !== undefined && refused?.class === "401")
      return {
        severity: "warning",
        message: unusableUserMessages.joinedMembers(line, groupFile, joined, refused),
        span: line.span,
        related: relatedFile(situation, "authgroupfile"),
      };
    if (users.some(isMember)) continue;
    const [first] = users;
    const answer = first && askAs(first.name, situation, inspector, files);
    if (answer?.class !== "401") continue;
    return {
      severity: "warning",
      message: unusableUserMessages.noMembers(line, path),
      span: line.span,
      related: relatedFile(situation, "authgroupfile"),
    };
  }
  return undefined;
}

function relatedFile({ state: { config } }: ProbeContext, key: "authuserfile" | "authgroupfile"): readonly Related[] {
  const line = config.setting(key);
  const message = key === "authuserfile" ? unusableUserLabels.userFile : unusableUserLabels.groupFile;
  return line ? [{ message, span: line.span }] : [];
}

/** Returns the Require lines of the section itself with a provider, without negated ones. */
function linesFor(situation: ProbeContext, providers: readonly string[]): readonly Directive[] {
  const own = ownRulesOf(situation).require;
  return (own ? requireLinesOf(own) : []).filter((line) => {
    const { provider, negated } = parseRequireLine(line);
    return !negated && providers.includes(provider);
  });
}

function isUnknownWord(word: string): boolean {
  return /[%*]/.test(word) || findUndefinedVariable(word) !== undefined || findPlaceholder(word) !== undefined;
}
