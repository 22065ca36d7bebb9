import {
  type DefiniteAnswer,
  describeAnswer,
  type ExposedLine,
  type OutsideClient,
  type OutsideServer,
  urlRootsOf,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  compileServerAlias,
  type Directive,
  findUndefinedVariable,
  type Project,
} from "../../src/lint/api/configuration.js";
import { defineVariant, quoteText, type Report } from "../../src/lint/api/rule.js";
import { isWildcardName, listNames } from "./host-names.js";

const messages = {
  missing: (url: string, other: string, redirect: DefiniteAnswer, alias: string) => ({
    message: `requests for ${quoteText(url)} go to the virtual host ${quoteText(other)}`,
    notes: [
      `${describeAnswer(redirect)} with \`Location: ${redirect.outcome.location ?? ""}\``,
      "the virtual host with TLS does not have this name, so the first one of its address answers",
    ],
    help: [`add ${quoteText(`ServerAlias ${alias}`)} to the virtual host with TLS`],
  }),
};

const labels = { alias: "redirects this name to https", other: "answers first" };

/** Limit of the virtual hosts with TLS that may answer. */
const MAX_HOSTS = 30;

/** Finds a name that a virtual host redirects to https, and that only the virtual host without TLS has. */
export const missingAlias = defineVariant({
  id: "missing-alias",
  messages,
  check: () => ({
    exposure: {
      fromAnywhere: true,
      holding: ["serveralias"],
      *check(exposed, client) {
        if (exposed.scope.place === "virtualhost") yield* findMissingAlias(exposed, client);
      },
    },
  }),
});

function* findMissingAlias({ line, server, context }: ExposedLine, client: OutsideClient): Generator<Report> {
  const { section } = server;
  const [own] = section ? listNames(section) : [];
  if (section === undefined || own === undefined || server.at.scheme === "https") return;
  const hosts = context.project.directives.filter(({ key }) => key === "<virtualhost");
  const secure = hosts
    .slice(0, MAX_HOSTS)
    .flatMap((host) => client.findServer(host).map((each) => ({ ...each, host })))
    .filter(({ at }) => at.scheme === "https");
  const twin = secure.find(({ host }) => listNames(host)[0]?.text === own.text);
  const twinLine = twin?.host.children?.findLast(({ key }) => key === "servername");
  if (twin === undefined || twinLine === undefined) return;
  for (const { value } of line.arguments) {
    const alias = value.toLowerCase();
    if (isWildcardName(alias) || findUndefinedVariable(alias) !== undefined) continue;
    const redirect = client.ask(server, { path: "/page", host: alias });
    if (!redirect?.outcome.location?.toLowerCase().startsWith(`https://${alias}/`)) continue;
    const other = findAnsweringHost(secure, twin, alias, client);
    if (other === undefined || other.host === twin.host || other.answer.status !== 200) continue;
    if (hasSameRoot(other.host, twin.host, context.project)) continue;
    if (listNames(other.host).some(({ text }) => compileServerAlias(text)(alias))) continue;
    const [name] = listNames(other.host);
    yield {
      message: messages.missing(`https://${alias}`, name?.text ?? other.host.argumentText, redirect, alias),
      span: twinLine.span,
      related: [
        { message: labels.alias, span: line.span },
        { message: labels.other, span: other.host.span },
      ],
      witness: witnessOf(other.answer),
    };
    return;
  }
}

/** Reports whether two virtual hosts have the same document root: clients get the same site. */
function hasSameRoot(one: Directive, other: Directive, project: Project): boolean {
  const rootOf = (host: Directive) => urlRootsOf(project, host).find(({ from }) => from === "/")?.to;
  const root = rootOf(one);
  return root !== undefined && root === rootOf(other);
}

/** Returns the virtual host that gets the requests for a name at the address of another one. */
function findAnsweringHost(
  secure: readonly (OutsideServer & { readonly host: Directive })[],
  { at }: OutsideServer,
  name: string,
  client: OutsideClient,
): { readonly host: Directive; readonly answer: DefiniteAnswer } | undefined {
  for (const { host } of secure) {
    const answer = client.ask({ section: host, at }, { path: "/page", host: name });
    if (answer !== undefined) return { host, answer };
  }
  return undefined;
}
