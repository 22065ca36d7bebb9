import { defineExposureRule, formatLineTitle } from "../../src/rule-api/access.js";
import { type Directive, iterateDirectives, type Project } from "../../src/rule-api/configuration.js";

const messages = {
  open: (line: Directive) => ({
    message: `${formatLineTitle(line)} makes the server an open proxy`,
    notes: ["every client can send requests to any host: `GET http://www.example.com/` is passed on"],
    help: [
      "delete the line if the server is only a reverse proxy: ProxyPass does not need it",
      'for a forward proxy, add `<Proxy "*">` with `Require ip` and the addresses of its users',
    ],
  }),
};

export const openForwardProxy = defineExposureRule({
  id: "open-forward-proxy",
  title: "Forward proxy open to everyone",
  severity: "error",
  description: "ProxyRequests is on, and no Proxy section limits who can use the server as a forward proxy.",
  help: "Clients use an open proxy to hide their address, and to reach hosts of your internal network. A reverse proxy does not need ProxyRequests. A Location section does not limit a forward proxy.",
  securitySeverity: 8.6,
  references: { cis: ["2.6"], stig: ["V-214241"], cwe: [441] },
  tags: ["security"],
  messages,
  holding: ["proxyrequests"],
  *check({ line, server, context: { project } }) {
    if (!isOn(line) || !isProxyLoaded(project)) return;
    const lines = [...iterateDirectives(project)];
    // A virtual host may turn off what the main server turns on.
    const isTurnedOff = server.section?.children?.some((each) => each.key === "proxyrequests" && !isOn(each));
    if (isTurnedOff || lines.some(mayLimit)) return;
    yield { message: messages.open(line), span: line.span };
  },
});

function isOn({ argumentText }: Directive): boolean {
  return /^"?on"?$/i.test(argumentText);
}

/** Returns whether mod_proxy is loaded, with a module that sends such requests. */
function isProxyLoaded({ modules, modulesAreKnown }: Project): boolean {
  const has = (module: string) => !modulesAreKnown || modules.has(module);
  return has("proxy_module") && (has("proxy_http_module") || has("proxy_connect_module"));
}

/** Returns whether a line may limit the requests to other hosts. Sections by path or directory do not apply to them. */
function mayLimit(line: Directive): boolean {
  if (line.key === "proxyblock") return true;
  if (line.key === "rewriterule") return /\[(?:.*,)?\s*(?:F|forbidden)\b/i.test(line.argumentText);
  const isLimit =
    (line.key === "require" && !/^all granted$/i.test(line.argumentText)) ||
    (line.key === "allow" && !/^from all$/i.test(line.argumentText)) ||
    line.key === "deny";
  if (!isLimit) return false;
  for (let outer = line.parent; outer; outer = outer.parent) if (/^<(?:proxy|if|else)/.test(outer.key)) return true;
  return false;
}
