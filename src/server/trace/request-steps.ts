import type { Directive } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import { conditionOf, isConditionMet } from "../expression/evaluate.js";
import { isVirtualRoot } from "../mapping/virtual-roots.js";
import type { AccessRecorder } from "../model/access-recorder.js";
import { type ConfigLayer, findSetting } from "../model/config-layer.js";
import type { ReadonlyEnvironment } from "../model/environment.js";
import { Oracle } from "../model/oracle.js";
import { type Pass, passesOf } from "../model/pass.js";
import { environmentOf, portOf } from "../model/request.js";
import { addressReaderOf, type Server } from "../model/server.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import type { Note, TraceStep } from "../model/trace-step.js";
import { findNamingLines } from "../request/server-names.js";
import { applySetEnvIf, earlySetterOf } from "../request/setenvif.js";
import type { PassedOverHost } from "../request/vhost-lookup.js";
import type { RewriteResult } from "../rewrite/rewrite-result.js";
import type { RewriteRule } from "../rewrite/rule-parser.js";
import { createLineStep, createStep, quoteLines } from "./step.js";

/**
 * Returns a trace step for each applied rewrite rule of one context, with the lines that determine the rules.
 *
 * @param query the query before
 * @param isFollowed whether httpd redirects internally to the target that the rules set
 */
export function traceRewriting(rewriting: RewriteResult | undefined, query?: string, isFollowed = true): TraceStep[] {
  if (rewriting === undefined) return [];
  const { steps, lines: ownLines, to, disabledBy } = rewriting;
  if (disabledBy) return [createLineStep(disabledBy, "disables the rewrite rules of the server", ownLines)];
  if (to?.kind === "answered" && steps.length === 0)
    return [
      createLineStep(to.by, `returns ${to.status}: httpd does not rewrite if it must not follow links`, ownLines),
    ];
  return steps.map(({ rule, effect, related, details }, index) => {
    const isRedirected = to?.kind === "redirected" && to.by === rule.directive;
    const url = isRedirected ? `${to.path}${rewriting.query === undefined ? "" : `?${rewriting.query}`}` : "";
    // The rule itself writes the path of the directory, which RewriteBase replaces afterwards.
    const location = to?.kind === "answered" && to.by === rule.directive ? to.location : undefined;
    const written = location === undefined ? effect : `rewrites to \`${location}\``;
    const shown = isRedirected ? `${isFollowed ? "redirects internally to" : "sets the target"} \`${url}\`` : written;
    const replaced = to && "by" in to && to.by === rule.directive ? describeQuery(rule, rewriting.query, query) : [];
    const lines = [...related, ...(index === 0 ? ownLines : [])];
    return { ...createLineStep(rule.directive, toReadable(shown), lines), details: [...details, ...replaced] };
  });
}

/** Describes that the query of a rule replaces that of the request (mod_rewrite.c `splitout_queryargs`). */
function describeQuery({ flags, output = "" }: RewriteRule, after: string | undefined, before = ""): readonly string[] {
  if (before === "" || after === before || flags.names.has("qsappend") || !output.includes("?")) return [];
  return [`this replaces the query \`${toReadable(before)}\`, since the rule has no \`QSA\``];
}

/** Returns the RewriteEngine line if one of the variables that it sets was read. */
export function traceScriptUrl(rewriting: RewriteResult | undefined, { variables }: AccessRecorder): TraceStep[] {
  const [engine, ...others] = rewriting?.lines ?? [];
  const isRead = [...variables].some((name) => /^(redirect_)*script_ur[il]$/.test(name));
  return engine && isRead ? [createLineStep(engine, "sets `SCRIPT_URL` and `SCRIPT_URI`", others)] : [];
}

/**
 * Describes the rewrite rules of a section in one clause; they replace the rules of earlier sections.
 *
 * @param used the rules of all sections that apply
 */
export function describeRewriting(
  layer: ConfigLayer,
  used: ReadonlySet<Directive>,
): {
  readonly clauses: readonly string[];
  readonly lines: readonly Directive[];
} {
  const lines = layer.directives.filter(({ key }) => key.startsWith("rewrite"));
  const isUnused = layer.has("rewriterule") && !lines.some((line) => used.has(line));
  const effect = isUnused ? "has rewrite rules that do not apply" : "sets rewrite rules";
  return { clauses: lines.length > 0 ? [`${effect}: ${quoteLines(lines)}`] : [], lines };
}

