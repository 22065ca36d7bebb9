import type { Directive, Scope } from "../../src/lint/api/configuration.js";
import { getOrCreate, quoteText, type Report } from "../../src/lint/api/rule.js";

export const sharedWorkerMessages = {
  sharedWorker: (parameter: string, url: string) => ({
    message: `\`ProxyPass\` ignores ${quoteText(parameter)}: the backend is that of an earlier line`,
    notes: [
      `backends below ${quoteText(url)} share the connections and parameters of the first line`,
      "httpd warns at start (AH01146)",
    ],
    help: ["set the parameter on the first line, or put the longer URL first"],
  }),
};

const labels = { first: "the backend is defined here" };

/** The arguments of ProxyPass in server context; in a section, the path is that of the section. */
interface ProxyPassLine {
  readonly url: string;
  /** As written: `timeout=5`. */
  readonly parameters: readonly string[];
  readonly directive: Directive;
}

/** The backends that ProxyPass lines define, by server (modules/proxy/mod_proxy.c `add_pass`). */
export class SharedWorkers {
  private readonly byServer = new Map<Directive | undefined, ProxyPassLine[]>();

  /** Returns reports for the parameters of a line that its server ignores, because an earlier line defines its backend. */
  check(directive: Directive, scope: Scope): readonly Report[] {
    const line = readLine(directive);
    if (line === undefined) return [];
    const lines = getOrCreate(this.byServer, hostOf(scope), () => []);
    const first = lines.filter(({ url }) => isPrefix(url, line.url)).toSorted(byLength)[0];
    if (first === undefined) {
      lines.push(line);
      return [];
    }
    const different = line.parameters.filter((each) => !first.parameters.includes(each));
    const related = [{ message: labels.first, span: first.directive.span }];
    return directive.arguments
      .filter(({ value }) => different.includes(value))
      .map((word) => ({
        message: sharedWorkerMessages.sharedWorker(word.value, first.url),
        span: directive.spanOf(word),
        related,
      }));
  }
}

function readLine(directive: Directive): ProxyPassLine | undefined {
  const words = directive.arguments.map(({ value }) => value);
  const at = words.findIndex((word) => /^[a-z][a-z0-9+.-]*:\/\//i.test(word));
  const url = words[at]?.replace(/^[^/]*\/\/[^/]*/, (origin) => origin.toLowerCase());
  // A pattern, a balancer or an unknown part.
  if (url === undefined || words[0] === "~" || /^balancer:|[${]/.test(url)) return undefined;
  return { url, parameters: words.slice(at + 1).filter((word) => word.includes("=")), directive };
}

/** Returns whether the backend of a URL is the one that serves another: its URL starts with it. */
function isPrefix(url: string, other: string): boolean {
  const prefix = url.endsWith("/") ? url : `${url}/`;
  return `${other}/`.startsWith(prefix);
}

function byLength({ url: a }: ProxyPassLine, { url: b }: ProxyPassLine): number {
  return b.length - a.length;
}

/** Returns the virtual host that a scope belongs to; undefined for the main server. */
function hostOf(scope: Scope): Directive | undefined {
  for (let outer: Scope | undefined = scope; outer; outer = outer.parent)
    if (outer.section?.key === "<virtualhost") return outer.section;
  return undefined;
}
