import {
  type AccessAnswer,
  describeProbe,
  findMissingAuth,
  findWitness,
  formatLineTitle,
  type MissingAuth,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule, defineVariant } from "../../src/lint/api/rule.js";
import { loginNotRequired } from "./login-not-required.js";

const messages = {
  noRequire: (line: Directive, answer: AccessAnswer, lack: MissingAuth | undefined) => ({
    message: `${formatLineTitle(line)} is set, but \`Require\` is missing`,
    notes: [
      "2.4 treats AuthType without Require as a mistake",
      describeProbe(answer),
      ...(lack ? [`a login needs more than Require: ${lack.wrong}`] : []),
    ],
    help: [
      "to require a login, add `Require valid-user`",
      ...(lack?.help ?? []),
      "to allow every client, delete `AuthType`",
    ],
  }),
};

/** Finds a section whose requests return 500, because no Require applies (mod_authz_core.c `authorize_user`). */
const noRequire = defineVariant({
  id: "authtype-without-require",
  needsWholeServer: { reason: "another file may set Require for the same requests" },
  messages,
  check: () => ({
    probe: {
      applies: (scope, scopes) =>
        !scopes.kindsIn(scope).has("require") && scope.directives.some(({ key }) => key === "authtype"),
      check(situation, inspector) {
        const { layer, compat, require, state } = situation;
        const line = layer.setting("authtype");
        if (!line || require !== undefined) return undefined;
        // A request that mod_access_compat rules deny returns 403.
        const answer = findWitness(inspector, situation, compat?.rules.directives ?? [], ({ log }) =>
          log.includes("AH01627"),
        );
        if (!answer) return undefined;
        // With a Require, the server would fail on whatever else is missing.
        const lack = findMissingAuth(state);
        return {
          message: messages.noRequire(line, answer, lack),
          span: line.span,
          witness: inspector.witness(answer),
        };
      },
    },
  }),
});

export const authtypeWithoutRequire = defineRule({
  id: "authtype-without-require",
  title: "AuthType without Require",
  group: "access",
  severity: "error",
  description:
    "AuthType applies to a section without a Require: 2.4 returns 500. Or no Require needs a user, so that nobody is asked for a password.",
  help: "2.4 treats AuthType without a Require as a mistake and returns 500 to every request (AH01627). 2.2 allowed every client. With a Require that allows every client, no password is asked for. Add a Require for the users to allow, or delete AuthType.",
  tags: ["upgrade", "access-control"],
  upgrade: "start",
  isResolvedByMigrate: true,
  variants: [noRequire, loginNotRequired],
});
