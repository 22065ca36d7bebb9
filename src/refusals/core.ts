import { limitsOf, type MethodLimit } from "../access/limits.js";
import type { Release } from "../directives/directives.js";
import type { Directive } from "../project/directive.js";
import { type Fault, quoted } from "./refusal.js";

const optionNames =
  "indexes includes includesnoexec followsymlinks symlinksifownermatch execcgi multiviews runscripts none all".split(
    " ",
  );

/** What the server refuses about Options (server/core.c `set_options`); 2.2 checks only that the options exist. */
export function optionsFault(directive: Directive, release: Release): Fault | undefined {
  let signed = false;
  let whole = false;
  for (const [index, word] of directive.arguments.entries()) {
    const span = directive.spanOf(word);
    const hasSign = /^[+-]/.test(word.value);
    const name = word.value.slice(hasSign ? 1 : 0).toLowerCase();
    if (release === "2.4" && (hasSign ? !signed && index > 0 && !whole : signed)) {
      return {
        server: "Either all Options must start with + or -, or no Option may.",
        wrong: `${quoted(directive.argumentText)} has options with and without a sign`,
        remedy: "give all of them a sign to change what is inherited, or none to replace it",
        span: directive.span,
      };
    }
    signed ||= hasSign;
    if (!optionNames.includes(name)) {
      const isComment = word.value.startsWith("#");
      return {
        server: `Illegal option ${word.value.slice(hasSign ? 1 : 0)}`,
        wrong: isComment ? "a comment behind a directive is read as part of it" : `${quoted(word.value)} is no option`,
        remedy: isComment ? "put the comment on a line of its own" : "correct it or take it out",
        span,
      };
    }
    if (release === "2.4" && (name === "none" || name === "all")) {
      const title = name === "none" ? "None" : "All";
      if (index > 0) {
        const server = `'Options ${title}' must be the first ${name === "none" ? "Option" : "option"} given.`;
        return { server, wrong: `\`${title}\` stands behind other options`, remedy: "let it stand alone", span };
      }
      if (hasSign) {
        const server = `You may not use 'Options +${title}' or 'Options -${title}'.`;
        return { server, wrong: `\`${title}\` takes no sign`, remedy: "write it without", span };
      }
      whole = true;
    }
  }
  return undefined;
}

/** Sections that the server reads by their closing `>`, and which of them may be empty before it. */
const mayBeEmpty = new Set(["<requireall", "<requireany", "<requirenone", "<else"]);
const bracketed = new Set([
  ...mayBeEmpty,
  ..."<directory <directorymatch <location <locationmatch <files <filesmatch <virtualhost".split(" "),
  ..."<limit <limitexcept <if <elseif <authzprovideralias <authnprovideralias".split(" "),
]);

/** What the server refuses about a section's opening line (server/core.c, modules/aaa/mod_authz_core.c). */
export function bracketFault(directive: Directive): Fault | undefined {
  if (!bracketed.has(directive.key)) return undefined;
  const text = directive.argumentText;
  const title = `\`${directive.name}>\``;
  const { span } = directive;
  const close = text.lastIndexOf(">");
  if (close < 0) {
    return {
      server: `${directive.name}> directive missing closing '>'`,
      wrong: `${title} is opened without \`>\``,
      remedy: "add it",
      span,
    };
  }
  if (directive.key.startsWith("<require") && close > 0) {
    return {
      server: `${directive.name}> directive doesn't take additional arguments`,
      wrong: `${title} takes no words, and here stands ${quoted(text.slice(0, close).trim())}`,
      remedy: "take them out",
      span,
    };
  }
  if (close > 0 || mayBeEmpty.has(directive.key)) return undefined;
  return {
    server: `${directive.name}> directive requires additional arguments`,
    wrong: `${title} does not say what it is for`,
    remedy: "add it before the `>`",
    span,
  };
}

/** The methods that httpd knows from the start (modules/http/http_protocol.c `ap_method_registry_init`). */
const builtInMethods =
  "GET HEAD PUT POST DELETE CONNECT OPTIONS TRACE PATCH PROPFIND PROPPATCH MKCOL COPY MOVE LOCK UNLOCK VERSION-CONTROL CHECKOUT UNCHECKOUT CHECKIN UPDATE LABEL REPORT MKWORKSPACE MKACTIVITY BASELINE-CONTROL MERGE".split(
    " ",
  );

/** The method names known so far while reading. */
export class Methods {
  private readonly known = new Set(builtInMethods);

