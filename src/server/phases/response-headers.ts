import { parseStringExpression } from "../../../grammar/expression/expression.js";
import type { Directive } from "../../config/model/directive.js";
import { addsHeader, type HeaderLine, parseHeaderLine } from "../../config/queries/response-headers.js";
import { isSince } from "../../facts/release.js";
import { memoize } from "../../text/memoize.js";
import { quoteText } from "../../text/words.js";
import { type AccessState, holdsForRequest } from "../access/access-state.js";
import { conditionOf, evaluateString } from "../expression/evaluate.js";
import { argumentValuesOf, type ConfigLayer } from "../model/config-layer.js";
import type { Oracle } from "../model/oracle.js";
import { mainPassesOf, type Pass } from "../model/pass.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { RequestContext } from "../model/simulation-setup.js";
import { unknownFact } from "../model/unknown-facts.js";
import { isUnknown } from "../model/unknown-value.js";
import { findProtocolOption } from "../request/protocol-options.js";
import { collectLateVariables } from "../request/setenvif.js";

/** A response header that the server does not send: it returns 500 instead. */
export interface HeaderFault {
  readonly by: Directive;
  /** The message in the error log; undefined if it depends on the value. */
  readonly errorMessage: string | undefined;
}

/** The part of a response that determines its headers. */
type HeadedResponse = Pick<RequestOutcome, "layers" | "pass">;

const headerNames: ReadonlySet<string> = new Set(["header"]);

/** Returns the Header lines of some configurations, in the order in which they apply. */
export function listHeaderLinesIn(layers: readonly ConfigLayer[]): readonly HeaderLine[] {
  return layers.flatMap((layer) => layer.pick(headerNames).map(lineOf));
}

const lineOf = memoize((directive: Directive): HeaderLine => parseHeaderLine(directive, false));

/**
 * Returns the first header of mod_headers in a response that the server refuses to send: its name is not a token, or its
 * value has a control character (modules/http/http_filters.c `check_headers`). 2.2 sends any header.
 *
 * @param isError whether the server itself makes the response to an error or a redirect: it has only `always` headers
 * @param hasEarlyHeaders whether early lines have run
 */
export function findInvalidHeader(
  { setup, server, oracle }: RequestContext,
  { layers, pass }: HeadedResponse,
  isError: boolean,
  hasEarlyHeaders = true,
): HeaderFault | undefined {
  const { release, modules } = setup.project;
  if (!isSince(release, "2.4") || !modules.has("headers_module")) return undefined;
  // Then names may have any visible character.
  const isUnsafe = findProtocolOption(server.layers, "unsafe", "strict") !== undefined;
  const all = layers.flatMap((layer) => layer.pick(headerNames));
  const suspects = new Set(all.map(lineOf).flatMap((line) => (isSuspect(line, isUnsafe) ? [line.name] : [])));
  if (suspects.size === 0) return undefined;
  const last = pass && mainPassesOf(pass)[0];
  const isEarly = ({ condition }: HeaderLine) => condition?.toLowerCase() === "early";
  // Sections are unknown when early lines run. An internal redirect keeps only their `always` headers.
  const early = server.layers.flatMap((layer) => layer.pick(headerNames).map(lineOf)).filter(isEarly);
  const lines = [
    ...(hasEarlyHeaders ? early.filter(({ isAlways }) => isAlways || pass === last) : []),
    ...all.map(lineOf).filter((line) => !isEarly(line)),
  ].filter(({ name, isAlways }) => suspects.has(name) && (isAlways || !isError));
  const tables = {
    always: new HeaderTable(isUnsafe, oracle, last),
    success: new HeaderTable(isUnsafe, oracle, last),
  };
  // The response to an error starts with the `always` headers as its own (`ap_send_error_response`).
  const isOwn = (line: HeaderLine) => !line.isAlways || (isError && isEarly(line));
  for (const line of lines) tables[isOwn(line) ? "success" : "always"].apply(line);
  return tables.success.fault ?? tables.always.fault;
}

/** Returns the name of the header that a line may make invalid, in lower case; undefined if it cannot. */
export function findSuspectName(directive: Directive): string | undefined {
  const line = lineOf(directive);
  return isSuspect(line, false) ? line.name : undefined;
}

