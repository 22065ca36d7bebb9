import { existsSync, readFileSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };

/** The version of httpd-lint. */
export const version: string = manifest.version;

/** Returns the location of a rule's page: beside the bundle in the package, and beside the rule in the source tree. */
export function findRulePage(id: string): URL {
  const page = locateRulePage(id);
  if (page === undefined) throw new Error(`the page of the rule ${id} is missing from the package`);
  return page;
}

/** Returns the Markdown of a rule's page; undefined if it is missing. */
export function readRulePage(id: string): string | undefined {
  const page = locateRulePage(id);
  return page && readFileSync(page, "utf8");
}

/** Returns the script for a page in the browser, which is bundled both in the package and in the built source tree. */
export function readBrowserScript(name: "check" | "map"): string {
  const script = locate(`./browser/${name}.js`, `../../dist/browser/${name}.js`);
  if (script === undefined) throw new Error(`the script of the ${name} page is missing from the package`);
  return readFileSync(script, "utf8");
}

function locateRulePage(id: string): URL | undefined {
  return locate(`./rules/${id}.md`, `../../rules/${id}/${id}.md`);
}

/** Returns the first of these files that exists, relative to this one. */
function locate(...paths: readonly string[]): URL | undefined {
  return paths.map((path) => new URL(path, import.meta.url)).find((url) => existsSync(url));
}
