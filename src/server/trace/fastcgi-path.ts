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
 * Returns the name of the PHP script that a FastCGI server gets if it is not in a directory that this server serves, so that
 * PHP does not find it (mod_proxy_fcgi sends it as SCRIPT_FILENAME).
 */
export function explainForeignScript({ outcome: { served }, request, project }: ExplainedRun): readonly Cause[] {
  if (served?.mapping.kind !== "proxy") return [];
  const { by, target } = served.mapping;
  const { serverLayers } = served.walk;
  const [, script] = ownFastCgi.exec(target) ?? [];
  const written = firstArgumentOf(findSetting(serverLayers, "documentroot"));
  if (script === undefined || written === undefined || !/\.php(?:\/|$)/.test(script)) return [];
  const layers = served.state?.layers ?? serverLayers;
  if (layers.some((layer) => layer.has("proxyfcgisetenvif"))) return [];
  const resolve = (path: string) => resolvePath(project.serverRoot, path).replace(/\/$/, "");
  const aliased = serverLayers.flatMap((layer) => layer.directives.filter(({ key }) => /^(?:script)?alias/.test(key)));
  const root = resolve(written);
  const folders = [root, ...aliased.map((line) => resolve(argumentValuesOf(line).at(-1) ?? ""))];
  if (folders.some((folder) => script.startsWith(`${folder}/`))) return [];
  const text = `the FastCGI server gets the file name \`${toReadable(script)}\`, which is not below the \`DocumentRoot\` \`${toReadable(root)}\``;
  const url = argumentValuesOf(by).find((word) => /fcgi:\/\//i.test(word)) ?? "";
  const old = script.endsWith(request.path) ? script.slice(0, -request.path.length) : "";
  const help = old !== "" && url.includes(`${old}/`) ? [`use ${quoteWritten(url.replace(`${old}/`, `${root}/`))}`] : [];
  return [{ text, line: by, ...(help.length > 0 ? { help } : {}) }];
}
