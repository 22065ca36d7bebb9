import { existsSync, readFileSync } from "node:fs";
import manifest from "../../package.json" with { type: "json" };

/** The version of httpd-lint. */
export const version: string = manifest.version;

/** Returns the location of a rule's page: beside the rules in the source tree, and beside the bundle in the package. */
export function findRulePage(id: string): URL {
  const places = [new URL(`./rules/${id}.md`, import.meta.url), new URL(`../../rules/${id}/${id}.md`, import.meta.url)];
  const place = places.find((url) => existsSync(url));
  if (place === undefined) throw new Error(`the page of the rule ${id} is missing from the package`);
  return place;
}

/**
 * Returns the Markdown of a rule's page: next to the rule in the source tree, and next to the bundle in the package.
 */
export function readRulePage(id: string): string | undefined {
  return readIfThere(`./rules/${id}.md`) ?? readIfThere(`../../rules/${id}/${id}.md`);
}

/** Returns the script for a page in the browser, which is bundled both in the package and in the built source tree. */
export function readBrowserScript(name: "check" | "map"): string {
  const script = readIfThere(`./browser/${name}.js`) ?? readIfThere(`../../dist/browser/${name}.js`);
  if (script === undefined) throw new Error(`the script of the ${name} page is missing from the package`);
  return script;
}

function readIfThere(path: string): string | undefined {
  const place = new URL(path, import.meta.url);
  return existsSync(place) ? readFileSync(place, "utf8") : undefined;
}
