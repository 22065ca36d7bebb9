import {
  type AccessAnswer,
  type AccessState,
  checkProvider,
  describeProbe,
  findMissingAuth,
  findWitness,
  formatLineTitle,
  hasMisspeltLine,
  type Inspector,
  type MissingAuth,
  omitLayer,
  ownRulesOf,
  type ProbeContext,
  parseRequireLine,
  requireLinesOf,
  sourceLayersOf,
} from "../../src/lint/api/access.js";
import { type Directive, isSince, type Scope } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, type Report, type RootCause } from "../../src/lint/api/rule.js";
import { type MisplacedFile, MisplacedFiles } from "./misplaced-member-files.js";
import { findUnusableUsers, unusableUserLabels, unusableUserMessages } from "./unusable-users.js";

const describeSubject = ({ needsUser, isInherited }: IncompleteSetup) =>
  `${isInherited ? "the inherited " : ""}${formatLineTitle(needsUser)}`;

const describeIncomplete = (setup: IncompleteSetup, header: string) => ({
  message: header,
  notes: [...setup.lack.notes, describeProbe(setup.answer)],
  help: setup.lack.help,
  addsLines: true as const,
});

const describeNoGroups = (file: string, answer: AccessAnswer, header: string) => ({
  message: `${header}: \`${file}\` is not set`,
  notes: [`httpd cannot look up members of the group without \`${file}\``, describeProbe(answer)],
  help: [`add \`${file}\``],
  addsLines: true as const,
});

const messages = {
  ...unusableUserMessages,
  incomplete: (setup: IncompleteSetup) =>
    describeIncomplete(setup, `${describeSubject(setup)} needs a user, but ${setup.lack.wrong}`),
  incompleteForMany: (setup: IncompleteSetup) => ({
    before: `${describeSubject(setup)} and `,
    one: `1 more line need a user, but ${setup.lack.wrong}`,
    several: ` more lines need a user, but ${setup.lack.wrong}`,
  }),
  /** The other lines need the module, not necessarily a user. */
  notLoadedForMany: (setup: IncompleteSetup) => ({
    before: `${describeSubject(setup)} needs a user, but ${setup.lack.wrong} (needed by `,
    one: "1 more line)",
    several: " more lines)",
  }),
  noGroupsAllowed: (line: Directive, file: string, answer: AccessAnswer) =>
    describeNoGroups(file, answer, `${formatLineTitle(line)} never allows a member`),
  noDirectory: (line: Directive) => ({
    message: `${formatLineTitle(line)} allows nobody: \`AuthLDAPURL\` is not set`,
    notes: ["without the URL of a directory, mod_authnz_ldap denies each user, whichever module identified the user"],
    help: ['add `AuthLDAPURL`, such as `AuthLDAPURL "ldaps://ldap.example.com/dc=example,dc=com?uid"`'],
    addsLines: true as const,
  }),
  misplacedFile: ({ line, serverRoot, opened, meant }: MisplacedFile) => ({
    message:
      serverRoot === undefined
        ? `${formatLineTitle(line)} is a path of the file system, and no such file exists`
        : `${formatLineTitle(line)} is relative to the ServerRoot, not to the directory`,
    notes: [
      ...(serverRoot !== undefined && opened !== undefined ? [`${quoteText(opened)} does not exist`] : []),
      line.key === "authgroupfile"
        ? "no group has members then, and requests of each user return 401 (AH01665)"
        : "each request with a password returns 500 (AH01620)",
    ],
    help: [
      meant !== undefined
        ? `use ${quoteText(meant)}`
        : serverRoot === undefined
          ? "create the file, or correct the path"
          : "use the absolute path of the file",
    ],
  }),
  noGroupsDenied: (line: Directive, file: string, answer: AccessAnswer) =>
    describeNoGroups(file, answer, `${formatLineTitle(line)} never denies a member`),
};

const labels = {
  ...unusableUserLabels,
  inherited: "inherited from here",
  needsUserToo: "also needs a user",
  needsModuleToo: "also needs the module",
};

