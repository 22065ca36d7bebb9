import { authenticate, authTypeOf, findsUsers, moduleOf } from "../../src/access/authentication.js";
import { layersOf, requireLinesOf } from "../../src/access/merged.js";
import { mayFindUserElsewhere } from "../../src/access/modules.js";
import { readRequire } from "../../src/access/new-rules.js";
import { checkProvider } from "../../src/access/provider-checks.js";
import { type AccessState, inForce } from "../../src/access/state.js";
import type { Report } from "../../src/engine/finding.js";
import { defineRule } from "../../src/engine/rule.js";
import { moreLines } from "../../src/engine/shared-cause.js";
import type { Directive } from "../../src/project/directive.js";
import type { Inspector, Seen, Situation } from "../../src/witness/inspector.js";
import { answerText, firstThat, judging, lineTitle, requestText } from "../../src/witness/judging.js";
import { ownRulesOf } from "../../src/witness/readings.js";

export const authenticationIncomplete = defineRule({
  id: "authentication-incomplete",
  title: "A user is needed, and cannot be asked for",
  severity: "error",
  description:
    "A Require that needs a user where the server cannot ask for one or look one up: AuthType, AuthName, AuthUserFile, the group file or the module is missing.",
  help: "Require says who may come in; AuthType, AuthName and a provider with its file say how the server finds out who it is. Where one of them is missing the server starts without a word, and answers 500 to everybody, or to whoever sends a password. Without a group file it answers 401 to every member. Set what the message names, where the Require stands or further out.",
  tags: ["correctness", "access-control"],
  check: (context) =>
    judging(context, {
      releases: ["2.2", "2.4"],
      concerns: ({ directives }) => directives.some(({ key }) => key === "require" || key === "authtype"),
      judge: (situation, inspector) => withoutMeans(situation, inspector) ?? withoutGroups(situation, inspector),
    }),
});

/** What is missing, as clauses. */
interface Lack {
  /** The numbers of the server's messages that may tell of it. */
  readonly codes: readonly string[];
  readonly wrong: string;
  readonly remedy: string;
  /** The module that is not loaded, where that is the cause. */
  readonly module?: string;
}

/** Somebody gets 500, since the server has nothing to ask for a user with. */
function withoutMeans(situation: Situation, inspector: Inspector): Report | undefined {
  const { old, require, state } = situation;
  const lack = require && lackIn(state);
  const line = lack && lineAtFault(situation, lack);
  if (!lack || !line) return undefined;
  const lines = [...(old?.rules.directives ?? []), ...requireLinesOf(require)];
  const tells = (log: readonly string[]) => lack.codes.some((code) => log.includes(code));
  // 2.2 has no numbers.
  const shows = ({ class: decided, log }: Seen) => decided === "500" && (log.length === 0 || tells(log));
  const seen = firstThat(inspector, situation, lines, shows);
  if (!seen) return undefined;
  const type = inForce(state, "authtype");
  const text = (needs: string) => `${needs}, but ${lack.wrong}, so ${gets(seen)}; ${lack.remedy}`;
  return {
    message: text(`${lineTitle(line)} needs a user`),
    span: line.span,
    related: type && type !== line ? [{ message: `${lineTitle(type)} is in force`, span: type.span }] : [],
    witness: inspector.witness(seen),
    ...(type ? causeOf(lack, type, line, text) : {}),
  };
}

function gets(seen: Seen): string {
  return `${requestText(seen.request)} ${answerText(seen)}`;
}

/** A module, and what belongs to an AuthType, may be missed by many lines. */
function causeOf(
  { codes, module }: Lack,
  { span: { file, start } }: Directive,
  line: Directive,
  text: (needs: string) => string,
): Pick<Report, "cause"> {
  if (module === undefined) {
    const message = (others: number) => text(`${lineTitle(line)} and ${moreLines(others)} need a user`);
    return { cause: { key: `${codes} ${file.path}:${start}`, message, also: "this needs a user, too" } };
  }
  const message = (others: number) =>
    `${text(`${lineTitle(line)} needs a user`)}, which ${moreLines(others)} need${others === 1 ? "s" : ""}, too`;
  return { cause: { key: `${module} false`, isAnyRules: true, message, also: "this needs the module, too" } };
}

/**
 * The line to tell it at: the section's own Require that needs a user; in a section that inherits one, the AuthType that puts
 * out of force what is set up around it.
 */
function lineAtFault(situation: Situation, lack: Lack): Directive | undefined {
  const { layer, require, state } = situation;
  const own = ownRulesOf(situation).require;
  if (own && require && layersOf(require).includes(layer))
    return requireLinesOf(own).find((line) => checkProvider(readRequire(line), state, undefined) === "no-user");
  const type = layer.setting("authtype");
  if (type === undefined || inForce(state, "authtype") !== type) return undefined;
  const outer = lackIn({ ...state, layers: state.layers.filter((each) => each !== layer) });
  return `${outer?.codes}` === `${lack.codes}` ? undefined : type;
}

