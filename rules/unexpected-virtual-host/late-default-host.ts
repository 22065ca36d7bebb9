import {
  type Argument,
  type Directive,
  isSince,
  isWholeServer,
  listLaterHosts,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  late: (written: string, why: string) => ({
    message: `${quoteText(written)} does not make this the default virtual host`,
    notes: [why, "the first virtual host of an address responds to names that no virtual host has"],
    help: ["move this virtual host before the others of its address"],
  }),
};

const labels = { first: "responds to unknown names" };

export const lateDefaultHost = defineVariant({
  id: "late-default-host",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || !isWholeServer(project)) return {};
    return {
      end() {
        for (const { host, first } of listLaterHosts(project)) {
          const claim = findClaim(host, first);
          if (claim === undefined) continue;
          report({
            message: messages.late(claim.written, claim.why),
            span: claim.line.span,
            related: [{ message: labels.first, span: first.span }],
          });
        }
      },
    };
  },
});

/** A text by which a virtual host seems to be the default. */
interface Claim {
  readonly line: Directive;
  readonly written: string;
  readonly why: string;
}

function findClaim(host: Directive, first: Directive): Claim | undefined {
  const children = host.children ?? [];
  const line = children.findLast(({ key }) => key === "servername");
  const name = line?.arguments[0]?.value;
  const isDefault = name !== undefined && defaultNames.has(name.toLowerCase());
  // If the first host of the address has the word as well, it means `*` in each.
  const word = isDefault || defaultWordOf(first) ? undefined : defaultWordOf(host);
  if ((!isDefault && word === undefined) || children.some(matchesAllNames)) return undefined;
  return line && isDefault
    ? { line, written: `${line.name} ${name}`, why: "httpd compares it like any other name" }
    : word && { line: host, written: word.value, why: "`_default_` means the same as `*`" };
}

/** Returns whether a line gives its host all names, so that the host responds to the others' requests as well. */
function matchesAllNames({ key, argumentText }: Directive): boolean {
  return key === "serveralias" && /(?:^|\s)\*(?:\s|$)/.test(argumentText);
}

function defaultWordOf(host: Directive): Argument | undefined {
  if (!host.argumentText.includes("_")) return undefined;
  return host.arguments.find(({ value }) => /^_default_(?::|$)/i.test(value));
}

const defaultNames: ReadonlySet<string> = new Set(["_", "_default_", "*", "default", "catchall"]);
