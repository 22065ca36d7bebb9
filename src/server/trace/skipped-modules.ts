import type { Guard } from "../../config/model/guards.js";
import type { Project } from "../../config/model/project.js";
import { moduleBaseOf } from "../../config/queries/skipped-lines.js";
import { toReadable } from "../../text/source.js";
import { fileNameOf } from "./htaccess-steps.js";

/** Modules with the same handler, of which a server loads one: `a2enmod cgi` enables mod_cgid for a threaded MPM. */
const counterparts: Readonly<Record<string, string>> = { cgi: "cgid", cgid: "cgi" };

/** Returns why httpd skips an IfModule section of a module that it does not have, and what to change. */
export function explainSkippedModule({ argument }: Pick<Guard, "argument">, project: Project) {
  const base = moduleBaseOf(argument);
  const other = counterparts[base];
  if (other !== undefined && project.modules.has(`${other}_module`)) {
    const isFile = argument.endsWith(".c");
    const name = isFile ? `mod_${other}.c` : `${other}_module`;
    return {
      reason: `\`${toReadable(argument)}\` is not loaded, but \`${name}\` is`,
      help: [`use \`<IfModule ${name}>\``],
    };
  }
  return { reason: `\`${base}_module\` is not loaded`, help: [helpToLoad(base, project)] };
}

function helpToLoad(base: string, { files, includes }: Project): string {
  const line = new RegExp(`^[\\t ]*#+[\\t ]*(LoadModule[\\t ]+${base}_module[\\t ]+\\S+)`, "im");
  for (const { source } of files.values()) {
    const [, written] = line.exec(source.text) ?? [];
    if (written !== undefined)
      return `delete the \`#\` before \`${toReadable(written)}\` in \`${fileNameOf(source)}\`, and restart httpd`;
  }
  const isDebian = includes.some(({ path }) => /\/mods-enabled\/\*\.load$/.test(path));
  return isDebian ? `run \`a2enmod ${base}\`, and restart httpd` : `add a \`LoadModule\` line for \`${base}_module\``;
}
