import { memoryAccess } from "../../../src/config/files/file-access.js";
import type { Project } from "../../../src/config/model/project.js";
import { lineOf, type Release, type ReleaseLine } from "../../../src/facts/release.js";
import { createListedFiles, type FileTree } from "../../../src/server/model/file-tree.js";
import type { Request } from "../../../src/server/model/request.js";
import { loadProject } from "../../../src/startup/load-project.js";

/** A recorded request with the response of a real server. */
export interface RecordedRequest extends Request {
  readonly status: number;
  /** Error log message numbers; 2.4 only. */
  readonly log: readonly string[];
}

/** A configuration with the results of a real server. */
export interface Case {
  readonly id: string;
  readonly release: Release;
  /** Files by path relative to the server's root; `httpd.conf` is the main file. */
  readonly files: Readonly<Record<string, string>>;
  /** Further files on disk. */
  readonly tree?: readonly string[];
  /** Modules in load order, instead of the usual ones. */
  readonly modules?: readonly string[];
  /** The server's error if it did not start. */
  readonly startup?: string;
  readonly requests: readonly RecordedRequest[];
}

export const CASE_ROOT = "/srv/truth";

/** Files served in all recordings. */
const commonTree = [
  ...[
    "index.html",
    "secret.html",
    "notes.txt",
    "a/index.html",
    "a/x.txt",
    "a/b/index.html",
    "a/b/c.html",
    "a/b/run.php",
  ],
  ...["d/e.php", "d/page.html"],
].map((path) => `htdocs/${path}`);
const otherTree = ["other/index.html", "other/o.txt", "other/in/p.html"];
const besides = ["conf/htpasswd", "conf/htgroup", "conf/groups.dbm"];

const usual: Readonly<Record<ReleaseLine, string>> = {
  "2.4":
    "authn_core,authz_core,authn_file,auth_basic,authz_user,authz_groupfile,authz_host,access_compat,env,setenvif,alias,dir,mime,status,remoteip,headers,authz_owner,rewrite,macro,allowmethods,version",
  "2.2":
    "authn_file,auth_basic,authz_user,authz_groupfile,authz_host,authz_default,authn_default,env,setenvif,alias,dir,mime,status,headers,authz_owner,rewrite,version",
};

/** Returns the loaded modules, by short name. */
export function modulesOf({ modules, release }: Case): readonly string[] {
  return modules ?? usual[lineOf(release)].split(",");
}

/** Returns the served files, without those of the configuration. */
export function servedIn({ tree = [] }: Case): readonly string[] {
  return [...commonTree, ...otherTree, ...tree].map((path) => `${CASE_ROOT}/${path}`);
}

/** Loads a case's configuration, with the files that existed. */
export function loadCase(each: Case): { project: Project; files: FileTree } {
  const { files, release } = each;
  const access = memoryAccess(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${CASE_ROOT}/${path}`, text])),
  );
  const loaded = loadProject(`${CASE_ROOT}/httpd.conf`, {
    access,
    release,
    kind: "server",
    modules: modulesOf(each),
    serverRoot: CASE_ROOT,
  });
  if (!loaded.ok) throw new Error(loaded.error);
  const paths = [...servedIn(each), ...[...besides, ...Object.keys(files)].map((path) => `${CASE_ROOT}/${path}`)];
  return { project: loaded.value, files: createListedFiles(paths, { user: "root", group: "root" }) };
}
