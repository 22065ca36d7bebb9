import type { Release } from "../../../src/directives/directives.js";
import { createListedFiles, type FileTree } from "../../../src/httpd/model/file-tree.js";
import type { Request } from "../../../src/httpd/model/request.js";
import { memoryAccess } from "../../../src/project/files/file-access.js";
import { loadProject } from "../../../src/project/load.js";
import type { Project } from "../../../src/project/model/project.js";

/** A recorded request with the answer that a real server gave. */
export interface RecordedRequest extends Request {
  readonly status: number;
  /** The numbers of the messages in the error log; 2.4 only. */
  readonly log: readonly string[];
}

/** A configuration and what a real server made of it. */
export interface Case {
  readonly id: string;
  readonly release: Release;
  /** By path relative to the server's root; `httpd.conf` is the main file. */
  readonly files: Readonly<Record<string, string>>;
  /** Further files on disk. */
  readonly tree?: readonly string[];
  /** Loaded in this order, in place of the usual ones. */
  readonly modules?: readonly string[];
  /** What the server said where it refused to start. */
  readonly startup?: string;
  readonly requests: readonly RecordedRequest[];
}

export const CASE_ROOT = "/srv/truth";

/** What is served wherever a case was recorded. */
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

const usual: Readonly<Record<Release, string>> = {
  "2.4":
    "authn_core,authz_core,authn_file,auth_basic,authz_user,authz_groupfile,authz_host,access_compat,env,setenvif,alias,dir,mime,status,remoteip,headers,authz_owner,rewrite,macro,allowmethods,version",
  "2.2":
    "authn_file,auth_basic,authz_user,authz_groupfile,authz_host,authz_default,authn_default,env,setenvif,alias,dir,mime,status,headers,authz_owner,rewrite,version",
};

/** The modules that were loaded, by short name. */
export function modulesOf({ modules, release }: Case): readonly string[] {
  return modules ?? usual[release].split(",");
}

/** The files that are served, without those of the configuration. */
export function servedIn({ tree = [] }: Case): readonly string[] {
  return [...commonTree, ...otherTree, ...tree].map((path) => `${CASE_ROOT}/${path}`);
}

/** A case's configuration as it was loaded, with the files that were there. */
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
  if ("failed" in loaded) throw new Error(loaded.failed);
  const paths = [...servedIn(each), ...[...besides, ...Object.keys(files)].map((path) => `${CASE_ROOT}/${path}`)];
  return { project: loaded.project, files: createListedFiles(paths, { user: "root", group: "root" }) };
}
