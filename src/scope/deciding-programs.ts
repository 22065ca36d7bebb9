import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import type { Project } from "../project/project.js";
import type { Layer } from "./layer.js";
import { Once } from "./once.js";
import type { Questions } from "./questions.js";

const hooksOfLua = [
  ...["accesschecker", "authchecker", "checkuserid", "fixups", "maptostorage", "typechecker"],
  ...["translatename", "pretranslatename"],
].map((hook) => `luahook${hook}`);
const phases = [
  ...["access", "authen", "authz", "fixup", "headerparser", "init", "maptostorage", "postreadrequest"],
  ...["trans", "type"],
];

/** Lines by which a program has a say in the answer ahead of what serves it (mod_lua, mod_perl, mod_python, mod_wsgi). */
const programs: ReadonlySet<string> = new Set([
  ...[...hooksOfLua, "luaquickhandler"].flatMap((key) => [key, `<${key}`]),
  ...["perl", "python"].flatMap((language) => phases.map((phase) => `${language}${phase}handler`)),
  "wsgiaccessscript",
]);

/** Leaves open what comes of a request where a program may answer it. @param layers all that is in force for it */
export function leaveToPrograms(layers: readonly Layer[], project: Project, questions: Questions): void {
  if (!running.of(project).isAny || questions.unsettled !== undefined) return;
  for (const layer of layers) {
    const [line] = layer.only(programs);
    if (line) questions.leaveOpen(wordsFor(line), line);
  }
}

const running = new Once((project: Project) => {
  for (const { key } of allDirectives(project)) if (programs.has(key)) return { isAny: true };
  return { isAny: false };
});

function wordsFor({ name, argumentText }: Directive): string {
  return `what ${quoted(`${name} ${argumentText}`.trim())} decides`;
}
