import {
  defineExposureRule,
  describeAnswer,
  findDenial,
  formatLineTitle,
  type OutsideAnswer,
  type OutsideClient,
} from "../../src/rule-api/access.js";
import type { Directive } from "../../src/rule-api/configuration.js";
import { toReadable } from "../../src/rule-api/rule.js";

const messages = {
  second: (section: Directive, file: string, denied: OutsideAnswer, open: OutsideAnswer) => ({
    message: `${formatLineTitle(section)} leaves another URL of its files open`,
    notes: [`both URLs lead to \`${toReadable(file)}\``, describeAnswer(denied), describeAnswer(open)],
    help: ["put the access rules into a `<Directory>` section, which applies to all URLs of its files"],
  }),
};

export const openSecondUrl = defineExposureRule({
  id: "open-second-url",
  title: "Protected file at another URL",
  severity: "error",
  description: "A Location section denies a file, and another URL or virtual host serves it to everyone.",
  help: "A Location section protects a URL, not a file. An Alias, or another virtual host with the same DocumentRoot, serves the file without it. Put the access rules into a Directory section.",
  securitySeverity: 7.5,
  references: { cwe: [288] },
  tags: ["access-control", "security"],
  messages,
  holding: ["require", "deny"],
  *check(exposed, client) {
    const { scope, server } = exposed;
    const { section } = scope;
    if (scope.place !== "location" || section === undefined) return;
    // The URL of a handler is not the URL of a file.
    if (scope.directives.some(({ key }) => key === "sethandler")) return;
    const path = client.findPathInto(scope, server);
    const denied = path === undefined ? undefined : findDenial(exposed, client, { path });
    const file = denied?.file;
    if (denied === undefined || file === undefined || file.endsWith("/")) return;
    const open = findOpenUrl(file, client);
    if (open === undefined) return;
    yield { message: messages.second(section, file, denied, open), span: section.span, witness: open.witness };
  },
});

/** Maximum number of URLs of a file to request. */
const MAX_URLS = 10;

/** Returns the answer of a URL that serves a file to everyone, unless a section grants that URL. */
function findOpenUrl(file: string, client: OutsideClient): OutsideAnswer | undefined {
  const kind = client.disk?.kindOf(file) ?? "unknown";
  const target = kind === "directory" ? client.findFileIn(file) : file;
  if (kind === "missing" || target === undefined) return undefined;
  let count = 0;
  for (const { server, path } of client.urlsOf(target)) {
    if (++count > MAX_URLS) return undefined;
    const answer = client.ask(server, { path }, kind === "unknown" ? "assumed" : "disk");
    if (answer?.status === 200 && answer.file === target && !answer.by.some(isInLocation)) return answer;
  }
  return undefined;
}

function isInLocation({ key, parent }: Directive): boolean {
  return key.startsWith("<location") || key === "<if" || (parent !== undefined && isInLocation(parent));
}
