import { describeRequest } from "../../src/server/model/request.js";
import { printLines, type ServerText } from "./configuration-tree.js";
import type { Failure } from "./soundness.js";

const titles: Readonly<Record<Failure["kind"], string>> = {
  wrong: "different",
  unknown: "unknown on one side",
  start: "refused at start on one side",
};

/** Renders a failure: both sides, the request, and both answers. */
export function renderFailure({ pair, request, seed, count, kind, cause, before, after }: Failure): string {
  return [
    `${count} × called equivalent, but ${titles[kind]}: ${cause}`,
    `seed ${seed}, release ${pair.release}: ${pair.change}`,
    `request: ${describeRequest(request)}`,
    ...["before", before, renderServer(pair.before), "after", after, renderServer(pair.after)],
  ].join("\n");
}

function renderServer({ modules, lines, htaccess }: ServerText): string {
  const files = Object.entries(htaccess).map(([path, inner]) => `    # ${path}\n${printLines(inner, "    ")}`);
  return `    # modules: ${modules.join(" ")}\n${printLines(lines, "    ")}${files.join("")}`;
}
