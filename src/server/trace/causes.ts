import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import { findDirectiveFacts, isAllowedIn } from "../../facts/directives.js";
import { isSince, nameRelease } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import { formatCount } from "../../text/words.js";
import { isLegacyDirective } from "../access/lines-of-24.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf, type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import { type Pass, passesOf, restartsOf } from "../model/pass.js";
import { headerOf, type Request, targetOfRequest } from "../model/request.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import { findExtendedHost } from "../phases/backend-modules.js";
import { backendOf } from "../phases/handler.js";
import { DEFAULT_FIELD_SIZE, longestHeaderOf } from "../phases/request-limits.js";
import { findEncodedSlashLine, normalizePath, slashRulesOf } from "../request/url-normalization.js";
import { listUsedRules } from "../rewrite/rule-merging.js";
import { mergeOptions } from "../sections/options.js";
import type { DirectoryWalk } from "../walk/directory-walk.js";
import { backendWithoutTls } from "./backend-causes.js";
import { explainHiddenFile, explainMissingIndex, findMissingLoopTarget } from "./file-causes.js";
import { overrideLinesOf } from "./htaccess-steps.js";
import type { OutcomeAt } from "./miss.js";
import { overrideWordsFor } from "./override-words.js";
import { nameDirectory } from "./own-directory.js";
import { explainUnexecutable } from "./program-causes.js";
import { sideEffectsOf, withEndFlag } from "./side-effects.js";
import { explainSimilarName } from "./similar-names.js";
import { formatWholeLine, nameServer, quoteLine, quoteLines, quoteWritten } from "./step.js";
import { explainUserDirectory } from "./user-directory-causes.js";
import { withOption, withoutOption } from "./written-lines.js";

/** The run that an answer is from. */
export interface ExplainedRun {
  readonly outcome: RequestOutcome;
  readonly request: Request;
  readonly files: FileTree;
  readonly project: Project;
  readonly outcomeAt: OutcomeAt;
}

/**
 * Returns what a reader has to know of the lines and defaults that cause a result: the facts that neither the status nor
 * the deciding line shows.
 */
export function causesOf(run: ExplainedRun): readonly Cause[] {
  const isError = run.outcome.status >= 400 || (run.outcome.accessStatus ?? 0) >= 400;
  const ofErrors = isError ? finders.flatMap((find) => find(run)) : foundVariant(run);
  return [...ofErrors, ...sideEffectsOf(run, isError)];
}

const finders: readonly ((run: ExplainedRun) => readonly Cause[])[] = [
  encodedSlash,
  missingOption("execcgi", "ExecCGI", ["AH02809", "AH01262"]),
  explainUserDirectory,
  explainHiddenFile,
  explainSimilarName,
  explainMissingIndex,
  missingOption("indexes", "Indexes", ["AH01276"]),
  missingOption("followsymlinks", "FollowSymLinks", ["AH00670"]),
  unfollowedLink,
  extendedHost,
  backendWithoutTls,
  explainUnexecutable,
  missingSlash,
  directoryWithHandler,
  surplusPath,
  missingVariants,
  rounds,
  restarts,
  rejectedFile,
  bodyLimit,
  headerLimit,
];

/** A `%2f` that AllowEncodedSlashes rejects (server/request.c `ap_process_request_internal`). */
function encodedSlash({ outcome, request, project: { release } }: ExplainedRun): readonly Cause[] {
  const { isRejectedEarly, layers, status, accessStatus = status } = outcome;
  if (!isRejectedEarly || accessStatus !== 404 || !/%2f/i.test(request.path)) return [];
  const rules = slashRulesOf(layers);
  const resolved = normalizePath(request.path, release, { ...rules, encoded: "resolved" });
  if (rules.encoded !== "refused" || "status" in resolved) return [];
  const { applied, notInherited } = findEncodedSlashLine(layers);
  const text = applied
    ? `${quoteLine(applied)} rejects \`%2f\` in a path`
    : "`AllowEncodedSlashes` is `Off` by default, which rejects `%2f` in a path";
  const { section } = outcome.pass?.server ?? {};
  const host = section ?? findHostSection(layers);
  if (notInherited) {
    const help = [`add ${quoteLine(notInherited)} to ${nameServer(host)}`];
    const inherited = `this virtual host does not inherit ${quoteLine(notInherited)}`;
    return [{ text }, { text: inherited, line: host ?? notInherited, help }];
  }
  const written = quoteWritten("AllowEncodedSlashes NoDecode");
  const help = applied ? `use ${written}` : `add ${written} to ${nameServer(host)}`;
  return [{ text, line: applied ?? host, help: [`${help}; with \`On\`, httpd decodes \`%2f\` as well`] }];
}