  /** Takes note of a directive that registers names: Limit sections, RegisterHttpMethod, mod_actions' Script. */
  define(directive: Directive, inHtaccess: boolean): void {
    if (inHtaccess) return;
    const { key } = directive;
    const words = directive.arguments;
    if (key === "<limit" || key === "<limitexcept" || key === "registerhttpmethod") {
      for (const word of words) this.known.add(word.value);
    } else if (key === "script" && words[0]) this.known.add(words[0].value);
  }

  has(name: string): boolean {
    return this.known.has(name);
  }
}

/** What the server refuses about the methods of a Limit or LimitExcept section (server/core.c `ap_limit_section`). */
export function limitFault(
  directive: Directive,
  release: Release,
  known: Methods,
  inHtaccess: boolean,
): Fault | undefined {
  const methods = directive.arguments;
  const trace = directive.key === "<limit" ? methods.find((word) => word.value === "TRACE") : undefined;
  if (trace) {
    return {
      server: "TRACE cannot be controlled by <Limit>, see TraceEnable",
      wrong: "`<Limit>` cannot rule the method TRACE",
      remedy: "take it out; `TraceEnable Off` switches it off",
      span: directive.spanOf(trace),
    };
  }
  if (release !== "2.4") return undefined;
  const strange = inHtaccess ? methods.find((word) => !known.has(word.value)) : undefined;
  if (strange) {
    const upper = strange.value.toUpperCase();
    return {
      server: `Could not register method '${strange.value}' for ${directive.name} from .htaccess configuration`,
      wrong: `the server knows no method ${quoted(strange.value)}, and a \`.htaccess\` file cannot make one known`,
      remedy: known.has(upper) ? `write \`${upper}\`: case counts` : "take it out",
      span: directive.spanOf(strange),
    };
  }
  const outer = methodSet(limitsOf(directive));
  const inner = methodSet([
    ...limitsOf(directive),
    { except: directive.key === "<limitexcept", methods: methods.map((word) => word.value) },
  ]);
  const { span } = directive;
  if (!inner.except && inner.methods.size === 0) {
    const server = `${directive.name}> directive excludes all methods`;
    return { server, wrong: "no method is left inside this section", remedy: "take it out of the one around it", span };
  }
  if (inner.except !== outer.except || inner.methods.size !== outer.methods.size) return undefined;
  const server = `${directive.name}> directive specifies methods already excluded`;
  return { server, wrong: "this section changes nothing about the methods", remedy: "take it out", span };
}

/** Nested limits as one set of methods, or as all but a set. */
function methodSet(limits: readonly MethodLimit[]): { except: boolean; methods: ReadonlySet<string> } {
  let except = true;
  let methods: readonly string[] = [];
  for (const limit of limits) {
    const named = limit.methods.map((method) => (method === "HEAD" ? "GET" : method));
    const before = methods;
    if (limit.except) methods = except ? [...before, ...named] : before.filter((method) => !named.includes(method));
    else methods = named.filter((method) => before.includes(method) !== except);
    except &&= limit.except;
  }
  return { except, methods: new Set(methods) };
}

/** What the server refuses about AuthMerging's word. */
export function mergingFault(directive: Directive): Fault | undefined {
  const [word] = directive.arguments;
  if (word === undefined || /^(off|and|or)$/i.test(word.value)) return undefined;
  return {
    server: "AuthMerging must be one of: Off | And | Or",
    wrong: `\`AuthMerging\` is Off, And or Or, not ${quoted(word.value)}`,
    remedy: "write one of them",
    span: directive.spanOf(word),
  };
}

/** What the server refuses about a Listen line: an address and port that is there already (2.4, server/listen.c). */
export class Listeners {
  private readonly lines = new Set<string>();

  fault(directive: Directive): Fault | undefined {
    const word = directive.arguments[0]?.value ?? "";
    const [, host = "", port = ""] = /^(?:(.+):)?(\d+)$/.exec(word) ?? [];
    if (port === "") return undefined;
    const key = `${host === "*" ? "" : host.toLowerCase()}:${Number(port)}`;
    if (!this.lines.has(key)) {
      this.lines.add(key);
      return undefined;
    }
    return {
      server: "Cannot define multiple Listeners on the same IP:port",
      wrong: `${quoted(word)} is listened on already`,
      remedy: "take one of the Listen lines out",
      span: directive.span,
    };
  }
}
