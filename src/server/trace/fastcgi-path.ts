import { resolvePath } from "../../config/files/paths.js";
import { toReadable } from "../../text/source.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf, findSetting, firstArgumentOf } from "../model/config-layer.js";
import type { ExplainedRun } from "./causes.js";
import { quoteWritten } from "./step.js";

/** A FastCGI server of the same machine, with the path that it gets. Another machine may have the files elsewhere. */
const ownFastCgi =
  /^proxy:(?:fcgi:\/\/(?:127\.[\d.]+|\[::1\]|localhost)(?::\d+)?|unix:[^|]*\|fcgi:\/\/[^/]*)(\/[^?]*)/i;

/**
 * Returns the path that a FastCGI server gets if it is outside of the DocumentRoot, so that the server does not find the file (mod_proxy_fcgi
 * sends it as SCRIPT_FILENAME).
 */
export function explainForeignScript({ outcome: { served }, project }: ExplainedRun): readonly Cause[] {
  if (served?.mapping.kind !== "proxy") return [];
  const { by, target } = served.mapping;
  const [, script] = ownFastCgi.exec(target) ?? [];
  const line = findSetting(served.walk.serverLayers, "documentroot");
  const written = firstArgumentOf(line);
  if (script === undefined || line === undefined || written === undefined) return [];
  const root = resolvePath(project.serverRoot, written).replace(/\/$/, "");
  if (script.startsWith(`${root}/`)) return [];
  const url = argumentValuesOf(by).find((word) => /fcgi:\/\//i.test(word)) ?? "";
  const [, backend, rest] = /^(.*fcgi:\/\/[^/]*)\/.*?(\/?\$[1-9])$/i.exec(url) ?? [];
  const text = `the FastCGI server gets the file name \`${toReadable(script)}\`, which is not below the \`DocumentRoot\` \`${toReadable(root)}\``;
  const help =
    backend === undefined || rest === undefined
      ? []
      : [`use ${quoteWritten(`${backend}${root}/${rest.replace(/^\//, "")}`)}`];
  return [{ text, line: by, ...(help.length > 0 ? { help } : {}) }];
}