/** Returns the section of the virtual host whose configurations apply. */
function findHostSection(layers: readonly ConfigLayer[]): Directive | undefined {
  return layers.map(({ section }) => section).find((section) => section?.key === "<virtualhost");
}

/** An option that the handler needs, by the messages about it. */
function missingOption(
  key: string,
  word: string,
  messages: readonly string[],
): (run: ExplainedRun) => readonly Cause[] {
  return ({ outcome: { log, reason, pass, served }, project }) => {
    const last = served ?? pass;
    const layers = last?.state?.layers;
    if (
      ![...log, reason?.code ?? ""].some((code) => messages.includes(code)) ||
      last === undefined ||
      layers === undefined
    )
      return [];
    const cause = causeOfOption(layers, project, key, word);
    if (!helpsWith(key, last)) return [cause];
    const help = cause.line
      ? `use ${quoteWritten(withOption(cause.line, word))}`
      : `add ${quoteWritten(`Options +${word}`)} to ${nameDirectory(last)}`;
    return [{ ...cause, help: [help] }];
  };
}

/** Reports whether an option changes the answer as intended: no directory is run as a program, and a listing is for no index file. */
function helpsWith(key: string, { walked, state }: Pass): boolean {
  if (walked?.kind !== "directory" || state === undefined) return key !== "execcgi" || walked?.kind === "file";
  const isOff = keywordArgumentOf(state.config.setting("directoryslash")) === "off";
  return key === "indexes" ? !isOff || state.path.endsWith("/") : key !== "execcgi";
}

/** A symbolic link that is broken, or that Options does not allow (server/request.c `resolve_symlink`). */
function unfollowedLink({ outcome: { pass }, files, project }: ExplainedRun): readonly Cause[] {
  const last = pass && passesOf(pass).find(({ walked }) => walked?.unfollowed !== undefined);
  if (last?.walked === undefined) return [];
  const { walked, walk } = last;
  const shown = `\`${nativePath(toReadable(walked.filename))}\``;
  if (files.kindOf(walked.filename, true) === "missing")
    return [{ text: `the symbolic link ${shown} leads to nothing`, help: ["correct the link, or delete it"] }];
  const layers = [...walk.serverLayers, ...walked.layers];
  if (mergeOptions(layers, project).has("followsymlinks")) return [];
  const { text, line } = causeOfOption(layers, project, "followsymlinks", "FollowSymLinks");
  const help = line
    ? `use ${quoteWritten(withOption(line, "FollowSymLinks"))}`
    : `add ${quoteWritten("Options +FollowSymLinks")} to ${nameDirectory(last)}`;
  return [{ text: `${shown} is a symbolic link; ${text}`, line, help: [help] }];
}

/** Returns why an option is off: the last line that removes it or replaces all options, or that no line sets it. */
function causeOfOption(layers: readonly ConfigLayer[], project: Project, key: string, word: string): Cause {
  for (const [index, layer] of [...layers.entries()].toReversed()) {
    const line = layer.setting("options");
    const words = line ? argumentValuesOf(line).map((each) => each.toLowerCase()) : [];
    if (line === undefined || words.length === 0) continue;
    if (words.includes(`-${key}`)) return { text: `${quoteLine(line)} disables \`${word}\``, line };
    if (/^[+-]/.test(words[0] ?? "")) continue;
    if (!mergeOptions(layers.slice(0, index), project).has(key))
      return { text: `${quoteLine(line)} does not include \`${word}\``, line };
    const why = "its words have no `+` or `-`, so it replaces the inherited options";
    return { text: `${quoteLine(line)} disables \`${word}\`: ${why}`, line };
  }
  return { text: `no \`Options\` line sets \`${word}\`, and it is off by default` };
}

/** A path that extends the host of a backend (mod_proxy's `ap_proxy_determine_connection`). */
function extendedHost({ outcome: { log, pass, served = pass } }: ExplainedRun): readonly Cause[] {
  const isRefused = log.includes("AH00898") || log.includes("AH01144");
  const backend = isRefused && served ? backendOf(served) : undefined;
  const host = backend && findExtendedHost(backend);
  if (backend === undefined || host === undefined) return [];
  const kind = /^proxy:balancer:/i.test(backend.target) ? "balancer" : "host";
  const text = `no slash is between the target and the rest of the path, so the ${kind} is \`${toReadable(host)}\``;
  const words = argumentValuesOf(backend.by);
  const [from = "", to = ""] = words;
  const isPlain = backend.by.key === "proxypass" && from.endsWith("/") && /^[a-z]+:\/\/[^/]+$/i.test(to);
  const corrected = formatWholeLine(
    backend.by,
    backend.by.argumentText.replace(to, () => `${to}/`),
  );
  return [{ text, line: backend.by, ...(isPlain ? { help: [`use ${quoteWritten(corrected)}`] } : {}) }];
}

