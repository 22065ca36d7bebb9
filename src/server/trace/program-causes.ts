import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import { isDebianLayout } from "../../config/model/load-module.js";
import { quoteShellWord } from "../../text/escaping.js";
import { toReadable } from "../../text/source.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf, keywordArgumentOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import { passesOf } from "../model/pass.js";
import { headerOf } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import { backendOf } from "../phases/handler.js";
import { addedHandlerOf, aliasHandlerOf, handlerOf } from "../phases/handler-lookup.js";
import { findInterpreterFault, type InterpreterFault } from "../phases/interpreter.js";
import { mergeOptions } from "../sections/options.js";
import type { ExplainedRun } from "./causes.js";
import { destinationOf } from "./destination.js";
import { nameDirectory } from "./own-directory.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/** Extensions of files that are usually sent as they are. */
const sentExtension = /\.(?:avif|bmp|css|gif|html?|ico|jpe?g|js|json|map|pdf|png|svg|ttf|txt|webp|woff2?|xml)$/i;

/**
 * A file that is run as a program because all files of its directory are, although its name is that of a page or a picture
 * (mod_alias.c `translate_alias_redir`, server/core.c `core_override_type`).
 */
export function explainSentFile({ outcome }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status } = outcome;
  const { state, mapping, walked } = served ?? {};
  const isUnexecutable = isUnexecutableProgram(outcome);
  const handler = isUnexecutable ? "cgi-script" : destinationOf(outcome).handler;
  if (
    (status !== 200 && !isUnexecutable) ||
    handler !== "cgi-script" ||
    !state ||
    mapping?.kind !== "file" ||
    walked?.kind !== "file"
  )
    return [];
  const name = walked.filename.slice(walked.filename.lastIndexOf("/") + 1);
  if (!sentExtension.test(name) || addedHandlerOf(state, walked.filename) !== undefined) return [];
  const set = state.config.setting("sethandler");
  const line = keywordArgumentOf(set) === "cgi-script" ? set : aliasHandlerOf(mapping) && mapping.by;
  if (line === undefined) return [];
  const text = `${quoteLine(line)} is for all files below it: httpd runs \`${toReadable(name)}\` as a program as well, ${isUnexecutable ? "although it is none" : "and returns 500 if it is none"}`;
  return [{ text, line, help: ["move the file to a directory whose files are sent"], stays: true }];
}

/** Reports whether a program does not run because no user may execute it. */
function isUnexecutableProgram({ log, reason }: RequestOutcome): boolean {
  return [log.at(-1), reason?.code].some((code) => code === "AH01215" || code === "AH01241");
}

/**
 * A program that no user may execute, or whose first line names no interpreter (util_script.c, `exec of … failed`; fs/binfmt_script.c of
 * Linux).
 */
export function explainUnexecutable(run: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status, log } = run.outcome;
  const { state, mapping, walked } = served ?? {};
  const file = walked?.filename;
  if (walked === undefined || file === undefined || status !== 500 || explainSentFile(run).length > 0) return [];
  const shown = nativePath(toReadable(file));
  const isProgram = state !== undefined && mapping !== undefined && handlerOf(state, mapping, walked) === "cgi-script";
  const fault = isProgram ? findInterpreterFault(file, run.files) : undefined;
  if (fault && (log.length === 0 || isUnexecutableProgram(run.outcome)))
    return [causeOfFirstLine(fault, shown, run.files)];
  if (!isUnexecutableProgram(run.outcome)) return [];
  return [
    {
      text: `\`${shown}\` has no permission to be executed`,
      help: [`run \`chmod +x ${quoteShellWord(shown)}\``],
    },
  ];
}

function causeOfFirstLine(fault: InterpreterFault, file: string, files: FileTree): Cause {
  if (fault.kind === "late") {
    const before = fault.hasMark ? "a byte order mark is" : "spaces or empty lines are";
    const help = fault.hasMark ? "save the file without a byte order mark" : "delete what is before `#!`";
    return { text: `\`#!\` does not start \`${file}\`: ${before} before it`, help: [help] };
  }
  const name = toReadable(fault.name);
  if (fault.kind === "return") {
    const text = `the first line of \`${file}\` ends with a carriage return, as on Windows, so ${fault.isArgument ? "`env`" : "the kernel"} looks for \`${name}\\r\``;
    return { text, help: [`run \`sed -i 's/\\r$//' ${quoteShellWord(file)}\``] };
  }
  const base = fault.name.slice(fault.name.lastIndexOf("/") + 1);
  const names = [base, base.replace(/[\d.]+$/, "")];
  const found = names
    .flatMap((each) => ["/usr/bin", "/bin", "/usr/local/bin"].map((folder) => `${folder}/${each}`))
    .find((each) => files.kindOf(each, true) === "file");
  const help =
    found === undefined ? `install \`${name}\`, or correct the first line` : `use \`#!${toReadable(found)}\``;
  return { text: `the first line of \`${file}\` names \`${name}\`, which does not exist`, help: [help] };
}

/** Extensions of programs that mod_cgi runs by their first line. */
const programExtension = /\.(?:cgi|fcgi|lua|pl|py|rb|sh)$/i;

