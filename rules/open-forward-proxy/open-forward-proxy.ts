import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, hasProxyFlag, iterateDirectives, type Project } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, insertLinesAfter, removeLines } from "../../src/lint/api/rule.js";

const messages = {
  open: (line: Directive, answer: DefiniteAnswer, isPart: boolean) => ({
    message: `${formatLineTitle(line)} makes the server an open proxy`,
    notes: [
      "every client can send requests to any host",
      `${describeAnswer(answer)} from that host`,
      ...(isPart ? ["another file may limit its clients, but this file is checked on its own"] : []),
    ],
    help: [
      "delete the line if the server is only a reverse proxy: ProxyPass does not need it",
      'for a forward proxy, add `<Proxy "*">` with `Require ip` and the addresses of its users',
    ],
  }),
};

const fixTitles = {
  delete: "Delete this line: a reverse proxy does not need it",
  limit: "Limit the forward proxy to this machine",
};

export const openForwardProxy = defineRule({
  id: "open-forward-proxy",
  title: "Forward proxy open to everyone",
  group: "exposure",
  severity: "error",
  description: "ProxyRequests is on, and no Proxy section limits who can use the server as a forward proxy.",
  help: "Clients use an open proxy to hide their address, and to reach hosts of your internal network. A reverse proxy does not need ProxyRequests. A Location section does not limit a forward proxy.",
  securitySeverity: 8.6,
  references: { cis: ["2.6"], stig: ["V-214241"], cwe: [441] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["proxyrequests"],
      onFragments: true,
      *check({ line, server, context: { project } }, client) {
        if (!/^"?on"?$/i.test(line.argumentText) || !isProxyLoaded(project)) return;
        // A server without ServerName may itself have any name.
        const answers = client.askAll(server, { path: "/", origin: "http://www.example.com" });
        const answer = answers.find(({ status, backend }) => status === 200 && backend?.by === line);
        if (answer === undefined || answers.some(({ class: decided }) => decided !== "allowed")) return;
        // Whether the proxy is needed is not known, so no recommendation is violated for certain.
        const references = { cis: [] };
        const isPart = project.kind !== "server";
        const message = messages.open(line, answer, isPart);
        const severity = isPart ? { severity: "warning" as const } : {};
        yield {
          message,
          span: line.span,
          witness: witnessOf(answer),
          references,
          ...severity,
          ...fixOf(line, project),
        };
      },
    },
  }),
});

/** A `<Proxy>` section would also apply to the requests of a reverse proxy. */
function fixOf({ span }: Directive, project: Project) {
  const isReverse = [...iterateDirectives(project)].some(
    ({ key, argumentText }) =>
      /^(?:proxy(?:pass|passmatch)|<proxy(?:match)?|balancermember)$/.test(key) || hasProxyFlag(argumentText),
  );
  if (isReverse) return createFix(fixTitles.delete, "unsafe", removeLines(span));
  const lines = ['<Proxy "*">', "    Require local", "</Proxy>"];
  return createFix(fixTitles.limit, "unsafe", insertLinesAfter(span, lines));
}

/** Returns whether mod_proxy is loaded, with a module that sends such requests. */
function isProxyLoaded({ modules, modulesAreKnown }: Project): boolean {
  const has = (module: string) => !modulesAreKnown || modules.has(module);
  return has("proxy_module") && (has("proxy_http_module") || has("proxy_connect_module"));
}