/** A directory that is not redirected to its path with a slash, so that no index file is searched (mod_dir.c `fixup_dir`). */
function missingSlash({ outcome: { pass, log, reason, status } }: ExplainedRun): readonly Cause[] {
  const { state, walked } = pass ?? {};
  if (walked?.kind !== "directory" || !state || state.path.endsWith("/")) return [];
  if (status !== 404 && !log.includes("AH01276") && reason?.code !== "AH01276") return [];
  const line = state.config.setting("directoryslash");
  if (keywordArgumentOf(line) !== "off" || line === undefined) return [];
  const text = `${quoteLine(line)} disables the redirect to \`${toReadable(state.path)}/\`; without the slash, httpd searches no index file`;
  return [{ text, line, help: [`use ${quoteWritten(`${line.name} On`)}`] }];
}

/**
 * A directory for which no index file is searched, because it has a handler (mod_dir.c `fixup_dir`), and which mod_cgi does not run.
 * 2.4.9 does so only with DirectoryCheckHandler.
 */
function directoryWithHandler({ outcome, project: { release } }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, log, reason, by } = outcome;
  const [line] = by;
  const isProgram = [...log, reason?.code].some((code) => code === "AH01265" || code === "AH02812");
  if (!isProgram || line === undefined || served?.index !== undefined) return [];
  const check = served?.state?.config.setting("directorycheckhandler");
  const who = !isSince(release, "2.4") ? nameRelease(release) : check && `with ${quoteLine(check)}, httpd`;
  if (who === undefined || served?.path.endsWith("/") !== true) return [];
  const sets = line.key.endsWith("handler") ? "sets" : "gives it";
  const text = `${who} looks for no index file in a directory that has a handler: ${quoteLine(line)} ${sets} \`cgi-script\``;
  return [{ text, line }];
}

/** A path after a file (server/core.c `default_handler`; mod_cgi.c `cgi_handler`). */
function surplusPath({ outcome }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status } = outcome;
  const { state, walked, mapping } = served ?? {};
  if (status !== 404 || !state || walked?.kind !== "file" || mapping?.kind !== "file") return [];
  const rest = mapping.filename.slice(walked.filename.length);
  if (rest === "") return [];
  const line = state.config.setting("acceptpathinfo");
  const shown = `\`${nativePath(toReadable(walked.filename))}\` is a file, and \`${toReadable(rest)}\` follows it in the path`;
  return [
    { text: shown },
    line
      ? { text: `${quoteLine(line)} applies`, line, help: [`use ${quoteWritten(`${line.name} On`)}`] }
      : {
          text: "by default, `AcceptPathInfo` allows such a path for programs only",
          help: [
            `if the file is to answer, add ${quoteWritten("AcceptPathInfo On")} to ${served ? nameDirectory(served) : "its section"}`,
          ],
        },
  ];
}

/** Files that MultiViews would find for a missing name (mod_negotiation.c `handle_multi`). */
function missingVariants({ outcome, files }: ExplainedRun): readonly Cause[] {
  const { pass, served = pass, status } = outcome;
  const { state, walked, mapping } = served ?? {};
  if (status !== 404 || !state || walked?.kind !== "missing" || mapping?.kind !== "file") return [];
  if (walked.filename !== mapping.filename || mergeOptions(state.layers, state.project).has("multiviews")) return [];
  const at = walked.filename.lastIndexOf("/");
  const name = walked.filename.slice(at + 1);
  const entries = name === "" ? [] : (files.list?.(walked.filename.slice(0, at)) ?? []);
  const found = entries.filter((each) => each.name.startsWith(`${name}.`) && each.kind !== "directory");
  const [first] = found.map((each) => each.name).sort();
  if (first === undefined) return [];
  const others = found.length > 1 ? ` and ${formatCount(found.length - 1, "file")} more` : "";
  const option = causeOfOption(state.layers, state.project, "multiviews", "MultiViews");
  return [
    { text: `\`${toReadable(first)}\`${others} in this directory would match with \`Options MultiViews\`` },
    option,
  ];
}

