import { isRequireContainer, type RequireLine, readRequire } from "../../src/access/new-rules.js";
import { asksForClient, asksForUser } from "../../src/access/providers.js";
import { defineRule } from "../../src/engine/rule.js";
import { limitAround, type Scope } from "../../src/engine/scope.js";
import type { Directive } from "../../src/project/directive.js";
import { toReadable } from "../../src/text/source.js";

export const implicitRequireAny = defineRule({
  id: "implicit-require-any",
  title: "An address beside a user lets in by itself",
  severity: "warning",
  description: "Require lines for an address and for a user side by side: one of them is enough.",
  help: "Require lines that stand in a section without a container count as if inside RequireAny, so the address alone lets in and no password is asked. If both are meant, wrap them in RequireAll; if one is enough, say so with RequireAny.",
  securitySeverity: 5,
  tags: ["access-control", "security"],
  check: ({ release, report }) => ({
    scope: {
      holding: ["require"],
      visit(scope) {
        // The top of a fragment may stand in a container; at the level of the server Require is misplaced.
        if (release !== "2.4" || elsewhere.has(scope.place)) return;
        const lines = bareLines(scope);
        if (lines.length < 2 || saysAny(scope)) return;
        for (const client of lines) {
          if (!asksForClient(client.provider)) continue;
          const user = lines.find((line) => asksForUser(line.provider) && sharesMethods(client, line));
          if (user === undefined) continue;
          report({
            message: `${title(client)} lets in by itself, without the user that ${title(user)} asks for: side by side either is enough; write \`<RequireAll>\` around them if both are meant, \`<RequireAny>\` if not`,
            span: client.directive.span,
            related: [{ message: "the user is asked for here", span: user.directive.span }],
          });
          return;
        }
      },
    },
  }),
});

const elsewhere: ReadonlySet<string> = new Set(["unknown", "server", "virtualhost"]);

/** The Require lines of a scope outside every container. */
function bareLines(scope: Scope): RequireLine[] {
  const isBare = (directive: Directive) =>
    directive.key === "require" && (directive.parent === undefined || !isRequireContainer(directive.parent));
  return scope.directives.filter(isBare).map(readRequire);
}

/** `Satisfy any` says that one of them is meant to be enough. */
function saysAny(scope: Scope): boolean {
  return scope.directives.some(
    (directive) => directive.key === "satisfy" && directive.arguments[0]?.value.toLowerCase() === "any",
  );
}

/** Lines in different Limit sections hold for different requests, or nobody knows. */
function sharesMethods(one: RequireLine, other: RequireLine): boolean {
  const [a, b] = [limitAround(one.directive), limitAround(other.directive)];
  return a === undefined || b === undefined || a === b;
}

function title(line: RequireLine): string {
  const rest = toReadable(line.rest);
  return `\`Require ${`${line.provider} ${rest.length > 40 ? `${rest.slice(0, 39)}…` : rest}`.trim()}\``;
}
