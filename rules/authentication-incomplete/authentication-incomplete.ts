import { checkProvider } from "../../src/access/decide/provider-checks.js";
import { type AccessState, findEffectiveSetting, omitLayer } from "../../src/access/model/access-state.js";
import { requireLinesOf, sourceLayersOf } from "../../src/access/rules/merge.js";
import { parseRequireLine } from "../../src/access/rules/require-rules.js";
import type { Report } from "../../src/engine/finding.js";
import { formatMoreLines } from "../../src/engine/root-causes.js";
import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/model/directive.js";
import type { Inspector, ProbeAnswer, ProbeContext } from "../../src/witness/inspector.js";
import { findMissingAuth, hasMisspeltLine, type MissingAuth } from "../../src/witness/missing-authentication.js";
import {
  createProbeVisitor,
  describeAnswer,
  describeRequest,
  findWitness,
  formatLineTitle,
} from "../../src/witness/probe-visitor.js";
import { ownRulesOf } from "../../src/witness/rules-in-context.js";

export const authenticationIncomplete = defineRule({
  id: "authentication-incomplete",
  title: "A user is needed, and cannot be asked for",
  severity: "error",
  description:
    "A Require that needs a user where the server cannot ask for one or look one up: AuthType, AuthName, AuthUserFile, the group file or the module is missing.",
  help: "Require says who may come in; AuthType, AuthName and a provider with its file say how the server finds out who it is. Where one of them is missing the server starts without a word, and answers 500 to everybody, or to whoever sends a password. Without a group file it answers 401 to every member. Set what the message names, where the Require stands or further out.",
  tags: ["correctness", "access-control"],
  check: (context) =>
    createProbeVisitor(context, {
      releases: ["2.2", "2.4"],
      applies: ({ directives }) => directives.some(({ key }) => key === "require" || key === "authtype"),
      check: (situation, inspector) => withoutMeans(situation, inspector) ?? withoutGroups(situation, inspector),
    }),
});

/** Reports a request that returns 500 because the authentication setup is incomplete. */
function withoutMeans(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { old, require, state } = situation;
  const lack = require && findMissingAuth(state);
  const line = lack && lineAtFault(situation, lack);
  if (!lack || !line) return undefined;
  const lines = [...(old?.rules.directives ?? []), ...requireLinesOf(require)];
  const tells = (log: readonly string[]) => lack.codes.some((code) => log.includes(code));
  // 2.2 messages do not have numbers.
  const shows = ({ class: decided, log }: ProbeAnswer) => decided === "500" && (log.length === 0 || tells(log));
  const seen = findWitness(inspector, situation, lines, shows);
  if (!seen) return undefined;
  const type = findEffectiveSetting(state, "authtype");
  const asking = line.key === "require" ? line : (needingUser(requireLinesOf(require), state) ?? line);
  const subject = asking === line ? formatLineTitle(line) : `the inherited ${formatLineTitle(asking)}`;
  const text = (needs: string) => `${needs}, but ${lack.wrong}, so ${describeResult(seen)}; ${lack.remedy}`;
  const related = [
    ...(asking === line ? [] : [{ message: `${formatLineTitle(asking)} comes in from here`, span: asking.span }]),
    ...(type && type !== line ? [{ message: `${formatLineTitle(type)} is in force`, span: type.span }] : []),
  ];
  return {
    message: text(`${subject} needs a user`),
    span: line.span,
    related,
    witness: inspector.witness(seen),
    ...(type ? causeOf(lack, type, subject, text) : {}),
  };
}

/** Returns the first Require line that needs a user. */
function needingUser(lines: readonly Directive[], state: AccessState): Directive | undefined {
  return lines.find((line) => checkProvider(parseRequireLine(line), state, undefined) === "no-user");
}

function describeResult(seen: ProbeAnswer): string {
  return `${describeRequest(seen.request)} ${describeAnswer(seen)}`;
}

/** Groups lines by cause: many lines may lack a module, or a setting of the same AuthType. */
function causeOf(
  { codes, module }: MissingAuth,
  { span: { file, start } }: Directive,
  subject: string,
  text: (needs: string) => string,
): Pick<Report, "cause"> {
  if (module === undefined) {
    const message = (others: number) => text(`${subject} and ${formatMoreLines(others)} need a user`);
    return { cause: { key: `${codes} ${file.path}:${start}`, message, also: "this needs a user, too" } };
  }
  const message = (others: number) =>
    `${text(`${subject} needs a user`)}, which ${formatMoreLines(others)} need${others === 1 ? "s" : ""}, too`;
  return { cause: { key: `${module} false`, isAnyRules: true, message, also: "this needs the module, too" } };
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
  if (type === undefined || findEffectiveSetting(state, "authtype") !== type) return undefined;
  const outer = findMissingAuth(omitLayer(layer, state));
  return `${outer?.codes}` === `${lack.codes}` ? undefined : type;
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

/** Reports group members that get 401, or that a negated Require allows, because no group file is set. */
function withoutGroups(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const { old, require, state } = situation;
  const own = ownRulesOf(situation).require;
  if (state.project.release === "2.2" || !own || !require) return undefined;
  for (const line of requireLinesOf(own)) {
    const { provider, negated } = parseRequireLine(line);
    const file = Object.hasOwn(groupFiles, provider) ? groupFiles[provider] : undefined;
    if (file === undefined || findEffectiveSetting(state, file.key) || hasMisspeltLine(file.name, state)) continue;
    const others = [...(old?.rules.directives ?? []), ...requireLinesOf(require)];
    const isMember = ({ user, groups, dbmGroups }: ProbeAnswer["request"]) =>
      user !== undefined && (provider.includes("file") || (groups ?? dbmGroups) !== undefined);
    const shows = ({ class: decided, log, request }: ProbeAnswer) =>
      isMember(request) && (negated ? decided === "allowed" : decided === "401" && log.includes("AH01631"));
    const seen = findWitness(inspector, situation, [line, ...others], shows);
    if (!seen) continue;
    const effect = negated ? "keeps no member out" : "lets no member in";
    const said = seen.log.flatMap((code) => (code === "AH01631" ? [file.unset, code] : [code]));
    return {
      ...(negated ? {} : { severity: "warning" }),
      message: `${formatLineTitle(line)} ${effect}, since no ${file.name} is in force to say who is one, so ${describeResult({ ...seen, log: said })}; add ${file.name}`,
      span: line.span,
      witness: inspector.witness(seen),
    };
  }
  return undefined;
}
