import { namingLines } from "../scope/server-names.js";
import { toReadable } from "../text/source.js";
import type { Pass, Setup } from "./pass.js";
import { lineStep, type TraceStep } from "./step.js";
import { quotedLines } from "./written.js";

/** The virtual host that answers, with the lines that made it so; none where it is the main server. */
export function serverSteps({ server, request }: Pass, { project, servers }: Setup): TraceStep[] {
  const { section } = server;
  if (section === undefined) return [];
  const names = namingLines(server, request);
  const bases =
    project.release === "2.2" ? servers.main.layer.directives.filter(({ key }) => key === "namevirtualhost") : [];
  const step = lineStep(section, whyThisHost(quotedLines(names), request.host), names);
  return [...bases.map((line) => lineStep(line, "lets the virtual hosts there go by their names")), step];
}

function whyThisHost(names: string, host: string | undefined): string {
  if (names !== "") return `answers: ${names} names the host`;
  return host === undefined
    ? "answers: the first virtual host at this address, since the request names no host"
    : `answers: the first virtual host at this address, since none there goes by the name \`${toReadable(host)}\``;
}