export const authenticationIncomplete = defineRule({
  id: "authentication-incomplete",
  title: "Authentication setup is incomplete",
  group: "access",
  severity: "error",
  description:
    "A Require needs a user, but AuthType, AuthName, AuthUserFile, the group file or the module is missing, a path leads to no file, or nobody in the password file can log in.",
  help: "Require sets which users are allowed. AuthType, AuthName and a provider with its file set how httpd identifies a user. If one of them is missing, httpd starts silently. It then returns 500 to every client, or to every client that sends a password. Without a group file, it returns 401 to every member. A relative path is one below the ServerRoot. Set what the message names, in the section with the Require or in an outer one.",
  tags: ["correctness", "access-control"],
  needsWholeServer: {
    reason: "another file may set AuthUserFile, AuthBasicProvider or AuthName",
    part: "findings about missing directives",
  },
  messages,
  check: ({ project, files, report }) => {
    const misplaced = new MisplacedFiles(project, files);
    const lines: (readonly [Directive, Scope])[] = [];
    const add = (line: Directive, scope: Scope) => {
      lines.push([line, scope]);
    };
    return {
      directives: { documentroot: (line) => misplaced.addRoot(line), authuserfile: add, authgroupfile: add },
      end() {
        for (const [line, scope] of lines) {
          const found = misplaced.find(line, scope);
          const [word] = line.arguments;
          if (found && word)
            report({ severity: "warning", message: messages.misplacedFile(found), span: line.spanOf(word) });
        }
      },
      probe: {
        releases: ["2.2", "2.4"],
        applies: ({ directives }) => directives.some(({ key }) => key === "require" || key === "authtype"),
        check: (situation, inspector) =>
          (project.kind === "server"
            ? (findMissingSetup(situation, inspector) ??
              findMissingGroups(situation, inspector) ??
              findMissingDirectory(situation))
            : undefined) ?? findUnusableUsers(situation, inspector, files),
      },
    };
  },
});

/** Reports a request that returns 500 because the authentication setup is incomplete. */
function findMissingSetup(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require, state } = situation;
  const lack = require && findMissingAuth(state);
  const line = lack && lineAtFault(situation, lack);
  if (!lack || !line) return undefined;
  const lines = [...(compat?.rules.directives ?? []), ...requireLinesOf(require)];
  const logsOneOf = (log: readonly string[]) => lack.codes.some((code) => log.includes(code));
  // 2.2 messages do not have numbers.
  const shows = ({ class: decided, log }: AccessAnswer) => decided === "500" && (log.length === 0 || logsOneOf(log));
  const answer = findWitness(inspector, situation, lines, shows);
  if (!answer) return undefined;
  const type = state.config.setting("authtype");
  const needsUser = line.key === "require" ? line : (needingUser(requireLinesOf(require), state) ?? line);
  const incomplete: IncompleteSetup = { needsUser, isInherited: needsUser !== line, lack, answer };
  const related = [
    ...(needsUser === line ? [] : [{ message: labels.inherited, span: needsUser.span }]),
    ...(type && type !== line ? [{ message: labels.type(type), span: type.span }] : []),
  ];
  return {
    message: messages.incomplete(incomplete),
    span: line.span,
    related,
    witness: inspector.witness(answer),
    ...(type ? { cause: causeOf(incomplete, type) } : {}),
  };
}

/** Returns the first Require line that needs a user. */
function needingUser(lines: readonly Directive[], state: AccessState): Directive | undefined {
  return lines.find((line) => checkProvider(parseRequireLine(line), state, undefined) === "no-user");
}

/** Groups lines by cause: many lines may lack a module, or a setting of the same AuthType. */
function causeOf(incomplete: IncompleteSetup, { span: { file, start } }: Directive): RootCause {
  const { codes, module } = incomplete.lack;
  if (module === undefined)
    return {
      key: `${codes} ${file.path}:${start}`,
      header: messages.incompleteForMany(incomplete),
      also: labels.needsUserToo,
    };
  return {
    key: `${module} false`,
    isAnyRules: true,
    header: messages.notLoadedForMany(incomplete),
    also: labels.needsModuleToo,
  };
}

