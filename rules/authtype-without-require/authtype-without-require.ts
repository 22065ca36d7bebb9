import {
  defineProbeRule,
  describeProbe,
  findMissingAuth,
  findWitness,
  formatLineTitle,
  type MissingAuth,
  type ProbeAnswer,
} from "../../src/rule-api/access.js";
import type { Directive } from "../../src/rule-api/configuration.js";

const messages = {
  noRequire: (line: Directive, seen: ProbeAnswer, lack: MissingAuth | undefined) =>
    `${formatLineTitle(line)} is in force here, but no Require says who may come in: 2.4 takes that for a mistake, so ${describeProbe(seen)}; ${lack ? `${lack.remedy}, and ` : ""}add \`Require valid-user\` to ask for a user, or take AuthType out to let everybody in`,
};

export const authtypeWithoutRequire = defineProbeRule({
  id: "authtype-without-require",
  title: "AuthType without Require",
  severity: "error",
  description: "AuthType in force for a section in which no Require says who may come in: 2.4 answers 500.",
  help: "2.4 takes an AuthType without any Require for a mistake and answers every request with 500 (AH01627), where 2.2 let everybody in. Say with Require who may come in, or take AuthType out.",
  tags: ["upgrade", "access-control"],
  upgrade: "start",
  applies: (scope, scopes) =>
    !scopes.kindsIn(scope).has("require") && scope.directives.some(({ key }) => key === "authtype"),
  messages,
  check(situation, inspector) {
    const { layer, old, require, state } = situation;
    const line = layer.setting("authtype");
    if (!line || require !== undefined) return undefined;
    // A request that mod_access_compat rules deny returns 403.
    const seen = findWitness(inspector, situation, old?.rules.directives ?? [], ({ log }) => log.includes("AH01627"));
    if (!seen) return undefined;
    // With a Require, the server would fail on whatever else is missing.
    const lack = findMissingAuth(state);
    return {
      message: messages.noRequire(line, seen, lack),
      span: line.span,
      witness: inspector.witness(seen),
    };
  },
});
