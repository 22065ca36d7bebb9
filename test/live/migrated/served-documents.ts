import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { resolvePath } from "../../../src/config/files/paths.js";
import type { Project } from "../../../src/config/model/project.js";
import { iterateDirectives } from "../../../src/config/queries/directive-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { makeCertificate } from "../../support/httpd/certificate.js";
import { writeFiles } from "../../support/programs/scratch-folder.js";
import { documentRootsOf, served } from "./served-configuration.js";

const password = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";
/** A file that is valid as a program and as a page. */
const page = "#!/bin/sh\nprintf 'Content-Type: text/plain\\r\\n\\r\\nhere\\n'\n";
const mimeTypes = "text/html html\n";

/** Writes the files that the server needs to start. */
export function writeServerFiles(root: string, project: Project): void {
  makeCertificate(join(root, served.key), join(root, served.certificate));
  // A server without a line for the key has it in the file of the certificate.
  appendFileSync(join(root, served.certificate), readFileSync(join(root, served.key)));
  writeFiles(root, { "etc/passwd": "nobody:x:65534:65534::/:/bin/sh\n", "etc/group": "nogroup:x:65534:\n" });
  writeFiles(root, {
    "etc/hosts": "",
    "etc/host.conf": "multi on\n",
    "etc/nsswitch.conf": "hosts: files\n",
    "etc/mime.types": mimeTypes,
  });
  for (const folder of [join(project.serverRoot, "logs"), ...documentRootsOf(project)])
    mkdirSync(join(root, folder), { recursive: true });
  const inServerRoot = { "mime.types": mimeTypes, "conf/mime.types": mimeTypes, "conf/magic": "" };
  writeFiles(join(root, project.serverRoot), inServerRoot);
  writeNamedFiles(root, project, new Map([...namedFiles, ["authuserfile", ""], ["authgroupfile", ""]]));
}

const namedFiles: ReadonlyMap<string, string> = new Map([
  ["typesconfig", mimeTypes],
  ["mimemagicfile", ""],
]);

/** Writes the targets of the requests, and the users, groups and names of their clients. */
export function writeDocuments(
  root: string,
  { paths, requests, project }: { paths: readonly string[]; requests: readonly Request[]; project: Project },
): void {
  // The same name may be requested as a file, as a directory, and with path info: the first one counts.
  for (const path of paths) {
    const target = join(root, path);
    if (isBelowFile(path, root) || kindOf(target) === "directory") continue;
    mkdirSync(path.endsWith("/") ? target : dirname(target), { recursive: true });
    if (!path.endsWith("/")) writeFileSync(target, page, { mode: 0o755 });
  }
  const users = new Map(requests.flatMap(({ user, groups = [] }) => (user === undefined ? [] : [[user, groups]])));
  const passwords = [...users.keys()].map((user) => `${user}:${password}\n`).join("");
  const members = new Map<string, string[]>();
  for (const [user, groups] of users)
    for (const group of groups) members.set(group, [...(members.get(group) ?? []), user]);
  const groups = [...members].map(([group, names]) => `${group}: ${names.join(" ")}\n`).join("");
  const texts = new Map([...namedFiles, ["authuserfile", passwords], ["authgroupfile", groups]]);
  writeNamedFiles(root, project, texts);
  const names = requests.flatMap(({ clientIp, clientHost }) => (clientHost ? [`${clientIp} ${clientHost}\n`] : []));
  writeFiles(root, { "etc/hosts": [...new Set(names)].join("") });
}

function isBelowFile(path: string, root: string): boolean {
  for (let above = dirname(path); above !== "/" && above !== "."; above = dirname(above))
    if (kindOf(join(root, above)) === "file") return true;
  return path.endsWith("/") && kindOf(join(root, path.slice(0, -1))) === "file";
}

function kindOf(path: string): "file" | "directory" | undefined {
  if (!existsSync(path)) return undefined;
  return statSync(path).isDirectory() ? "directory" : "file";
}

/** Writes the files that directives name, with contents by directive. */
function writeNamedFiles(root: string, project: Project, texts: ReadonlyMap<string, string>): void {
  for (const { key, arguments: words } of iterateDirectives(project)) {
    const [word] = words;
    const text = texts.get(key);
    if (word === undefined || text === undefined) continue;
    writeFiles(root, { [resolvePath(project.serverRoot, word.value)]: text }, "latin1");
  }
}