/** What the server lacks to find out who the user is; undefined where it has all, and where others may know. */
function lackIn(state: AccessState): Lack | undefined {
  const { project, layers, request } = state;
  if (layers.some(findsUsers)) return undefined;
  const authentication = authenticate({ ...state, request: { ...request, user: "somebody" } });
  if (authentication.kind === "none") return mayFindUserElsewhere(project) ? undefined : lackOfType(state);
  const [code] = authentication.kind === "broken" ? authentication.codes : [];
  const line = inForce(state, "authtype");
  // What 2.2 makes of these was not seen.
  if (code === undefined || line === undefined || project.release === "2.2") return undefined;
  const type = { line, name: authTypeOf(state) ?? "" };
  return code === NO_MODULE ? lackOfModule(type, state) : lackOfSetting(code, type);
}

function lackOfType(state: AccessState): Lack {
  const none = inForce(state, "authtype");
  return {
    codes: ["AH00027", "AH00028"],
    wrong: none ? `${lineTitle(none)} is in force` : "no AuthType is in force to ask for one",
    remedy: "add AuthType with AuthName and AuthUserFile, or write a Require that needs no user",
  };
}

/** The AuthType in force. */
interface Type {
  readonly line: Directive;
  /** In lower case. */
  readonly name: string;
}

const NO_MODULE = "AH01796";

function lackOfModule({ line, name }: Type, { project }: AccessState): Lack | undefined {
  const { modules, modulesAreKnown } = project;
  const module = moduleOf(name);
  const codes = [NO_MODULE];
  if (module === undefined)
    return {
      codes,
      wrong: `no loaded module knows ${lineTitle(line)}`,
      remedy: "write `AuthType Basic`, or load the module that brings it",
    };
  if (!modulesAreKnown || modules.has(module)) return undefined;
  const wrong = `${lineTitle(line)} needs \`${module}\`, which is not loaded`;
  return { codes, module, wrong, remedy: "load the module" };
}

/** What a provider cannot do without, by the number of what the server says where it is not set. */
const files: Readonly<Record<string, string>> = {
  AH01619: "AuthUserFile",
  AH01621: "AuthUserFile",
  AH10285: "AuthDBMUserFile",
  AH02558: "AuthLDAPURL",
};

function lackOfSetting(code: string, { line, name }: Type): Lack | undefined {
  const codes = [code];
  if (["AH01615", "AH01780", "AH01810"].includes(code)) {
    const wrong = `no AuthName is in force, without which ${lineTitle(line)} asks nobody`;
    return { codes, wrong, remedy: 'add AuthName, such as `AuthName "Members"`' };
  }
  const file = Object.hasOwn(files, code) ? files[code] : undefined;
  if (file === undefined) return undefined;
  const provider = `Auth${name.charAt(0).toUpperCase()}${name.slice(1)}Provider`;
  const wrong = `no ${file} is in force to look one up in`;
  return { codes, wrong, remedy: `add ${file}, or name with ${provider} what knows the users` };
}

interface GroupFile {
  readonly key: string;
  readonly name: string;
  /** The number of what the server says where it is not set. */
  readonly unset: string;
}

const text: Omit<GroupFile, "unset"> = { key: "authgroupfile", name: "AuthGroupFile" };
const dbm: Omit<GroupFile, "unset"> = { key: "authdbmgroupfile", name: "AuthDBMGroupFile" };

const groupFiles: Readonly<Record<string, GroupFile>> = {
  group: { ...text, unset: "AH01664" },
  "file-group": { ...text, unset: "AH01668" },
  "dbm-group": { ...dbm, unset: "AH01798" },
  "dbm-file-group": { ...dbm, unset: "AH01802" },
};

/** Members of a group get 401, or come in where they should not, since nothing says who is one. */
function withoutGroups(situation: Situation, inspector: Inspector): Report | undefined {
  const { old, require, state } = situation;
  const own = ownRulesOf(situation).require;
  if (state.project.release === "2.2" || !own || !require) return undefined;
  for (const line of requireLinesOf(own)) {
    const { provider, negated } = readRequire(line);
    const file = Object.hasOwn(groupFiles, provider) ? groupFiles[provider] : undefined;
    if (file === undefined || inForce(state, file.key)) continue;
    const others = [...(old?.rules.directives ?? []), ...requireLinesOf(require)];
    const isMember = ({ user, groups, dbmGroups }: Seen["request"]) =>
      user !== undefined && (provider.includes("file") || (groups ?? dbmGroups) !== undefined);
    const shows = ({ class: decided, log, request }: Seen) =>
      isMember(request) && (negated ? decided === "allowed" : decided === "401" && log.includes("AH01631"));
    const seen = firstThat(inspector, situation, [line, ...others], shows);
    if (!seen) continue;
    const effect = negated ? "keeps no member out" : "lets no member in";
    const said = seen.log.flatMap((code) => (code === "AH01631" ? [file.unset, code] : [code]));
    return {
      ...(negated ? {} : { severity: "warning" }),
      message: `${lineTitle(line)} ${effect}, since no ${file.name} is in force to say who is one, so ${gets({ ...seen, log: said })}; add ${file.name}`,
      span: line.span,
      witness: inspector.witness(seen),
    };
  }
  return undefined;
}
