import {
  type DefiniteAnswer,
  describeRequest,
  type ExposedLine,
  matchGroupsOf,
  type OutsideClient,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import { indexDirectives } from "../../src/lint/api/configuration.js";
import { isWithin, quoteShort, type Report, stripTrailingSlash, toReadable } from "../../src/lint/api/rule.js";

export const scriptPathMessages = {
  elsewhere: ({ request }: DefiniteAnswer, script: string, file: string, corrected: string) => ({
    message: `PHP-FPM looks for the script at ${quoteShort(script, 40)}, not in the document root`,
    notes: [
      `${describeRequest(request)} is for the file ${quoteShort(file, 60)}`,
      "with `ProxyPassMatch`, the path of the script is that of the URL of the backend",
      "PHP-FPM returns 404 with `File not found.`",
    ],
    // Users copy the whole URL.
    help: [`use \`${toReadable(corrected)}\``],
  }),
};

/** A backend of FastCGI on this machine, which has the same files. */
const ownBackend = /^((?:unix:[^|]*\|)?fcgi:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?)(\/.*|\$\d.*|)$/i;

/** Finds PHP-FPM on this machine that gets another path than that of the file (mod_proxy_fcgi.c `proxy_fcgi_canon`). */
export function* findScriptPath({ line, server, context }: ExposedLine, client: OutsideClient): Generator<Report> {
  const [pattern, target] = line.arguments;
  const [, backend, written = ""] = ownBackend.exec(target?.value ?? "") ?? [];
  if (pattern === undefined || target === undefined || backend === undefined) return;
  if (!/\\\.php/.test(pattern.value) || indexDirectives(context.project).named("proxyfcgisetenvif").length > 0) return;
  const paths = ["/index.php", samplePattern(pattern.value) ?? ""];
  const path = paths.find((each) => each.startsWith("/") && Array.isArray(matchGroupsOf(pattern.value, each, false)));
  const file = path === undefined ? undefined : client.fileAt(server, path);
  const answer = path === undefined ? undefined : client.ask(server, { path });
  if (!answer || path === undefined || !file?.endsWith(path) || answer.backend?.by !== line) return;
  const script = answer.backend.url.replace(/^(?:unix:[^|]*\|)?\w+:\/\/[^/]*/, "");
  const root = stripTrailingSlash(file.slice(0, -path.length));
  if (root === "" || !isOtherFile(script.replace(/\/{2,}/g, "/"), { path, file, root, written }, context.files)) return;
  const [, slash, group] = /^\^?(\/?)(?:\(\?:)?(\(\/?[.[])?/.exec(pattern.value) ?? [];
  // Without a reference, httpd adds the whole path.
  const isWhole = group === undefined || !/\$\d/.test(target.value);
  const rest = isWhole ? "" : slash === "/" && !group.startsWith("(/") ? "/$1" : "$1";
  yield {
    severity: "warning",
    message: scriptPathMessages.elsewhere(answer, script, file, `${backend}${root}${rest}`),
    span: line.spanOf(target),
    witness: witnessOf(answer),
  };
}

/** Reports whether a script is not the file of the URL: a backend with other files, as in a container, has another root. */
function isOtherFile(
  script: string,
  {
    path,
    file,
    root,
    written,
  }: { readonly path: string; readonly file: string; readonly root: string; readonly written: string },
  files: ExposedLine["context"]["files"],
): boolean {
  if (script === file) return false;
  // The path continues the name of the root, or is only that of the root.
  if (script.startsWith(root)) return true;
  const other = script.endsWith(path) ? script.slice(0, -path.length) : undefined;
  if (other !== undefined && isWithin(root, other)) return true;
  const hasOwnRoot = /^\/+[^/$]/.test(written);
  return !hasOwnRoot && files?.kindOf(file) === "file" && files.kindOf(script) === "missing";
}
