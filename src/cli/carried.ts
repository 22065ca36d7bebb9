import type { CarriedServer } from "../browser/carried-server.js";
import type { AccessMap } from "../compare/access-map.js";
import type { Release } from "../directives/directives.js";
import type { FileRecording } from "../project/carried-files.js";
import { maskedText } from "../report/masked.js";
import { isSecretName } from "../report/secret-names.js";
import { secretValuesOf } from "../report/secret-values.js";
import { MASK, redact, withoutValues } from "../report/secrets.js";
import { ANYBODY } from "../scope/written-request.js";
import { Decider } from "../simulate/decide.js";
import { fromReadable } from "../text/source.js";
import { memberTexts } from "./carried-members.js";
import type { LoadedServer } from "./server.js";

/** So many requests are asked ahead, so that what they hang on is known where they are asked again. */
const MOST_REQUESTS = 2000;

/** A server under some releases with the files that it was read from, for a page: without secrets. */
export function carriedServer(
  servers: readonly (LoadedServer & { readonly release: Release })[],
  recording: FileRecording,
  map: AccessMap,
  about: Pick<CarriedServer, "reading" | "base">,
): CarriedServer | undefined {
  const [first] = servers;
  if (first === undefined) return undefined;
  for (const { project, files } of servers) askAhead(new Decider(project, files, about.reading), map);
  const sources = servers.flatMap(({ project }) => [...project.files.values()].map(({ source }) => source));
  const texts = new Map([
    ...memberTexts(servers),
    ...sources.map((source) => [source.realPath, maskedText(source)] as const),
  ]);
  const { load, choice, root } = first.read;
  const { kind, htaccess, modules, withoutModules, moreModules, serverRoot, defines, environment } = load;
  // The page reads lines with masks: what it asks for is by such names, too.
  const values = secretValuesOf(sources, defines, environment);
  const masked = (path: string) => redact(withoutValues(path, values), []);
  return {
    ...about,
    releases: servers.map(({ release }) => release),
    entry: fromReadable(first.project.entry),
    files: recording.carried(texts, masked),
    choice,
    ...(root === undefined ? {} : { root }),
    load: {
      ...(kind === undefined ? {} : { kind }),
      ...(htaccess === undefined ? {} : { htaccess }),
      ...(serverRoot === undefined ? {} : { serverRoot: fromReadable(first.project.serverRoot) }),
      ...(modules === undefined ? {} : { modules }),
      ...(withoutModules === undefined ? {} : { withoutModules }),
      ...(moreModules === undefined ? {} : { moreModules }),
      defines: named(defines, () => true),
      environment: named(environment, variablesIn([...texts.values()])),
    },
  };
}

/** Has a decider look at the disk for what a map tells of. */
function askAhead(decider: Decider, { servers }: AccessMap): void {
  let left = MOST_REQUESTS;
  for (const { doors, scopes } of servers)
    for (const { examples } of scopes)
      for (const path of examples.slice(0, 3)) {
        if (left-- <= 0) return;
        decider.decide({ ...doors[0], method: "GET", path, clientIp: ANYBODY });
      }
}

/** Names with their values, masked where the name says that it is a secret. */
function named(
  values: ReadonlyMap<string, string | undefined> | undefined,
  isWanted: (name: string) => boolean,
): CarriedServer["load"]["defines"] {
  return [...(values ?? [])]
    .filter(([name]) => isWanted(name))
    .map(([name, value]) => [name, value !== undefined && isSecretName(name) ? MASK : (value ?? null)]);
}

/** The names in `${}`. Cut at its last bracket every name in the text has an end: the search stays linear. */
function namesIn(text: string): string[] {
  const closed = text.slice(0, text.lastIndexOf("}") + 1);
  return [...closed.matchAll(/\$\{([^}]*)\}/g)].map(([, name = ""]) => name);
}

/** Of the environment only that is carried along which the configuration asks for. */
function variablesIn(texts: readonly string[]): (name: string) => boolean {
  const names = new Set(texts.flatMap((text) => namesIn(text)));
  return (name) => names.has(name);
}
