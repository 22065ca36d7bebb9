import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import manifest from "../../package.json" with { type: "json" };
import { realPathOf } from "../project/discovery/main-files.js";
import { isWithin } from "../project/files/confinement.js";
import { isExecutable, listShippedPaths, readShippedFile } from "./shipped-files.js";

/** The version of httpd-lint. */
export const version: string = manifest.version;

/** The parts of the manifest that name the project's pages, as a fork may add them. */
interface ProjectAddresses {
  readonly version: string;
  readonly homepage?: string;
  readonly repository?: string | { readonly url: string };
}

/**
 * Returns the web address of a rule's page; undefined if it is unknown. In GitHub Actions it is in the repository of the
 * action that runs, otherwise in the one that the manifest names.
 */
export function findRuleUrl(
  id: string,
  env: NodeJS.ProcessEnv,
  addresses: ProjectAddresses = manifest,
): string | undefined {
  const tree = findActionTree(env) ?? findManifestTree(addresses);
  return tree === undefined ? undefined : `${tree}/rules/${id}/${id}.md`;
}

/** Returns the address of the running action's files at its revision. */
function findActionTree(env: NodeJS.ProcessEnv): string | undefined {
  const { GITHUB_ACTION_REPOSITORY: repository = "", GITHUB_ACTION_REF: revision = "" } = env;
  const { GITHUB_ACTION_PATH: folder = "", GITHUB_SERVER_URL: server = "https://github.com" } = env;
  // Another action may run httpd-lint, too.
  const isOwn = folder === "" || isWithin(fileURLToPath(import.meta.url), realPathOf(folder) ?? folder);
  if (!isOwn || revision === "" || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined;
  return `${server}/${repository}/blob/${revision.split("/").map(encodeURIComponent).join("/")}`;
}

const githubAddress = /^(?:(?:git\+)?https:\/\/github\.com\/|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?(?:[#/].*)?$/;

function findManifestTree({ version: tag, homepage = "", repository = "" }: ProjectAddresses): string | undefined {
  const named = typeof repository === "string" ? repository : repository.url;
  const path = githubAddress.exec(named)?.[1] ?? githubAddress.exec(homepage)?.[1];
  return path === undefined ? undefined : `https://github.com/${path}/blob/v${tag}`;
}

/** Returns the location of a rule's page; undefined in a single executable, where it has only a web address. */
export function findRulePage(id: string): URL | undefined {
  if (isExecutable) return undefined;
  const page = listShippedPaths(`rules/${id}.md`).find((path) => existsSync(path));
  if (page === undefined) throw new Error(`the page of the rule ${id} is missing from the package`);
  return page;
}

/** Returns the Markdown of a rule's page; undefined if it is missing. */
export function readRulePage(id: string): string | undefined {
  return readShippedFile(`rules/${id}.md`);
}

/** Returns the script for a page in the browser, which is bundled both in the package and in the built source tree. */
export function readBrowserScript(name: "check" | "map"): string {
  const script = readShippedFile(`browser/${name}.js`);
  if (script === undefined) throw new Error(`the script of the ${name} page is missing from the package`);
  return script;
}
