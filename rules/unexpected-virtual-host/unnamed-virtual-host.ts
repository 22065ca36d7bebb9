import {
  type Directive,
  isSince,
  isWholeServer,
  listLaterHosts,
  type Project,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText } from "../../src/lint/api/rule.js";

const messages = {
  unnamed: (serverName: string | undefined) => ({
    message: "virtual host without a `ServerName`",
    notes: [
      serverName === undefined
        ? "httpd looks its name up in DNS, by the address of the virtual host or of the machine"
        : `it has the name of the main server, ${quoteText(serverName)}`,
      "an earlier virtual host with the same address responds to all other names",
    ],
    help: ["add a `ServerName`"],
  }),
};

const labels = { first: "responds to names that no virtual host has" };

export const unnamedVirtualHost = defineVariant({
  id: "unnamed-virtual-host",
  messages,
  check: ({ project, release, report }) => {
    if (!isSince(release, "2.4") || !isWholeServer(project)) return {};
    return {
      end() {
        const serverName = findServerName(project);
        for (const { host, first } of listLaterHosts(project)) {
          if (isNamed(host)) continue;
          report({
            message: messages.unnamed(serverName),
            span: host.span,
            related: [{ message: labels.first, span: first.span }],
          });
        }
      },
    };
  },
});

const names: ReadonlySet<string> = new Set(["serveralias", "servername", "serverpath"]);

function isNamed({ children = [] }: Directive): boolean {
  return children.some(({ key }) => names.has(key));
}

function findServerName({ directives }: Project): string | undefined {
  return directives.findLast(({ key }) => key === "servername")?.arguments[0]?.value;
}
