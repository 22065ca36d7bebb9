import {
  type DefiniteAnswer,
  describeAnswer,
  findDenial,
  formatLineTitle,
  type OutsideClient,
  type OutsideServer,
  witnessOf,
} from "../../src/lint/api/access.js";
import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule, encodeUrlPath, nativePath, toReadable } from "../../src/lint/api/rule.js";

const messages = {
  second: (section: Directive, file: string, denied: DefiniteAnswer, open: DefiniteAnswer) => ({
    message: `${formatLineTitle(section)} leaves another URL of its files open`,
    notes: [`both URLs lead to \`${nativePath(toReadable(file))}\``, describeAnswer(denied), describeAnswer(open)],
    help: ["put the access rules into a `<Directory>` section, which applies to all URLs of its files"],
  }),
  otherHost: (section: Directive, file: string, denied: DefiniteAnswer, open: DefiniteAnswer) => ({
    message: `${formatLineTitle(section)} is open in another virtual host`,
    notes: [`both URLs lead to \`${nativePath(toReadable(file))}\``, describeAnswer(denied), describeAnswer(open)],
    help: ["move the section out of the virtual host, or redirect the other one to this one"],
  }),
};

export const openSecondUrl = defineRule({
  id: "open-second-url",
  title: "Protected file at another URL",
  group: "exposure",
  severity: "error",
  advice: "if its file is exposed",
  description:
    "A Location section, or a Directory section of a virtual host, denies a file, and another URL or virtual host serves it.",
  help: "A Location section protects a URL, not a file. An Alias, or another virtual host with the same DocumentRoot, serves the file without it. Put the access rules into a Directory section.",
  securitySeverity: 7.5,
  references: { cwe: [288] },
  tags: ["access-control", "security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["require", "deny"],
      *check(exposed, client) {
        const { scope, server } = exposed;
        const { section } = scope;
        const isDirectory = scope.place === "directory" && section?.parent?.key === "<virtualhost";
        if (section === undefined || (scope.place !== "location" && !isDirectory)) return;
        // The URL of a handler is not the URL of a file.
        if (scope.directives.some(({ key }) => key === "sethandler")) return;
        const sample = client.findPathInto(scope, server);
        const sampleFile = sample === undefined ? undefined : client.fileAt(server, sample);
        if (sample === undefined || sampleFile === undefined || sampleFile.endsWith("/")) return;
        const existing = isDirectory ? client.findFileIn(parentOf(sampleFile)) : undefined;
        const file = existing ?? sampleFile;
        const path = existing ? parentOf(sample) + encodeUrlPath(existing.slice(parentOf(existing).length)) : sample;
        const kind = client.disk?.kindOf(file) ?? "unknown";
        const target = kind === "directory" ? client.findFileIn(file) : file;
        const others =
          target === undefined || kind === "missing" ? [] : listOtherUrls(target, { server, path }, client);
        const denied = others.length === 0 ? undefined : findDenial(exposed, client, { path });
        if (denied?.file !== file) return;
        for (const other of others) {
          const open = client.ask(other.server, { path: other.path }, kind === "unknown" ? "assumed" : "disk");
          if (open?.status !== 200 || open.file !== target || open.decidedBy.some(isInLocation)) continue;
          // A section of another virtual host may grant access on purpose.
          if (isDirectory && (other.server === server || open.decidedBy.some(isInHost))) continue;
          const message = isDirectory ? messages.otherHost : messages.second;
          yield { message: message(section, file, denied, open), span: section.span, witness: witnessOf(open) };
          return;
        }
      },
    },
  }),
});

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/"));
}

/** Maximum number of other URLs of a file to request. */
const MAX_URLS = 5;

interface ServerUrl {
  readonly server: OutsideServer;
  readonly path: string;
}

/** Lists URLs of a file that are not below a URL of a server. */
function listOtherUrls(file: string, own: ServerUrl, client: OutsideClient): readonly ServerUrl[] {
  const found: ServerUrl[] = [];
  for (const url of client.urlsOf(file)) {
    if (url.server === own.server && url.path.startsWith(own.path)) continue;
    found.push(url);
    if (found.length === MAX_URLS) break;
  }
  return found;
}

function isInHost({ key, parent }: Directive): boolean {
  return key === "<virtualhost" || (parent !== undefined && isInHost(parent));
}

function isInLocation({ key, parent }: Directive): boolean {
  return key.startsWith("<location") || key === "<if" || (parent !== undefined && isInLocation(parent));
}