/** A file that MultiViews chose for another name (mod_negotiation.c `handle_multi`). */
function foundVariant({ outcome: { pass, status } }: ExplainedRun): readonly Cause[] {
  const { path, variant, state } = pass ?? {};
  const line = findSetting(state?.layers ?? [], "options");
  if (status !== 200 || path === undefined || !variant?.walked || line === undefined) return [];
  const file = nativePath(toReadable(variant.walked.filename));
  const hasRules = listUsedRules(state?.groups ?? []).size > 0;
  const text = `\`MultiViews\` chooses \`${file}\` for \`${toReadable(path)}\``;
  if (!hasRules) return [{ text, line }];
  const help = [`use ${quoteWritten(withoutOption(line, "MultiViews"))}`];
  return [{ text: `${text}, before the rules of its directory run`, line, help }];
}

/** The URLs of an endless loop of internal redirects (server/core.c `ap_is_recursion_limit_exceeded`). */
function rounds(run: ExplainedRun): readonly Cause[] {
  const {
    outcome: { log, pass, status },
    request,
    project: { release },
  } = run;
  if (pass === undefined || status !== 500) return [];
  const passes: Pass[] = [];
  for (let each: Pass | undefined = pass; each; each = each.next?.pass) passes.push(each);
  const isLoop = log.includes("AH00124") || (log.length === 0 && passes.length > SHOWN_ROUNDS);
  const repeated = passes.findLast(({ next }) => next)?.next?.by;
  if (!isLoop || repeated === undefined) return [];
  const urls = [targetOfRequest(request.sent ?? request), ...passes.slice(1).map(({ path }) => path)];
  const shown = urls.slice(0, SHOWN_ROUNDS + 1).map((url) => `\`${toReadable(url)}\``);
  const rest = urls.length > shown.length ? " → …" : "";
  const isGrowing = new Set(urls).size === urls.length;
  const words = isGrowing ? "each round changes the URL again" : "the URL returns to one before";
  const text = `${words}: ${shown.join(" → ")}${rest}; httpd stops after ${formatCount(passes.length - 1, "round")}`;
  const missing = findMissingLoopTarget(run, repeated);
  if (missing) return [{ line: repeated, ...missing, text: `${text}; ${missing.text}` }];
  const help =
    repeated.key === "rewriterule" && isSince(release, "2.4")
      ? { help: [`to run the rules only once, use ${quoteWritten(withEndFlag(repeated))}`] }
      : {};
  return [{ text, line: repeated, ...help }];
}

const SHOWN_ROUNDS = 3;

/** A header that is longer than LimitRequestFieldSize allows (server/protocol.c `ap_get_mime_headers_core`). */
function headerLimit({ outcome: { reason, by }, request }: ExplainedRun): readonly Cause[] {
  if (reason?.code !== "AH00561") return [];
  const [line] = by;
  const length = longestHeaderOf(request);
  let limit = DEFAULT_FIELD_SIZE;
  while (limit < length) limit *= 2;
  const written = quoteWritten(`LimitRequestFieldSize ${limit}`);
  const text = `the longest header of the request has ${formatCount(length, "byte")}`;
  const [help, place] = line ? ["use", ""] : ["add", " before the virtual hosts"];
  return [{ text, line, help: [`${help} ${written}${place}`] }];
}

/** A body that is longer than LimitRequestBody, or its default, allows (modules/http/http_filters.c `ap_http_filter`). */
function bodyLimit({ outcome, request, project: { release } }: ExplainedRun): readonly Cause[] {
  const { status, replacedBy = [], layers, pass } = outcome;
  const line = replacedBy.findLast(({ key }) => key === "limitrequestbody");
  const length = headerOf(request, "Content-Length") ?? "";
  if (status !== 413 || !/^\d+$/.test(length)) return [];
  const written = quoteWritten(`LimitRequestBody ${length}`);
  const toAllow = "to allow a body of this length";
  const sent = `the body has ${length} bytes (\`Content-Length\`)`;
  if (line === undefined) {
    if (!pass || outcome.by.length > 0) return [];
    return [
      {
        text: `${sent}, more than 1 GiB, the default of \`LimitRequestBody\``,
        help: [`${toAllow}, add ${written} to ${nameDirectory(pass)}`],
      },
    ];
  }
  const isOnly = layers.flatMap((layer) => layer.pick(bodyLimits)).every((each) => each === line);
  const isBelowDefault = Number(length) <= 2 ** 30;
  const byDefault = isSince(release, "2.4")
    ? "the default limit is 1 GiB since 2.4.54, and none before"
    : "by default, 2.2 accepts any length";
  const deletion = isOnly && (isBelowDefault || !isSince(release, "2.4")) ? [`or delete the line: ${byDefault}`] : [];
  return [
    { text: `${sent}, and ${quoteLine(line)} allows fewer`, line, help: [`${toAllow}, use ${written}`, ...deletion] },
  ];
}

