import { addsHeader, type HeaderLine } from "../../config/queries/response-headers.js";
import { toReadable } from "../../text/source.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf } from "../model/config-layer.js";
import type { Pass } from "../model/pass.js";
import { headerOf } from "../model/request.js";
import { HANDLER_TYPE_PREFIX, typeByLine } from "../phases/handler-lookup.js";
import { collectLateVariables, earlySetterOf } from "../request/setenvif.js";
import type { ExplainedRun } from "./causes.js";
import { destinationOf, responderOf } from "./destination.js";
import { exactPatternOf, isForOrigins, namesWord, withOtherOrigin } from "./origins.js";
import { contentTypeOf, findLineFor, headerChangesOf } from "./sent-headers.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/**
 * A variable in the value of a header that this request does not set, although it has a header of that name: httpd sends `(null)`
 * (mod_headers.c `header_request_env_var`). Only programs set the variables with headers.
 */
export function explainUnsetValue({ outcome, project }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass } = outcome;
  if (!served?.state) return [];
  const { applied } = headerChangesOf(outcome, project);
  return applied.flatMap((line) => causeOfValue(line, served, responderOf(outcome) !== undefined)).slice(0, 1);
}

function causeOfValue(line: HeaderLine, served: Pass, isByProgram: boolean): readonly Cause[] {
  const { state, server, request } = served;
  const { directive, value } = line;
  const [, name] = /%\{(\w+)\}e/.exec(value) ?? [];
  if (name === undefined || !state || !addsHeader(line) || (isByProgram && name.startsWith("HTTP_"))) return [];
  const header = name.replace(/^HTTP_/, "").replaceAll("_", "-");
  const sent = headerOf(request.sent ?? request, header);
  const key = name.toLowerCase();
  if (sent === undefined || state.env.has(key) || collectLateVariables(state.layers).has(key)) return [];
  const setters = [...new Set([...server.layers, ...state.layers])]
    .flatMap(({ directives }) => directives)
    .filter((each) => each.key !== "header" && namesWord(each.argumentText, name));
  // The patterns of these have been tried.
  if (!setters.every((each) => earlySetterOf(each)?.header !== undefined)) return [];
  const response = `httpd sends ${quoteWritten(toReadable(value).replace(`%{${name}}e`, "(null)"))}`;
  const [setter] = setters;
  if (setter) {
    const text = `${quoteLine(setter)} does not set it for this request, so ${response}`;
    const corrected = isForOrigins(directive) ? withOtherOrigin(setter, sent) : undefined;
    return corrected === undefined
      ? []
      : [{ text, line: setter, help: [`to allow this origin, use ${quoteWritten(corrected)}`] }];
  }
  const text = `no line ${state.project.isPart ? "here " : ""}sets the variable \`${name}\`${name.startsWith("HTTP_") ? ", which only programs have" : ""}: ${response}`;
  const { argumentText } = directive;
  const written = isForOrigins(directive)
    ? argumentText.replace(`%{${name}}e`, () => sent)
    : value === `%{${name}}e`
      ? argumentText.replace(/"?%\{\w+\}e"?/, () => `"expr=%{req:${header}}"`)
      : undefined;
  if (written === undefined || /["\\\s]/.test(sent)) return [{ text, line: directive }];
  return [{ text, line: directive, help: [`use ${quoteWritten(formatWholeLine(directive, written))}`] }];
}

/** An origin that a line allows, for a request of a script of another one (Fetch standard, CORS check). */
export function explainOtherOrigin({ outcome, request, project }: ExplainedRun): readonly Cause[] {
  const origin = headerOf(request.sent ?? request, "Origin");
  const own = `${request.scheme ?? "http"}://${request.host ?? ""}`;
  if (origin === undefined || origin === own || outcome.status >= 300) return [];
  const lines = headerChangesOf(outcome, project).applied.filter((each) => isForOrigins(each.directive));
  const [line, ...others] = lines;
  if (!line || others.length > 0 || !addsHeader(line) || line.condition !== undefined) return [];
  const { value, directive } = line;
  if (!/^https?:\/\/[^%*\s",]+$/i.test(value) || value === origin || !/^https?:\/\/[^\s"\\]+$/i.test(origin)) return [];
  const text = `the response is for scripts of ${quoteWritten(toReadable(value))}, and this request is from ${quoteWritten(toReadable(origin))}`;
  const name = "CORS_ORIGIN";
  const both = [value, origin].map((each) => exactPatternOf(each).slice(1, -1)).join("|");
  const withoutSlash = value.replace(/\/+$/, "") === origin;
  const written = withoutSlash
    ? quoteWritten(
        formatWholeLine(
          directive,
          directive.argumentText.replace(value, () => origin),
        ),
      )
    : quoteWritten(
        `SetEnvIf Origin "^(?:${both})$" ${name}=$0`,
        formatWholeLine(directive, `${directive.argumentText.replace(value, () => `%{${name}}e`)} env=${name}`),
      );
  return [{ text, line: directive, help: [withoutSlash ? `use ${written}` : `to allow both, use ${written}`] }];
}

/** A character set in the Content-Type header that is not that of the file: browsers prefer the header (HTML standard, encoding sniffing). */
export function explainOtherCharset({ outcome, files, project }: ExplainedRun): readonly Cause[] {
  const type = contentTypeOf(outcome, project);
  const { served, pass = served } = outcome;
  const filename = (served ?? pass)?.walked?.filename;
  const line = type?.lines.findLast(({ key }) => charsetLines.has(key));
  const [, charset] = /; charset=([\w.:-]+)$/.exec(type?.value ?? "") ?? [];
  const text = line && filename !== undefined ? files.textOf?.(filename) : undefined;
  if (!line || charset === undefined || text === undefined) return [];
  const [, named] = /<meta[^>]+charset\s*=\s*["']?([\w.:-]+)/i.exec(text.slice(0, 1024)) ?? [];
  const own = named ?? (isUtf8(text) ? "UTF-8" : undefined);
  if (own === undefined || familyOf(own) === familyOf(charset)) return [];
  const [written = ""] = argumentValuesOf(line);
  const corrected = formatWholeLine(
    line,
    line.argumentText.replace(written, () => own.toUpperCase()),
  );
  const shown = `${quoteLine(line)} gives the response \`charset=${charset}\`, which browsers prefer to ${named === undefined ? `the ${own} of the file` : `\`${toReadable(named)}\` in the file`}`;
  return [{ text: shown, line, help: [`use ${quoteWritten(corrected)}`] }];
}

const charsetLines: ReadonlySet<string> = new Set(["adddefaultcharset", "addcharset"]);

/** Returns the name of a character set as browsers compare it: they take ISO-8859-1 and ASCII for windows-1252 (Encoding standard). */
function familyOf(charset: string): string {
  const name = charset.toLowerCase().replace(/[^a-z\d]/g, "");
  return /^(?:iso88591|latin1|usascii|ascii|windows1252|cp1252)$/.test(name) ? "windows1252" : name;
}

/** Reports whether a text in binary has characters beyond ASCII, all of them in UTF-8. */
function isUtf8(text: string): boolean {
  if (text.length > MAX_TEXT || !/[\x80-\xff]/.test(text)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(text, (each) => each.charCodeAt(0)));
    return true;
  } catch {
    return false;
  }
}

const MAX_TEXT = 1_000_000;

/**
 * A type that is the name of a handler, which only mod_php or a similar module provides: without it, httpd sends the file as it is, with
 * this type (server/config.c `ap_invoke_handler`).
 */
export function explainTypeOfModule({ outcome }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status } = outcome;
  const { state, walked } = served ?? {};
  if (status !== 200 || !state || walked?.kind !== "file") return [];
  const type = typeByLine(state, walked.filename);
  const { handler, isHandlerAssumed } = destinationOf(outcome);
  if (!type?.startsWith(HANDLER_TYPE_PREFIX) || (handler !== undefined && !(handler === type && isHandlerAssumed)))
    return [];
  const name = walked.filename.slice(walked.filename.lastIndexOf("/") + 1);
  const [, extension] = /\.(\w+)$/.exec(name) ?? [];
  const line = extension === undefined ? undefined : findLineFor("addtype", extension.toLowerCase(), state.layers);
  const isProgram = extension !== undefined && programExtension.test(extension);
  if (!line || extension === undefined || (isProgram && handler !== undefined)) return [];
  const sends = `httpd sends \`${toReadable(name)}\` as it is, with the type \`${type}\`, and browsers save it`;
  const text =
    handler === undefined
      ? `no module handles the type of ${quoteLine(line)}: ${sends}`
      : `if no module handles the type of ${quoteLine(line)}, ${sends}`;
  if (isProgram) return [{ text, line }];
  const [first = "", ...words] = argumentValuesOf(line);
  const kept = words.filter((word) => programExtension.test(word.replace(/^\./, "")));
  const help =
    kept.length === 0 ? "delete this line" : `use ${quoteWritten(formatWholeLine(line, [first, ...kept].join(" ")))}`;
  return [{ text, line, help: [help] }];
}

/** Extensions of programs. */
const programExtension = /^(?:php\d?|phar|phtml|phps)$/i;
