import type { Release } from "../directives/directives.js";
import { type CarriedFiles, carriedAccess } from "../project/carried-files.js";
import type { Project } from "../project/project.js";
import { type ReadOptions, readProject } from "../project/read-project.js";
import { Decider } from "../simulate/decide.js";
import type { Reading } from "../simulate/decision.js";
import { type FilesChoice, filesBy } from "../simulate/file-trees.js";

/** A server as a page carries it along: plain values, made by the command and read in the browser. */
export interface CarriedServer {
  readonly releases: readonly Release[];
  readonly reading: Reading;
  /** The main file; a binary string. */
  readonly entry: string;
  /** The directory that paths are shown relative to. */
  readonly base: string;
  readonly files: CarriedFiles;
  readonly choice: FilesChoice;
  /** Of what lies outside nothing is known. */
  readonly root?: string | undefined;
  readonly load: CarriedOptions;
}

type Pairs = readonly (readonly [name: string, value: string | null])[];

/** What `ReadOptions` say, but for release and files. */
export interface CarriedOptions
  extends Pick<ReadOptions, "kind" | "htaccess" | "serverRoot" | "modules" | "withoutModules" | "moreModules"> {
  readonly defines: Pairs;
  readonly environment: Pairs;
}

/** What answers requests as a release. */
export interface Answering {
  readonly release: Release;
  readonly decider: Decider;
}

/** Reads a server from what is carried along, under each of its releases. */
export function answeringBy(server: CarriedServer): readonly Answering[] {
  return server.releases.flatMap((release) => {
    const project = projectOf(server, release);
    return project ? [{ release, decider: deciderOf(server, project) }] : [];
  });
}

function projectOf({ entry, files, load }: CarriedServer, release: Release): Project | undefined {
  const { defines, environment, ...others } = load;
  const loaded = readProject(entry, {
    ...others,
    release,
    access: carriedAccess(files),
    defines: new Map(defines.map(([name, value]) => [name, value ?? undefined])),
    environment: new Map(environment.map(([name, value]) => [name, value ?? ""])),
  });
  return "failed" in loaded ? undefined : loaded.project;
}

function deciderOf({ files, choice, root, reading }: CarriedServer, project: Project): Decider {
  const access = carriedAccess(files);
  const isAbove = (path: string) => root?.startsWith(path.endsWith("/") ? path : `${path}/`) === true || path === root;
  return new Decider(project, filesBy(choice, project, access, isAbove), reading);
}
