import {
  describeAnswer,
  type ExposedLine,
  type OutsideClient,
  samplePattern,
  witnessOf,
} from "../../src/lint/api/access.js";
import {
  keywordArgumentOf,
  parseRewriteRules,
  readRedirect,
  seesPathsBelow,
} from "../../src/lint/api/configuration.js";
import { quoteText, type Report, toReadable } from "../../src/lint/api/rule.js";
import { fileIn, isLost } from "./missing-target.js";

export const wellKnownMessages = {
  unreached: (path: string, base: string, answer: string, moved: string | undefined, isHost: boolean) => ({
    message: `requests for ${quoteText(path)} never reach this line`,
    notes: [
      answer,
      `clients look for \`/.well-known/\` at the root of a host, and this line applies to URLs below ${quoteText(base)}`,
    ],
    help: [
      moved === undefined
        ? `move the line to the ${isHost ? "virtual host" : "server"}, or to the \`.htaccess\` file of its document root`
        : `add \`${toReadable(moved)}\` to the ${isHost ? "virtual host" : "server"}`,
    ],
  }),
};

/** Directives whose lines may be for `/.well-known/`. */
export const wellKnownDirectives = ["redirect", "redirectmatch", "redirectpermanent", "redirecttemp", "rewriterule"];

/** A line for a path below `/.well-known/`. */
interface WellKnownLine {
  /** A path that the line is for. */
  readonly path: string;
  /** The redirect, if the path and the target are texts. */
  readonly redirect?: { readonly status: number; readonly to: string };
}

/**
 * Finds a line for `/.well-known/`, which RFC 8615 puts at the root of a host, in a directory that no host has as its root.
 */
export function* findUnreachedWellKnown(exposed: ExposedLine, client: OutsideClient): Generator<Report> {
  const { line, scope, server, context } = exposed;
  const base = seesPathsBelow(scope) ? client.findPathInto(scope, server)?.replace(/[^/]*$/, "") : undefined;
  const wellKnown = base === undefined || base === "/" ? undefined : readWellKnown(exposed);
  const directory = base === undefined ? undefined : client.fileAt(server, base)?.replace(/\/+$/, "");
  if (base === undefined || wellKnown === undefined || directory === undefined) return;
  const { path, redirect } = wellKnown;
  if ([...client.urlsOf(`${directory}/x`)].some((each) => each.path === "/x")) return;
  const answer = client.ask(server, { path }, "disk");
  if (answer === undefined || !isLost(answer)) return;
  const isFile = (url: string) => context.files?.kindOf(client.fileAt(server, url) ?? "") === "file";
  const file = fileIn(redirect?.to ?? "");
  const own = file && `${base}${file.slice(file.lastIndexOf("/") + 1)}`;
  const to =
    own !== undefined && file && !isFile(file) && isFile(own) ? own + redirect?.to.slice(file.length) : redirect?.to;
  const moved = redirect && `Redirect ${redirect.status} ${path} ${to}`;
  yield {
    message: wellKnownMessages.unreached(path, base, describeAnswer(answer), moved, server.section !== undefined),
    span: line.span,
    witness: witnessOf(answer),
  };
}

function readWellKnown({ line, scope }: ExposedLine): WellKnownLine | undefined {
  const redirect = readRedirect(line, true);
  if (redirect) {
    const { from, to, status } = redirect;
    const path = line.key === "redirectmatch" ? samplePattern(from ?? "") : from;
    if (path === undefined || !wellKnownPath.test(path)) return undefined;
    return { path, ...(line.key !== "redirectmatch" && to !== undefined ? { redirect: { status, to } } : {}) };
  }
  const isOn = scope.directives.some((each) => each.key === "rewriteengine" && keywordArgumentOf(each) === "on");
  const [rule] = isOn ? parseRewriteRules([line]) : [];
  if (rule === undefined || rule.isNegated || !/^\^\(?\/?\\?\.well-known\b/.test(rule.pattern)) return undefined;
  // A dot that is not escaped is meant, too.
  const path = `/${(samplePattern(rule.pattern.replace(/\\?\./, "\\.")) ?? "").replace(/^\//, "")}`;
  const { output = "", flags } = rule;
  if (!wellKnownPath.test(path)) return undefined;
  const isPlain =
    flags.names.has("redirect") && /^\/[\w./-]*$/.test(output) && /^\^\/?[\w/-]*\\?\.[\w/-]+$/.test(rule.pattern);
  return { path, ...(isPlain ? { redirect: { status: flags.status, to: output } } : {}) };
}

const wellKnownPath = /^\/\.well-known\/[\w.~-]/;
