import { existsSync, readFileSync } from "node:fs";

/** The text of a rule's page, as Markdown: it lies beside the rule in the source tree and beside the bundle in the package. */
export function rulePage(id: string): string | undefined {
  return read(`./rules/${id}.md`) ?? read(`../../rules/${id}/${id}.md`);
}

/** What runs in a page in the browser: it is bundled for that, in the package and in the built source tree. */
export function browserScript(name: "check" | "map"): string {
  const script = read(`./browser/${name}.js`) ?? read(`../../dist/browser/${name}.js`);
  if (script === undefined) throw new Error(`the script of the ${name} page is missing from the package`);
  return script;
}

function read(path: string): string | undefined {
  const place = new URL(path, import.meta.url);
  return existsSync(place) ? readFileSync(place, "utf8") : undefined;
}