function isInvalidName(name: string, isUnsafe: boolean): boolean {
  return isUnsafe ? !/^[!-~\x80-\xff]+$/.test(name) : !/^[\w!#$%&'*+.^`|~-]+$/.test(name);
}

function isSuspect(line: HeaderLine, isUnsafe: boolean): boolean {
  if (line.action.startsWith("edit")) return hasInvalidText(line.replacement ?? "");
  return (
    addsHeader(line) && (isInvalidName(line.name, isUnsafe) || isInvalidEncoding(line) || hasInvalidText(line.value))
  );
}

/** Reports whether a line sets an encoding of the message whose end a client could not find (http_filters.c `check_headers`). */
function isInvalidEncoding({ name, value }: HeaderLine): boolean {
  return name === "transfer-encoding" && !/(?:^|[,\s])chunked\s*$/i.test(value);
}

/** Functions that may return control characters, and variables with the decoded path. */
const decodingFunctions =
  /\b(?:unescape|unbase64|file|(?:REQUEST_|DOCUMENT_)?URI|\w+_FILENAME|PATH_\w+|CONTEXT_\w+|(?:req)?env)\b/i;

/** Reports whether a value has a control character, or may have one because of a function. */
function hasInvalidText(value: string): boolean {
  if (value.startsWith("expr=")) return hasControls(value) || decodingFunctions.test(value);
  return hasControls(value.replace(/\\([rnt])/g, (_, letter: string) => (letter === "t" ? "\t" : "\n")));
}

/** Reports whether a text has a control character other than a tab. */
export function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the server looks for these characters.
  return /[\0-\x08\n-\x1f\x7f]/.test(text);
}

/** The headers that one kind of lines sets, as far as they may be invalid. */
class HeaderTable {
  /** The fault of each header that is set; undefined if it is valid. */
  private readonly headers = new Map<string, HeaderFault | undefined>();

  constructor(
    private readonly isUnsafe: boolean,
    private readonly oracle: Oracle,
    private readonly pass: Pass | undefined,
  ) {}

  get fault(): HeaderFault | undefined {
    return [...this.headers.values()].find((each) => each !== undefined);
  }

  /** Applies a line as mod_headers does (`do_headers_fixup`). */
  apply(line: HeaderLine): void {
    const { headers, oracle } = this;
    const { action, name, directive } = line;
    const isEdit = action.startsWith("edit");
    if ((!isEdit && action !== "unset" && !addsHeader(line)) || !this.holds(line)) return;
    const text = quoteText(`${directive.name} ${directive.argumentText}`);
    if (action === "unset") headers.delete(name);
    else if (isEdit) {
      const isBad = isSuspect(line, this.isUnsafe);
      if ((isBad || headers.get(name)) && oracle.ask(unknownFact("changes-header", text)))
        headers.set(name, isBad ? this.valueFault(directive) : undefined);
    } else if (action !== "setifempty" || !headers.has(name)) {
      const fault = this.faultOf(line);
      if (fault || action === "set" || !headers.has(name)) headers.set(name, fault);
    }
  }

  private faultOf(line: HeaderLine): HeaderFault | undefined {
    const { directive, name, value } = line;
    if (isInvalidName(name, this.isUnsafe)) {
      const written = argumentValuesOf(directive).find((word) => word.toLowerCase().startsWith(name)) ?? name;
      const errorMessage = `AH02429: Response header name '${written.slice(0, name.length)}' contains invalid characters, aborting request`;
      return { by: directive, errorMessage: /^[ -~]*$/.test(name) ? errorMessage : undefined };
    }
    if (isInvalidEncoding(line)) return this.valueFault(directive);
    if (!hasInvalidText(value)) return undefined;
    return value.startsWith("expr=") && !this.isInvalidResult(value.slice("expr=".length), directive)
      ? undefined
      : this.valueFault(directive);
  }

  private valueFault(directive: Directive): HeaderFault {
    return { by: directive, errorMessage: undefined };
  }

