import { existsSync } from "node:fs";

/** Where the page of a rule lies: beside the rules in the source tree, and beside the bundle in the package. */
export function pageOf(id: string): URL {
  const places = [new URL(`./rules/${id}.md`, import.meta.url), new URL(`../rules/${id}/${id}.md`, import.meta.url)];
  const place = places.find((url) => existsSync(url));
  if (place === undefined) throw new Error(`the page of the rule ${id} is missing from the package`);
  return place;
}