const bodyLimits: ReadonlySet<string> = new Set(["limitrequestbody"]);

/** The URLs of rules with the flag N that restart for ever (mod_rewrite.c `apply_rewrite_list`). */
function restarts({ outcome: { pass } }: ExplainedRun): readonly Cause[] {
  return restartsOf(pass).map(({ loop: { urls, rounds, isTooLong }, by }) => {
    const isGrowing = new Set(urls).size === urls.length;
    const words = isGrowing ? "each round changes the URL again" : "the URL returns to one before";
    const shown = urls.slice(0, SHOWN_ROUNDS + 1).map((url) => `\`${toReadable(url)}\``);
    const why = isTooLong ? ", when the URL is too long" : "";
    return {
      text: `${words}: ${shown.join(" → ")} → …; httpd stops after ${formatCount(rounds, "round")}${why}`,
      line: by,
    };
  });
}

/** A `.htaccess` file with an error, or with a line that AllowOverride does not allow. */
function rejectedFile({ outcome: { pass }, project }: ExplainedRun): readonly Cause[] {
  for (const each of pass ? passesOf(pass) : []) {
    const refused = each.walked?.refused;
    if (refused === undefined) continue;
    const found = each.walked?.htaccess.find(({ file }) => file === refused.file);
    const { directive, problem, span } = refused.refusal;
    // A check says where such a line belongs; no AllowOverride allows it.
    if (directive !== undefined && isNeverInHtaccess(directive, project)) return [{ text: problem, rejected: span }];
    const file = `\`${toReadable(nativePath(refused.file.tree.source.path))}\``;
    const isByOverride = refused.cause === "override" && directive === refused.disallowed;
    const lines = isByOverride && found ? overrideLinesOf(each, found.level).filter(isOverrideLine) : [];
    const by = lines.length > 0 ? ` (${quoteLines(lines)} applies)` : " (no `AllowOverride` line applies)";
    const [line] = lines;
    const module = refused.cause === "unknown" ? findUnloadedModule(directive, project) : undefined;
    const why = module === undefined ? "" : `; ${module} defines it, but no \`LoadModule\` line loads that module`;
    const text = `${file}: ${problem}${isByOverride ? by : ""}${why}`;
    if (isByOverride) return [{ text, ...(line ? { line } : {}), help: helpForOverride(refused, line) }];
    if (module === undefined || directive === undefined) return [{ text, rejected: span, ...(line ? { line } : {}) }];
    const load = `add a \`LoadModule\` line for \`${module.replace(/^mod_/, "")}_module\``;
    const others = isLegacyDirective(directive)
      ? ["or replace the lines by `Require` lines: run `httpd-lint migrate`"]
      : [];
    return [{ text, line: directive, help: [load, ...others], stays: true }];
  }
  return [];
}

/** Reports whether a directive of httpd is never allowed in a `.htaccess` file, whichever modules are loaded. */
function isNeverInHtaccess({ key }: Directive, { release }: Project): boolean {
  const facts = findDirectiveFacts(release, key);
  return facts.length > 0 && facts.every((each) => !isAllowedIn(each, "htaccess"));
}

/** Returns what to do so that a file may have all of its lines, or does not have the one that is not allowed. */
function helpForOverride(
  { file, disallowed }: NonNullable<DirectoryWalk["refused"]>,
  by: Directive | undefined,
): readonly string[] {
  const written = quoteWritten(`AllowOverride ${overrideWordsFor(file, by).join(" ")}`);
  const folder = nativePath(toReadable(file.directory.replace(/(?<=.)\/+$/, "")));
  const allow = by?.key === "allowoverride" ? `use ${written}` : `add ${written} to \`<Directory "${folder}">\``;
  return [
    `to allow it, ${allow}`,
    ...(disallowed ? [`or delete the lines that are not allowed: ${quoteLine(disallowed)} is the first`] : []),
  ];
}

/** Returns the manual's name of the module that defines an unknown directive, if it is one of httpd. */
function findUnloadedModule(directive: Directive | undefined, { release, modules }: Project): string | undefined {
  const facts = directive && findDirectiveFacts(release, directive.key.replace(/^</, ""));
  const [first] = facts?.filter(({ manualOnly }) => !manualOnly) ?? [];
  const isLoaded = first === undefined || modules.provides(first);
  return isLoaded ? undefined : first.module;
}

function isOverrideLine({ key }: Directive): boolean {
  return key.startsWith("allowoverride");
}
