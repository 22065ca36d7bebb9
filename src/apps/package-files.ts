import { existsSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };
import { isWithin } from "../config/files/paths.js";
import { realPathOf } from "../config/main-files.js";
import { findProgram, isExecutable, listShippedPaths, readShippedFile } from "./shipped-files.js";

/** The version of httpd-lint. */
export const version: string = manifest.version;

/** The facts that the build records about its source. */
interface BuildFacts {
  /** The abbreviated commit; `+` follows if files differed from it. */
  readonly commit: string;
  /** The day of the commit. */
  readonly date: string;
}

/** Returns the text of `--version`: the version, its commit, and the program that runs it. */
export function describeBuild({ versions, platform, arch }: NodeJS.Process): string {
  const text = readShippedFile("build.json");
  const facts: BuildFacts | undefined = text === undefined ? undefined : JSON.parse(text);
  const source = facts === undefined ? "" : ` (${facts.commit} ${facts.date})`;
  const form = isExecutable ? "single executable with " : "";
  const { bun, node } = versions;
  const runtime = bun === undefined ? `Node.js ${node}` : `Bun ${bun}`;
  return `httpd-lint ${version}${source}\n${form}${runtime}, ${platform}-${arch}`;
}

/** The shells with a completion script. */
export const shells = ["bash", "zsh", "fish", "powershell", "elvish"] as const;

/** A shell with a completion script. */
export type Shell = (typeof shells)[number];

/** Returns the completion script for a shell. */
export function readCompletionScript(shell: Shell): string {
  const script = readShippedFile(`completions/httpd-lint.${shell}`);
  if (script === undefined) throw new Error(`the completion script for ${shell} is missing from the package`);
  return script;
}

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
  const isOwn = folder === "" || isWithin(findProgram(), realPathOf(folder) ?? folder);
  if (!isOwn || revision === "" || !/^[\w.-]+\/[\w.-]+$/.test(repository)) return undefined;
  return `${server}/${repository}/blob/${revision.split("/").map(encodeURIComponent).join("/")}`;
}

/** Returns the web address of the configuration file's JSON schema for this version; undefined if it is unknown. */
export function findSettingsSchemaUrl(addresses: ProjectAddresses = manifest): string | undefined {
  const path = findRepository(addresses);
  if (path === undefined) return undefined;
  return `https://raw.githubusercontent.com/${path}/v${addresses.version}/src/apps/settings/schema/settings.schema.json`;
}

const githubAddress = /^(?:(?:git\+)?https:\/\/github\.com\/|github:)([\w.-]+\/[\w.-]+?)(?:\.git)?(?:[#/].*)?$/;

function findManifestTree(addresses: ProjectAddresses): string | undefined {
  const path = findRepository(addresses);
  return path === undefined ? undefined : `https://github.com/${path}/blob/v${addresses.version}`;
}

/** Returns the owner and name of the repository on GitHub that a manifest names. */
function findRepository({ homepage = "", repository = "" }: ProjectAddresses): string | undefined {
  const named = typeof repository === "string" ? repository : repository.url;
  return githubAddress.exec(named)?.[1] ?? githubAddress.exec(homepage)?.[1];
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