/**
 * A program that is sent as it is, because AddHandler names other extensions than its own (mod_mime.c `find_ct`). Without such a line,
 * it may be for download.
 */
export function explainSentProgram({ outcome, project }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status, answeredBy } = outcome;
  const { state, mapping, walked } = served ?? {};
  if (status !== 200 || answeredBy === "program" || !state || mapping?.kind !== "file" || walked?.kind !== "file")
    return [];
  const [extension] = programExtension.exec(walked.filename) ?? [];
  if (extension === undefined || destinationOf(outcome).handler !== undefined) return [];
  const line = state.layers
    .flatMap((layer) => layer.pick(handlerLines))
    .findLast((each) => argumentValuesOf(each)[0]?.toLowerCase() === "cgi-script");
  if (line === undefined) return [];
  const text = `${quoteLine(line)} does not name \`${toReadable(extension)}\`, so httpd sends the file and does not run it`;
  const corrected = quoteWritten(formatWholeLine(line, `${line.argumentText} ${extension}`));
  const mayRun = mergeOptions(state.layers, project).has("execcgi");
  return [{ text, line, help: [`to run it, use ${corrected}${mayRun ? "" : ", with `Options +ExecCGI`"}`] }];
}

/**
 * A program that does not get the `Authorization` header of the request, which may have a token: httpd keeps it from programs
 * by default (util_script.c `ap_add_common_vars`, mod_wsgi.c `wsgi_build_environment`). A login that httpd checks is not for the
 * program, and a line that copies the header to a variable passes it on.
 */
export function explainLostAuthorization({ outcome, request, project }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status, answeredBy } = outcome;
  const { state } = served ?? {};
  const isForProgram = status === 200 && (answeredBy === "program" || answeredBy === "backend");
  if (headerOf(request, "Authorization") === undefined || !isForProgram || !served || !state || project.isPart)
    return [];
  if (passesOf(pass ?? served).some(({ answer }) => answer?.user !== undefined)) return [];
  const switched = passingLineOf(destinationOf(outcome).handler ?? backendOf(served)?.target ?? "");
  if (switched === undefined || keywordArgumentOf(state.config.setting(switched.toLowerCase())) === "on") return [];
  const isCopied = state.layers.some((layer) =>
    layer.pick(copyingLines).some(({ argumentText }) => /authorization/i.test(argumentText)),
  );
  if (isCopied) return [];
  const text = "httpd does not pass the `Authorization` header to the program";
  const place = served.walked ? nameDirectory(served) : quoteWritten('<Location "/">');
  return [{ text, help: [`add ${quoteWritten(`${switched} On`)} to ${place}`] }];
}

/** Lines that may copy a header of the request to another one or to a variable. */
const copyingLines: ReadonlySet<string> = new Set([
  ...["setenv", "setenvif", "setenvifnocase", "setenvifexpr", "rewriterule", "requestheader", "proxyfcgisetenvif"],
]);

/** Returns the directive that passes the header to the program of a handler or a FastCGI backend; undefined for others. */
function passingLineOf(handler: string): string | undefined {
  if (handler === "wsgi-script") return "WSGIPassAuthorization";
  return handler === "cgi-script" || /^proxy:(?:unix:[^|]*\|)?fcgi:/i.test(handler) ? "CGIPassAuth" : undefined;
}

/** Files that only PHP runs: nobody wants to send their source. */
const phpExtension = /\.(?:php\d?|phar|phtml)$/i;

/**
 * A PHP file that is sent as it is, because no line gives it a handler and no module could (server/core.c
 * `default_handler`).
 */
export function explainSentSource({ outcome, project }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status, answeredBy } = outcome;
  const { state, mapping, walked } = served ?? {};
  if (status !== 200 || answeredBy === "program" || !state || mapping?.kind !== "file" || walked?.kind !== "file")
    return [];
  const [extension] = phpExtension.exec(walked.filename) ?? [];
  const { modules, modulesAreKnown } = project;
  const others = modules.listThirdParty().filter((identifier) => !/^php\d?_module$/.test(identifier));
  if (extension === undefined || destinationOf(outcome).handler !== undefined) return [];
  if (!modulesAreKnown || others.length > 0) return [];
  // Its author sends the file on purpose.
  const names = new Set([extension, extension.slice(1)].map((each) => each.toLowerCase()));
  const setsType = (line: Directive) =>
    line.key === "forcetype" || argumentValuesOf(line).some((word) => names.has(word.toLowerCase()));
  if (state.layers.some((layer) => layer.pick(typeLines).some(setsType))) return [];
  const text = `no line sets a handler for \`${toReadable(extension)}\`, so httpd sends the source of this file`;
  const enabled = isDebianLayout(project) ? " (with Debian's packages, `a2enconf` or `a2enmod` enables it)" : "";
  return [{ text, help: [`add the \`SetHandler\` of PHP-FPM, or the module of PHP with its handler${enabled}`] }];
}

const typeLines: ReadonlySet<string> = new Set(["addtype", "forcetype"]);

const handlerLines: ReadonlySet<string> = new Set(["addhandler"]);