  /** Reports whether the value of an expression has a control character. */
  private isInvalidResult(text: string, directive: Directive): boolean {
    const { state } = this.pass ?? {};
    const parsed = parseStringExpression(text);
    const value =
      state && parsed.ok ? evaluateString(parsed.value.expression, { ...state, user: userOf(this.pass) }) : undefined;
    if (value !== undefined) return hasControls(value);
    return this.oracle.ask(unknownFact("controls-in-header", quoteText(`${directive.name} ${directive.argumentText}`)));
  }

  /** Reports whether a line applies to the response. */
  private holds({ directive, condition = "early" }: HeaderLine): boolean {
    const { pass } = this;
    return (
      isConditionMet({ directive, condition }, pass, pass?.state) ??
      this.oracle.ask(unknownFact("header-condition", quoteText(condition)))
    );
  }
}

/** Returns the user whose name expressions read. */
function userOf(pass: Pass | undefined): string | undefined {
  return pass?.user === "unknown" ? undefined : pass?.user;
}

/** Reports whether the condition of a line holds; undefined if that is unknown. */
function isConditionMet(
  { directive, condition = "early" }: Pick<HeaderLine, "directive" | "condition">,
  pass: Pass | undefined,
  state: AccessState | undefined,
): boolean | undefined {
  const [, kind = "", rest = ""] = /^(env|expr)=(!?[\s\S]*)$/i.exec(condition) ?? [];
  if (kind === "") return true;
  if (state === undefined) return undefined;
  if (kind.toLowerCase() === "env") return isSet(rest, state, pass?.isAuthorized === true);
  const parsed = conditionOf(directive);
  // The status and the headers of the response are unknown to expressions here.
  if (parsed === undefined || /REQUEST_STATUS|\bresp\b|CONTENT_TYPE|HANDLER/i.test(directive.argumentText))
    return undefined;
  return holdsForRequest(parsed, state, userOf(pass));
}

/**
 * Returns the Header lines without `always` that give a successful response headers that a redirect or an error of httpd
 * itself lacks: no line with `always` may set the same header, and no later line deletes it. A line whose condition is false or
 * unknown is left out (mod_headers.c `ap_headers_error_filter`).
 *
 * @param layers the configurations that apply to the response
 */
export function findHeadersOfSuccess(layers: readonly ConfigLayer[], pass: Pass): readonly HeaderLine[] {
  const always = new Set<string>();
  const found = new Map<string, readonly HeaderLine[]>();
  for (const line of listHeaderLinesIn(layers)) {
    const { action, name, isAlways } = line;
    const holds = isConditionKnownToHold(line, pass);
    if (isAlways) {
      if (addsHeader(line) && holds !== false) always.add(name);
      else if (action === "unset" && holds) always.delete(name);
    } else if (action === "unset") {
      if (holds !== false) found.delete(name);
    } else if (addsHeader(line) && holds && line.condition?.toLowerCase() !== "early") {
      const before = action === "set" ? [] : (found.get(name) ?? []);
      if (action !== "setifempty" || before.length === 0) found.set(name, [...before, line]);
    }
  }
  return [...found].flatMap(([name, lines]) => (always.has(name) ? [] : lines));
}

/** Like `isConditionMet`, but an answer that depends on what no one knows is unknown, too. */
export function isConditionKnownToHold(line: HeaderLine, pass: Pass): boolean | undefined {
  const { state } = pass;
  if (state === undefined) return isConditionMet(line, pass, state);
  const oracle = state.oracle.createEmpty();
  const holds = isConditionMet(line, pass, { ...state, oracle });
  return oracle.answered.size > 0 || oracle.undecidable !== undefined ? undefined : holds;
}

/**
 * Reports whether `env=` holds; undefined if that is unknown.
 *
 * @param isAuthorized whether SetEnv has run: not if access is denied
 */
function isSet(written: string, { env, layers }: AccessState, isAuthorized: boolean): boolean | undefined {
  const isNegated = written.startsWith("!");
  const name = written.slice(isNegated ? 1 : 0).toLowerCase();
  const value = env.get(name) ?? (isAuthorized ? collectLateVariables(layers).get(name) : undefined);
  // mod_ssl sets variables of its own.
  if (isUnknown(value) || (value === undefined && /^(?:ssl_|https$)/.test(name))) return undefined;
  return (value !== undefined) !== isNegated;
}