/**
 * Returns the line to report: the section's own Require that needs a user. In a section that inherits one, it is the
 * AuthType that overrides the outer setup.
 */
function lineAtFault(situation: ProbeContext, lack: MissingAuth): Directive | undefined {
  const { layer, require, state } = situation;
  const own = ownRulesOf(situation).require;
  if (own && require && sourceLayersOf(require).includes(layer)) return needingUser(requireLinesOf(own), state);
  const type = layer.setting("authtype");
  if (type === undefined || state.config.setting("authtype") !== type) return undefined;
  const outer = findMissingAuth(omitLayer(layer, state));
  return `${outer?.codes}` === `${lack.codes}` ? undefined : type;
}

/** A Require line that needs a user, and a request that shows what is missing to authenticate one. */
interface IncompleteSetup {
  readonly needsUser: Directive;
  readonly isInherited: boolean;
  readonly lack: MissingAuth;
  readonly answer: AccessAnswer;
}

interface GroupFile {
  readonly key: string;
  readonly name: string;
  /** Message number if it is not set. */
  readonly unset: string;
}

const textFile: Omit<GroupFile, "unset"> = { key: "authgroupfile", name: "AuthGroupFile" };
const dbmFile: Omit<GroupFile, "unset"> = { key: "authdbmgroupfile", name: "AuthDBMGroupFile" };

const groupFiles: Readonly<Record<string, GroupFile>> = {
  group: { ...textFile, unset: "AH01664" },
  "file-group": { ...textFile, unset: "AH01668" },
  "dbm-group": { ...dbmFile, unset: "AH01798" },
  "dbm-file-group": { ...dbmFile, unset: "AH01802" },
};

/** The providers that ask a directory (mod_authnz_ldap.c `ldapgroup_check_authorization` and others). */
const directoryProviders = /^ldap-(?:user|group|dn|attribute|filter|search)$/;

/** Reports a Require line about an LDAP directory of which no line has the URL. */
function findMissingDirectory(situation: ProbeContext): Report | undefined {
  const { state, require } = situation;
  const own = ownRulesOf(situation).require;
  if (!isSince(state.project.release, "2.4") || !own || !require || state.config.setting("authldapurl"))
    return undefined;
  // A URL that httpd does not read here is another mistake.
  if (hasMisspeltLine("AuthLDAPURL", state)) return undefined;
  const line = requireLinesOf(own).find((each) => {
    const { provider, negated } = parseRequireLine(each);
    return !negated && directoryProviders.test(provider);
  });
  return line && { message: messages.noDirectory(line), span: line.span };
}

/** Reports that members of a group are denied, or that a negated Require allows them, because no group file is set. */
function findMissingGroups(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { compat, require, state } = situation;
  const own = ownRulesOf(situation).require;
  if (!isSince(state.project.release, "2.4") || !own || !require) return undefined;
  for (const line of requireLinesOf(own)) {
    const { provider, negated } = parseRequireLine(line);
    const file = Object.hasOwn(groupFiles, provider) ? groupFiles[provider] : undefined;
    if (file === undefined || state.config.setting(file.key) || hasMisspeltLine(file.name, state)) continue;
    const others = [...(compat?.rules.directives ?? []), ...requireLinesOf(require)];
    const isMember = ({ user, groups, dbmGroups }: AccessAnswer["request"]) =>
      user !== undefined && (provider.includes("file") || (groups ?? dbmGroups) !== undefined);
    const shows = ({ class: decided, log, request }: AccessAnswer) =>
      isMember(request) && (negated ? decided === "allowed" : decided === "401" && log.includes("AH01631"));
    const answer = findWitness(inspector, situation, [line, ...others], shows);
    if (!answer) continue;
    const log = answer.log.flatMap((code) => (code === "AH01631" ? [file.unset, code] : [code]));
    return {
      ...(negated ? {} : { severity: "warning" }),
      message: (negated ? messages.noGroupsDenied : messages.noGroupsAllowed)(line, file.name, { ...answer, log }),
      span: line.span,
      witness: inspector.witness(answer),
    };
  }
  return undefined;
}
