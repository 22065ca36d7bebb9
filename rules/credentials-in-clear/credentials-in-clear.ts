import {
  type DefiniteAnswer,
  describeAnswer,
  formatLineTitle,
  type OutsideServer,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Directive, indexDirectives, type Project, virtualHostAround } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  clear: (line: Directive, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} asks for a password over unencrypted HTTP`,
    notes: [describeAnswer(answer), "the client sends the password in each request, without encryption"],
    help: [
      "redirect to HTTPS in the `<VirtualHost>`, outside of `<Directory>` and `.htaccess` files",
      "if a proxy in front of this server terminates TLS, ignore this finding",
    ],
  }),
};

const labels = { sameServer: "asks for a password on the same server" };

export const credentialsInClear = defineRule({
  id: "credentials-in-clear",
  title: "Password over unencrypted HTTP",
  group: "exposure",
  severity: "warning",
  description: "A server without TLS asks for a password by Basic authentication.",
  help: "Everyone between client and server can read the password. Redirect to HTTPS before httpd checks the password: in the virtual host. A redirect in a Directory section or a .htaccess file comes too late.",
  securitySeverity: 6.5,
  references: { cis: ["7.9"], cwe: [523] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["authtype"],
      *check({ line, scope, server, context: { project } }, client) {
        if (!/^"?basic"?$/i.test(line.argumentText) || !isPlain(server)) return;
        const path = client.findPathInto(scope, server);
        const answer = path === undefined ? undefined : client.ask(server, { path });
        const type = answer?.layers.map((layer) => layer.setting("authtype")).findLast((each) => each !== undefined);
        if (answer?.status !== 401 || type !== line || isBehindProxy(server, project)) return;
        const { host = "", port = "" } = answer.request;
        const cause = { key: `${host}:${port}`, also: labels.sameServer };
        yield { message: messages.clear(line, answer), span: line.span, witness: witnessOf(answer), cause };
      },
    },
  }),
});

/** Port 443 without SSLEngine is another mistake, or TLS ends elsewhere. */
function isPlain({ at: { scheme, port } }: OutsideServer): boolean {
  return scheme !== "https" && port !== 443 && port !== 8443;
}

/** Returns whether a line of the server reads the client or the use of TLS from a header of a proxy in front of it. */
function isBehindProxy({ section }: OutsideServer, project: Project): boolean {
  const index = indexDirectives(project);
  const isHere = (line: Directive) => [undefined, section].includes(virtualHostAround(line));
  if (proxyNames.some((name) => index.named(name).some(isHere))) return true;
  const isHint = (text: string) => proxyHeader.test(text);
  return index.some(isHint, (line) => isHint(line.argumentText) && isHere(line));
}

const proxyNames = ["remoteipheader", "remoteipproxyprotocol"];
const proxyHeader = /X-Forwarded-(?:Proto|Ssl|Scheme|Port)|Front-End-Https|CF-Visitor|X-Url-Scheme/i;
