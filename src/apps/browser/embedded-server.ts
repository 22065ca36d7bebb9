import { type FileSnapshot, openSnapshot } from "../../config/files/file-snapshot.js";
import { isWithin } from "../../config/files/paths.js";
import type { Project } from "../../config/model/project.js";
import { type ReadOptions, readConfig } from "../../config/read-config.js";
import type { Release } from "../../facts/release.js";
import { renderAnswer } from "../../report/html/answer-page.js";
import { renderMessage } from "../../report/html/excerpts.js";
import { type Html, html } from "../../report/html/html.js";
import { PlaceResolver } from "../../report/text/source-places.js";
import { SimulatedServer } from "../../server/answer.js";
import { createFileTree, type FilesChoice } from "../../server/file-trees.js";
import type { Semantics } from "../../server/model/answer.js";
import { parseRequest, type RequestPartNames, type RequestSpec } from "../../server/request/request-parser.js";
import { installConfig } from "../../startup/install-config.js";

/** A server embedded in a page: plain values, written by the command and read in the browser. */
export interface EmbeddedServer {
  readonly releases: readonly Release[];
  readonly reading: Semantics;
  /** Path of the main file; a binary string. */
  readonly entry: string;
  /** The directory to which displayed paths are relative. */
  readonly base: string;
  readonly files: FileSnapshot;
  readonly choice: FilesChoice;
  /** Files outside it are unknown. */
  readonly root?: string | undefined;
  readonly load: EmbeddedOptions;
}

type Pairs = readonly (readonly [name: string, value: string | null])[];

/** The `ReadOptions`, except for release and files. */
export interface EmbeddedOptions
  extends Pick<ReadOptions, "kind" | "htaccess" | "serverRoot" | "modules" | "withoutModules" | "moreModules"> {
  readonly defines: Pairs;
  readonly environment: Pairs;
}

/** An evaluator of requests for one release. */
export interface ReleaseServer {
  readonly release: Release;
  readonly simulatedServer: SimulatedServer;
}

/** Reads an embedded server under each of its releases. */
export function createReleaseServers(server: EmbeddedServer): readonly ReleaseServer[] {
  return server.releases.flatMap((release) => {
    const project = readEmbeddedProject(server, release);
    return project ? [{ release, simulatedServer: createSimulatedServer(server, project) }] : [];
  });
}

function readEmbeddedProject({ entry, files, load }: EmbeddedServer, release: Release): Project | undefined {
  const { defines, environment, ...others } = load;
  const loaded = readConfig(entry, {
    ...others,
    release,
    access: openSnapshot(files),
    defines: new Map(defines.map(([name, value]) => [name, value ?? undefined])),
    environment: new Map(environment.map(([name, value]) => [name, value ?? ""])),
  });
  return loaded.ok ? installConfig(loaded.value) : undefined;
}

function createSimulatedServer({ files, choice, root, reading }: EmbeddedServer, project: Project): SimulatedServer {
  const access = openSnapshot(files);
  const isAbove = (path: string) => root !== undefined && isWithin(root, path);
  return new SimulatedServer(project, createFileTree(choice, project, access, isAbove), reading);
}

const formPartNames: RequestPartNames = {
  ...{
    url: "URL or path",
    method: "Method",
    absolute: "the request line",
    scheme: "Scheme",
    host: "Host",
    port: "Port",
    query: "the query",
  },
  ...{ serverIp: "Server address", clientIp: "Client address", peerIp: "Connecting address" },
  ...{ clientHost: "Host name of the client" },
  ...{ user: "Logged-in user", groups: "Groups of this user", dbmGroups: "Groups of this user" },
  ...{ grants: "what is granted", env: "Environment variables", headers: "Other headers" },
};

/** Renders the results of a request, with releases side by side, or the error in the request. */
export function renderAnswers(
  written: RequestSpec,
  answering: readonly ReleaseServer[],
  base: string | undefined,
): Html {
  const parsed = parseRequest(written, formPartNames);
  if (!parsed.ok) return html`<p class="card wrong error">${renderMessage(parsed.error)}</p>`;
  const places = new PlaceResolver(base);
  const shown = answering.map(({ release, simulatedServer }) =>
    renderAnswer(simulatedServer.answer(parsed.value), release, places),
  );
  return html`<div class="answers">${shown}</div>`;
}
