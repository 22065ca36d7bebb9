import {
  type AccessAnswer,
  allowsEveryClient,
  type CompatRules,
  describeRequest,
  findCompatRulesWithout,
  findWitness,
  formatDirectiveNames,
  formatLineTitle,
  isCompatDirective,
  isHostBased,
  listRequireLines,
  mayLiftDenial,
  ownRulesOf,
  parseRequireLine,
  type RulesTransform,
  requireLinesOf,
  requiresUser,
} from "../../src/lint/api/access.js";
import type { Directive, Scope } from "../../src/lint/api/configuration.js";
import {
  combineEdits,
  defineRule,
  type MessageText,
  removeLines,
  replaceAllLines,
  type Span,
} from "../../src/lint/api/rule.js";

const describeDenial = (denial: AccessAnswer, lines: "it" | "them") => [
  "`Require` already asks for a user",
  `${describeRequest(denial.request)} returns 401 with and without ${lines}`,
];

const messages = {
  /** @param login the inherited line that requires a user */
  opensNothing: ({ directives }: CompatRules, login: Directive, denial: AccessAnswer) => ({
    message: `${formatDirectiveNames(directives)} ${directives.length === 1 ? "allows" : "allow"} every client, but the inherited ${formatLineTitle(login)} applies`,
    notes: describeDenial(denial, directives.length === 1 ? "it" : "them"),
    help: ["to allow every client without a login, use `Require all granted` instead"],
  }),
  restrictsNothing: ({ directives }: CompatRules, denial: AccessAnswer) => ({
    message: `${formatDirectiveNames(directives)} restrict nothing: the section has no \`Deny\``,
    notes: describeDenial(denial, "them"),
    help: [
      "to require a login from a listed address, use `Order allow,deny`",
      "to allow the listed clients without a login, add `Deny from all` and `Satisfy any`",
    ],
  }),
  redundantSatisfy: (line: Directive, denial: AccessAnswer) => ({
    message: `${formatLineTitle(line)} has no effect: it is the default`,
    notes: describeDenial(denial, "it"),
    help: ["delete it"],
  }),
  redundantLine: ({ directives }: CompatRules, denial: AccessAnswer) => ({
    message: `${formatDirectiveNames(directives)} has no effect: it allows every client`,
    notes: describeDenial(denial, "it"),
    help: ["delete it"],
  }),
  redundantLines: ({ directives }: CompatRules, denial: AccessAnswer) => ({
    message: `${formatDirectiveNames(directives)} have no effect: they allow every client`,
    notes: describeDenial(denial, "them"),
    help: ["delete them"],
  }),
};

const labels = { redundantToo: "also has no effect" };

const fixTitles = { delete: "Delete the redundant lines", grant: "Replace with `Require all granted`" };

export const redundantHostRules = defineRule({
  id: "redundant-host-rules",
  title: "Redundant mod_access_compat directives",
  group: "access",
  severity: "info",
  description: "Order, Allow and Satisfy All that allow every client, next to a Require that asks for a user.",
  help: "If Require asks for a user, lines that allow every address have no effect. The rule does not report them if other mod_access_compat directives may deny a client. They were often added to 2.2 configurations to be safe. After you delete them, the section does not need mod_access_compat.",
  tags: ["upgrade", "access-control"],
  upgrade: "recommended",
  supersedes: ["mixed-access-control", "old-access-control", "shadowed-rule"],
  editorTag: "unnecessary",
  messages,
  check: () => ({
    probe: {
      applies: (scope, scopes) =>
        allowsAll(scope) && (scopes.kindsIn(scope).has("require") || scopes.mayInherit(scope, "require")),
      check(situation, inspector, scopes, { proofs }) {
        const { compat, require, layer, state } = situation;
        const own = ownRulesOf(situation).compat;
        if (!compat || !own || !require || compat.layer !== layer || isHostBased(require, state)) return undefined;
        const outer = findCompatRulesWithout(situation, layer);
        const asInherited: RulesTransform = (rules) => ({ ...rules, compat: outer });
        const lines = [...own.directives, ...(outer?.rules.directives ?? []), ...listRequireLines(situation)];
        const difference = findWitness(inspector, situation, lines, (answer) => {
          const without = inspector.probe(situation, answer.request, asInherited);
          return without === undefined || without.class !== answer.class || `${without.log}` !== `${answer.log}`;
        });
        const denial = findWitness(inspector, situation, lines, ({ class: decided }) => decided === "401");
        const [first, ...others] = own.directives;
        if (difference || !denial || !first || (outer && !allowsEveryClient(outer.rules))) return undefined;
        if (mayLiftDenial(situation, scopes)) return undefined;
        const isLogin = (line: Directive) => line.key === "require" && requiresUser(parseRequireLine(line).provider);
        const login = ownRulesOf(situation).require ? undefined : requireLinesOf(require).find(isLogin);
        const isOpened = login !== undefined && own.hosts.some(({ match }) => match.kind === "all");
        // Only the author knows whether a listed client needs a login.
        const isList = own.hosts.some(({ match }) => match.kind !== "all");
        const edits = isList
          ? undefined
          : isOpened
            ? replaceAllLines(spansOf(own), "Require all granted")
            : combineEdits(spansOf(own).map(removeLines));
        const isRedundant = edits !== undefined && !isOpened && proofs.isRedundant(new Set(own.directives));
        const safety = isRedundant ? "safe" : "unsafe";
        return {
          message: isList
            ? messages.restrictsNothing(own, denial)
            : isOpened
              ? messages.opensNothing(own, login, denial)
              : createMessage(own, denial),
          span: first.span,
          related: others.map((each) => ({ message: labels.redundantToo, span: each.span })),
          ...(edits ? { fix: { title: isOpened ? fixTitles.grant : fixTitles.delete, safety, edits } } : {}),
          witness: inspector.witness(denial),
        };
      },
    },
  }),
});

function createMessage(own: CompatRules, denial: AccessAnswer): MessageText {
  const [line, ...others] = own.directives;
  if (others.length > 0) return messages.redundantLines(own, denial);
  return line?.key === "satisfy" ? messages.redundantSatisfy(line, denial) : messages.redundantLine(own, denial);
}

/** Returns whether the mod_access_compat directives of a scope allow every client with every method. */
function allowsAll({ directives }: Scope): boolean {
  const compat = directives.filter(isCompatDirective);
  if (compat.length === 0) return false;
  if (compat.some(({ parent, key }) => key === "deny" || parent?.key.startsWith("<limit"))) return false;
  const order = compat.findLast(({ key }) => key === "order")?.argumentText.toLowerCase() ?? "deny,allow";
  return (
    order === "deny,allow" ||
    compat.some(({ key, argumentText }) => key === "allow" && /^from all$/i.test(argumentText))
  );
}

function spansOf({ directives }: CompatRules): readonly Span[] {
  return directives.map(({ span }) => span);
}