/** Returns notes for rules that could not be evaluated for a request. */
export function rewriteNotesOf(pass: Pass): Note[] {
  const notes = new Map<Directive, Note>();
  const addFrom = (rewriting: RewriteResult | undefined) => {
    for (const { isNote, rule, effect } of rewriting?.steps ?? [])
      if (isNote && !notes.has(rule.directive))
        notes.set(rule.directive, { directive: rule.directive, text: toReadable(effect) });
  };
  for (const { rewriting } of passesOf(pass)) {
    addFrom(rewriting.url);
    addFrom(rewriting.sections);
  }
  return [...notes.values()];
}

/** Replaces the last step with the final one, if both are of the same line. */
export function mergeFinalStep(steps: readonly TraceStep[], end: TraceStep): TraceStep[] {
  const last = steps.at(-1);
  const isSame = last?.span.file === end.span.file && last.span.start === end.span.start;
  if (last === undefined || !isSame) return [...steps, end];
  return [
    ...steps.slice(0, -1),
    createStep(last, {
      ...{ effect: end.effect, role: end.role, lines: [...last.lines, ...end.lines] },
      details: [...last.details, ...end.details],
    }),
  ];
}

/** Returns the virtual host that handles the request, with the lines that select it; none for the main server. */
export function traceServer({ server, request }: Pass, { project, servers }: SimulationSetup): TraceStep[] {
  const { section } = server;
  if (section === undefined) return [];
  const names = findNamingLines(server, request);
  const bases = !isSince(project.release, "2.4")
    ? servers.main.layer.directives.filter(
        (line) =>
          line.key === "namevirtualhost" &&
          addressReaderOf(project.directives)(line).some(({ port }) => port === 0 || port === portOf(request)),
      )
    : [];
  const [other] = servers.hostsPassedOver(request, server, new Oracle(new Map()));
  const step = createLineStep(section, explainHost(quoteLines(names), request.host, other?.why), names);
  return [...bases.map((line) => createLineStep(line, "enables name-based virtual hosts at this address")), step];
}

const nameSettings = ["servername", "usecanonicalname", "usecanonicalphysicalport"];

/** Returns the lines that determine the target of a directive: the server's names and its ServerPath. */
export function targetLinesOf(by: Directive, { layer, layers }: Server): readonly Directive[] {
  if (isVirtualRoot(by)) return nameSettings.flatMap((key) => findSetting(layers, key) ?? []);
  return by.key === "documentroot" ? [layer.setting("serverpath") ?? []].flat() : [];
}

/** @param why why a host that has the name does not handle the request, if there is one */
function explainHost(names: string, host: string | undefined, why: PassedOverHost["why"] | undefined): string {
  if (names !== "") return `handles the request: ${names} matches the host`;
  const reason = host === undefined ? "the request has no `Host` header" : explainNoName(host, why);
  return `handles the request: the first virtual host at this address, because ${reason}`;
}

function explainNoName(host: string, why: PassedOverHost["why"] | undefined): string {
  const name = `\`${toReadable(host)}\``;
  if (why === undefined) return `none matches ${name}`;
  if (why === "names-not-compared" || why === "later") return `httpd does not compare names here, such as ${name}`;
  return `the one with the name ${name} is for another address or port`;
}

/** A line that changed variables that were read. */
export interface VariableSetter {
  readonly directive: Directive;
  readonly layer: ConfigLayer;
  readonly names: readonly string[];
}

/**
 * Returns the SetEnvIf and similar lines that changed variables that were read, by executing them one by one.
 *
 * @param wanted the variables that were read
 */
export function findSetters(
  { state, walk, request: sent }: Pass,
  wanted: ReadonlySet<string>,
): readonly VariableSetter[] {
  if (wanted.size === 0) return [];
  const { request, path, filename, names, oracle, layers, files, target } = state ?? walk.atServer;
  const env = environmentOf(sent);
  const context = { request, path, env, user: undefined, filename, names, oracle, files, target };
  const holdsFor = (directive: Directive) => {
    const condition = conditionOf(directive);
    return condition !== undefined && isConditionMet(condition, context);
  };
  const found: VariableSetter[] = [];
  for (const layer of layers) {
    for (const directive of layer.directives) {
      const setter = earlySetterOf(directive);
      if (setter === undefined) continue;
      const before = new Map(env);
      applySetEnvIf([setter], request, path, env, oracle, holdsFor);
      const names = changedNames(before, env).filter((name) => wanted.has(name));
      if (names.length > 0) found.push({ directive, layer, names });
    }
  }
  return found;
}

function changedNames(before: ReadonlyEnvironment, after: ReadonlyEnvironment): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name) || before.has(name) !== after.has(name));
}
