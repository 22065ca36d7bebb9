import type { Directive } from "../../src/project/directive.js";
import type { ServerLines } from "../../src/project/server-lines.js";
import type { ChangedDefault } from "./changed.js";

const speaksTls = (server: ServerLines) => server.own("sslengine").findLast(isOn);
const asksByTls = (server: ServerLines) => server.own("sslproxyengine").findLast(isOn);

/** Those of mod_ssl, where 2.4 is the stricter by default. */
export const tlsDefaults: readonly ChangedDefault[] = [
  {
    directive: "SSLProtocol",
    place: "server",
    before: "`SSLProtocol all`",
    after: "`SSLProtocol all -SSLv3`",
    severity: "info",
    usedBy: speaksTls,
    so: "clients that know SSLv3 and SSLv2 alone cannot connect any more",
    advice: "leave it at that, since both are broken, or name the protocols that you want with SSLProtocol",
  },
  {
    directive: "SSLProxyProtocol",
    place: "server",
    before: "`SSLProxyProtocol all`",
    after: "`SSLProxyProtocol all -SSLv3`",
    severity: "info",
    usedBy: asksByTls,
    so: "backends that know SSLv3 and SSLv2 alone are not reached any more",
    advice: "leave it at that, since both are broken, and see that each backend speaks TLS",
  },
  {
    directive: "SSLProxyCheckPeerName",
    decidedBy: ["sslproxycheckpeername", "sslproxycheckpeercn"],
    place: "server",
    before: "`SSLProxyCheckPeerCN off`",
    after: "`SSLProxyCheckPeerName on`",
    severity: "warning",
    usedBy: asksByTls,
    so: "whatever comes from a backend with a certificate for another name than its URL has answers 500",
    advice:
      "ask backends by the names in their certificates, or write `SSLProxyCheckPeerName off` where nobody can come between",
  },
  {
    directive: "SSLProxyCheckPeerExpire",
    place: "server",
    before: "`SSLProxyCheckPeerExpire off`",
    after: "`SSLProxyCheckPeerExpire on`",
    severity: "warning",
    usedBy: asksByTls,
    so: "whatever comes from a backend with an expired certificate answers 500",
    advice: "renew the certificates of the backends, or write `SSLProxyCheckPeerExpire off` until that is done",
  },
];

/** What 2.2 calls `optional` is off now: changed-behaviour tells of it. */
function isOn({ arguments: [word] }: Directive): boolean {
  return /^on$/i.test(word?.value ?? "");
}
