import type { FileRecorder } from "../../../config/files/file-snapshot.js";
import { resolvePath } from "../../../config/files/paths.js";
import { iterateDirectives } from "../../../config/queries/directive-tree.js";
import type { AccessMap } from "../../../proof/model/mapped-access.js";
import { MASK, maskFile, maskVariableValues, redact } from "../../../report/secrets/redaction.js";
import { isSecretName, secretValuesOf } from "../../../report/secrets/secret-names.js";
import { SimulatedServer } from "../../../server/answer.js";
import { maskPasswordEntry } from "../../../server/member-files.js";
import { DEFAULT_CLIENT_IP } from "../../../server/request/request-parser.js";
import { fromReadable } from "../../../text/source.js";
import type { EmbeddedServer } from "../../browser/embedded-server.js";
import type { LoadedServer } from "../inputs/load-server.js";

/** The number of requests evaluated in advance, so that the files they depend on are embedded. */
const MAX_RECORDED_REQUESTS = 2000;

/** Embeds a server in a page, under some releases, with the files it was read from and without secrets. */
export function embedServer(
  servers: readonly LoadedServer[],
  recording: FileRecorder,
  map: AccessMap,
  about: Pick<EmbeddedServer, "reading" | "base">,
): EmbeddedServer | undefined {
  const [first] = servers;
  if (first === undefined) return undefined;
  for (const { project, files } of servers) recordMapRequests(new SimulatedServer(project, files, about.reading), map);
  const sources = servers.flatMap(({ project }) => [...project.files.values()].map(({ source }) => source));
  const texts = new Map([
    ...redactMemberFiles(servers),
    ...sources.map((source) => [source.realPath, maskFile(source)] as const),
  ]);
  const { load, choice, root } = first.read;
  const { kind, htaccess, modules, withoutModules, moreModules, serverRoot, defines, environment } = load;
  // The page reads masked lines, so its file queries use masked names, too.
  const values = secretValuesOf(sources, defines, environment);
  const masked = (path: string) => redact(maskVariableValues(path, values), []);
  return {
    ...about,
    releases: servers.map(({ project }) => project.release),
    entry: fromReadable(first.project.entry),
    files: recording.snapshot(texts, masked),
    choice,
    ...(root === undefined ? {} : { root }),
    load: {
      ...(kind === undefined ? {} : { kind }),
      ...(htaccess === undefined ? {} : { htaccess }),
      ...(serverRoot === undefined ? {} : { serverRoot: fromReadable(first.project.read.serverRoot) }),
      ...(modules === undefined ? {} : { modules }),
      ...(withoutModules === undefined ? {} : { withoutModules }),
      ...(moreModules === undefined ? {} : { moreModules }),
      defines: maskNamedValues(defines, () => true),
      environment: maskNamedValues(environment, isReferencedIn([...texts.values()])),
    },
  };
}

/** Evaluates the examples of a map, so that their file queries are recorded. */
function recordMapRequests(simulatedServer: SimulatedServer, { servers }: AccessMap): void {
  let left = MAX_RECORDED_REQUESTS;
  for (const { entryPoints, scopes } of servers)
    for (const { examples } of scopes)
      for (const path of examples.slice(0, 3)) {
        if (left-- <= 0) return;
        simulatedServer.answer({ ...entryPoints[0], method: "GET", path, clientIp: DEFAULT_CLIENT_IP });
      }
}

/** Returns names and values, masking the value if the name indicates a secret. */
function maskNamedValues(
  values: ReadonlyMap<string, string | undefined> | undefined,
  isWanted: (name: string) => boolean,
): EmbeddedServer["load"]["defines"] {
  return [...(values ?? [])]
    .filter(([name]) => isWanted(name))
    .map(([name, value]) => [name, value !== undefined && isSecretName(name) ? MASK : (value ?? null)]);
}

/**
 * Returns the names in `${}`. The text is cut at its last bracket so that every name has an end, which keeps the search
 * linear.
 */
function parseVariableNames(text: string): string[] {
  const closed = text.slice(0, text.lastIndexOf("}") + 1);
  return [...closed.matchAll(/\$\{([^}]*)\}/g)].map(([, name = ""]) => name);
}

/** Selects the environment variables that the configuration refers to. */
function isReferencedIn(texts: readonly string[]): (name: string) => boolean {
  const names = new Set(texts.flatMap((text) => parseVariableNames(text)));
  return (name) => names.has(name);
}

/** Renderers for a line `name:rest` of a password or group file, without the password. */
const keptParts: Readonly<Record<string, (name: string, rest: string) => string>> = {
  authgroupfile: (name, rest) => `${name}:${rest}`,
  authuserfile: (name, rest) => `${name}:${maskPasswordEntry(rest, MASK)}`,
};

/** Returns the contents of the servers' password and group files without the passwords, by real path. */
function redactMemberFiles(servers: readonly LoadedServer[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  // A file named as both is treated as a password file.
  for (const key of ["authgroupfile", "authuserfile"])
    for (const { project, read } of servers)
      for (const directive of iterateDirectives(project)) {
        const path = directive.key === key ? directive.arguments[0]?.value : undefined;
        if (path === undefined) continue;
        const content = read.load.access?.read(resolvePath(project.read.serverRoot, path));
        if (content?.ok) texts.set(content.value.realPath, redactMembers(content.value.text, key));
      }
  return texts;
}

function redactMembers(text: string, key: string): string {
  const lines = text.split("\n").map((line) => {
    const colon = line.indexOf(":");
    if (colon <= 0 || line.startsWith("#")) return "";
    return keptParts[key]?.(line.slice(0, colon), line.slice(colon + 1)) ?? "";
  });
  return lines.filter((line) => line !== "").join("\n");
}
