import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  type OutsideClient,
  urlRootsOf,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  addressReaderOf,
  compileServerAlias,
  type Directive,
  findUndefinedVariable,
  isHostForAny,
  type Project,
  readListenLine,
  stripServerName,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText, type Report, resolvePath, withTrailingSlash } from "../../src/lint/api/rule.js";
import { listNames } from "./host-names.js";

const messages = {
  unreachable: (name: string, host: string, address: string, answer: DefiniteAnswer) => ({
    message: `requests for ${quoteText(name)} go to the virtual host ${quoteText(host)}, not here`,
    notes: [
      `${describeAnswer(answer)} from ${quoteText(answer.file ?? "")}`,
      "the main server never answers, because each `Listen` line has a virtual host for all addresses",
    ],
    help: [
      `add ${quoteText(`<VirtualHost ${address}>`)} with ${quoteText(`ServerName ${name}`)} and this \`DocumentRoot\`, before the other ones`,
    ],
  }),
};

const labels = { name: "the name of the main server", host: "answers first" };

/** The document roots that packages of httpd set: the main server of most systems has one, and nobody asks for it. */
const packagedRoots: ReadonlySet<string> = new Set([
  ...["/var/www/", "/var/www/html/", "/var/www/htdocs/", "/var/www/localhost/htdocs/"],
  ...["/srv/www/", "/srv/www/htdocs/", "/srv/http/", "/srv/httpd/htdocs/"],
  ...["/usr/local/apache/htdocs/", "/usr/local/apache2/htdocs/", "/usr/local/www/apache22/data/"],
  ...["/usr/local/www/apache24/data/", "/usr/local/var/www/", "/opt/homebrew/var/www/", "/opt/lampp/htdocs/"],
  ...["/Library/WebServer/Documents/", "/var/apache2/2.4/htdocs/"],
]);

/**
 * Finds the document root of a main server whose own name a virtual host answers: a virtual host for all addresses takes all requests
 * of its port (server/vhost.c `ap_update_vhost_given_ip`).
 */
export const unreachableMainServer = defineVariant({
  id: "unreachable-main-server",
  severity: "info",
  messages,
  check: () => ({
    exposure: {
      fromAnywhere: true,
      holding: ["documentroot"],
      *check(exposed, client) {
        if (exposed.scope.place === "server" && exposed.server.section === undefined)
          yield* findOtherHost(exposed, client);
      },
    },
  }),
});

function* findOtherHost({ line, server, context }: ExposedLine, client: OutsideClient): Generator<Report> {
  const { project } = context;
  const { directives } = project;
  const nameLine = directives.findLast(({ key }) => key === "servername");
  const name = stripServerName(nameLine?.arguments[0]?.value ?? "");
  const last = directives.findLast(({ key }) => key === "documentroot");
  if (nameLine === undefined || name === "" || name === "localhost" || last !== line) return;
  if (isPackagedRoot(line, project)) return;
  if (findUndefinedVariable(`${name}${line.argumentText}`) !== undefined || isNamed(name, directives)) return;
  for (const host of listFirstHosts(project)) {
    const answer = client.ask({ section: host, at: server.at }, { path: "/index.html" });
    const own = urlRootsOf(project, host).find(({ from }) => from === "/")?.to;
    const main = urlRootsOf(project, undefined).find(({ from }) => from === "/")?.to;
    const isFromHost =
      answer?.status === 200 && answer.answeredBy === undefined && answer.file?.startsWith(own ?? "\0");
    const [hostName] = listNames(host);
    if (answer === undefined || !isFromHost || own === main || hostName === undefined) continue;
    yield {
      message: messages.unreachable(name, hostName.text, host.arguments[0]?.value ?? "", answer),
      span: line.span,
      related: [
        { message: labels.name, span: nameLine.span },
        { message: labels.host, span: host.span },
      ],
      witness: witnessOf(answer),
    };
    return;
  }
}

/** Reports whether a document root is one that httpd, or a package of it, comes with. */
function isPackagedRoot({ arguments: [word] }: Directive, { serverRoot }: Project): boolean {
  const root = withTrailingSlash(resolvePath(serverRoot, word?.value ?? ""));
  return packagedRoots.has(root) || root === withTrailingSlash(resolvePath(serverRoot, "htdocs"));
}

/**
 * Returns the first virtual host for all addresses of each Listen line; none if one of the lines has no such host, so that the main
 * server may answer.
 */
function listFirstHosts({ directives }: Project): readonly Directive[] {
  const hosts = directives.filter(({ key }) => key === "<virtualhost");
  const addressesOf = addressReaderOf(directives);
  const listens = directives.filter(({ key }) => key === "listen").map(readListenLine);
  const found = listens.map(({ port }) => {
    const forPort = (at: number) =>
      hosts.find((host) => addressesOf(host).some((each) => isHostForAny(each) && each.port === at));
    return forPort(port) ?? forPort(0);
  });
  return found.every((each) => each !== undefined) ? [...new Set(found)] : [];
}

/** Reports whether a virtual host has a name, or one without a name may have that of the main server. */
function isNamed(name: string, directives: readonly Directive[]): boolean {
  return directives.some((host) => {
    if (host.key !== "<virtualhost") return false;
    const names = listNames(host);
    return !host.children?.some(({ key }) => key === "servername") || names.some(({ text }) => isNameOf(text, name));
  });
}

function isNameOf(text: string, name: string): boolean {
  return text.includes("${") || compileServerAlias(text)(name);
}
