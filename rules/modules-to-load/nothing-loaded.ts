import type { Report } from "../../src/engine/finding.js";
import { listed } from "../../src/project/problems.js";
import type { Project } from "../../src/project/project.js";
import { type Needs, namedNeed } from "./needs.js";

/** What a server does without modules that hardly any can do without, and that no line may ask for. */
const unasked: readonly (readonly [module: string, comesTo: string])[] = [
  ["dir_module", "answers 404 to `/` and every other folder"],
  ["mime_module", "sends files without Content-Type"],
];

/** Whether the whole of a server is here, with no LoadModule line in it, such as one of a 2.2 that had all built in. */
export function loadsNothing({ directives, files, kind, problems }: Project): boolean {
  return (
    kind === "server" &&
    directives.some(({ key }) => key === "listen") &&
    !problems.some((problem) => problem.kind === "include") &&
    // One that a guard left out counts for those who start it otherwise, and in a template the lines are still to come.
    ![...files.values()].some(({ source }) => /^[\t ]*(?:LoadModule[\t ]|@@LoadModule@@)/im.test(source.text))
  );
}

/** Which modules it needs, unless they are built in: who built the new server knows. */
export function reportOfAll({ directives: [first] }: Project, needs: Needs): Report | undefined {
  const all = needs.ofWholeServer();
  const named = listed(all.map(namedNeed));
  const others = unasked
    .filter(([module]) => all.every((need) => need.module !== module))
    .map(([module, comesTo]) => `${comesTo} without \`${module}\``);
  const besides = others.length === 0 ? "" : `, and even then ${others.join(" and ")}`;
  return (
    first && {
      severity: "warning",
      message: `no line loads a module: 2.2 has them built in by default and 2.4 has hardly any, so it does not start without ${named}${besides}, unless they are built into the server; write a LoadModule line for each that \`httpd -l\` does not list (httpd: "AH00534: Configuration error: No MPM loaded.")`,
      span: first.span,
    }
  );
}
