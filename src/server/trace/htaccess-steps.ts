import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile } from "../../config/model/project.js";
import { listWithParents } from "../../config/queries/directive-tree.js";
import { type SourceFile, type Span, toReadable } from "../../text/source.js";
import { findSetting } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import type { TraceStep } from "../model/trace-step.js";
import type { FoundHtaccess } from "../walk/directory-walk.js";
import type { HtaccessVerdict } from "../walk/htaccess-check.js";
import { createStep, quoteLines } from "./step.js";

/** Returns the step for a `.htaccess` file that was not merged: not read, or rejected. */
export function traceUnmergedHtaccess(found: FoundHtaccess, pass: Pass): TraceStep {
  const lines = overrideLinesOf(pass, found.level);
  return found.verdict.kind === "refused"
    ? refusedStep(found.file, found.verdict, lines)
    : ignoredStep(found.file, lines);
}

function ignoredStep({ tree }: HtaccessFile, lines: readonly Directive[]): TraceStep {
  const effect = `is not read${lines.length > 0 ? `: ${quoteLines(lines)}` : ""}`;
  return createStep({ section: fileNameOf(tree.source), span: startOfFile(tree.source) }, { effect, lines });
}

/** @param allowed the lines that set what the file may contain */
function refusedStep(
  file: HtaccessFile,
  verdict: HtaccessVerdict & { readonly kind: "refused" },
  allowed: readonly Directive[],
): TraceStep {
  const { directive, span, problem } = verdict.refusal;
  const isByDefault = verdict.cause === "override" && allowed.length === 0;
  const by = isByDefault ? "no `AllowOverride` applies" : quoteLines(allowed);
  const effect = `is rejected: ${problem}${directive === verdict.disallowed && by !== "" ? ` (${by})` : ""}`;
  const lines = [...allowed, ...(directive ? listWithParents(directive) : [])];
  return createStep({ section: fileNameOf(file.tree.source), span }, { effect, role: "rejected-file", lines });
}

/**
 * Returns the lines that set what a `.htaccess` file may contain, and what such files are called.
 *
 * @param level number of configurations merged before it
 */
export function overrideLinesOf({ walked, server }: Pass, level: number): Directive[] {
  const layers = walked?.layers.slice(0, level) ?? [];
  const named = findSetting(server.layers, "accessfilename");
  const lines = [findSetting(layers, "allowoverride"), findSetting(layers, "allowoverridelist"), named];
  return lines.filter((line) => line !== undefined);
}

/** Returns the last name in the path of a file. */
export function fileNameOf({ path }: SourceFile): string {
  return toReadable(path.slice(path.lastIndexOf("/") + 1));
}

export function startOfFile(file: SourceFile): Span {
  return { file, start: 0, end: 0 };
}
