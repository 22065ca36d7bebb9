import { allDirectives } from "../project/all-directives.js";
import { absolutePath } from "../project/paths.js";
import { MASK } from "../report/secrets.js";
import type { LoadedServer } from "./server.js";

/** What is kept of a line `name:rest` of a password or group file: no password. */
const kept: Readonly<Record<string, (name: string, rest: string) => string>> = {
  authgroupfile: (name, rest) => `${name}:${rest}`,
  authuserfile: (name) => `${name}:${MASK}`,
};

/** Who is in the password and group files that servers name, as such files without the passwords; by real path. */
export function memberTexts(servers: readonly LoadedServer[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  // What is named as both is one of passwords.
  for (const key of ["authgroupfile", "authuserfile"])
    for (const { project, read } of servers)
      for (const directive of allDirectives(project)) {
        const path = directive.key === key ? directive.arguments[0]?.value : undefined;
        if (path === undefined) continue;
        const content = read.load.access?.read(absolutePath(project.serverRoot, path));
        if (content && "text" in content) texts.set(content.realPath, reduced(content.text, key));
      }
  return texts;
}

function reduced(text: string, key: string): string {
  const lines = text.split("\n").map((line) => {
    const colon = line.indexOf(":");
    if (colon <= 0 || line.startsWith("#")) return "";
    return kept[key]?.(line.slice(0, colon), line.slice(colon + 1)) ?? "";
  });
  return lines.filter((line) => line !== "").join("\n");
}
