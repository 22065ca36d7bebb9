import { childrenOf, type ExpressionNode, type Name, type Word } from "./ast.js";
import type { ExpressionError } from "./errors.js";

/** The context that determines the available names, apart from httpd itself. */
export interface NameContext {
  /**
   * Returns whether the server has a module, by identifier (`ssl_module`). If omitted, every module is assumed to be
   * present.
   */
  readonly hasModule?: (identifier: string) => boolean;
  /** Whether the expression is in a `.htaccess` file, where 2.4.68 and later reject reading files. */
  readonly htaccess?: boolean;
}

/** server/util_expr_eval.c, `request_var_names`, `conn_var_names`, `req_header_var_names`, `misc_var_names`. */
const VARIABLES = namesOf(`
  REQUEST_METHOD REQUEST_SCHEME REQUEST_URI REQUEST_FILENAME REMOTE_HOST REMOTE_IDENT REMOTE_USER SERVER_ADMIN
  SERVER_NAME SERVER_PORT SERVER_PROTOCOL SCRIPT_FILENAME PATH_INFO QUERY_STRING IS_SUBREQ DOCUMENT_ROOT AUTH_TYPE
  THE_REQUEST CONTENT_TYPE HANDLER REQUEST_LOG_ID SCRIPT_USER SCRIPT_GROUP DOCUMENT_URI LAST_MODIFIED CONTEXT_PREFIX
  CONTEXT_DOCUMENT_ROOT REQUEST_STATUS REMOTE_ADDR REMOTE_PORT
  HTTPS IPV6 CONN_LOG_ID CONN_REMOTE_ADDR HTTP2
  HTTP_USER_AGENT HTTP_PROXY_CONNECTION HTTP_REFERER HTTP_COOKIE HTTP_FORWARDED HTTP_HOST HTTP_ACCEPT
  TIME_YEAR TIME_MON TIME_DAY TIME_HOUR TIME_MIN TIME_SEC TIME_WDAY TIME SERVER_SOFTWARE API_VERSION
`);

/** server/util_expr_eval.c, `string_func_providers`. */
const FUNCTIONS = namesOf(`
  osenv env resp req http note reqenv req_novary tolower toupper escape unescape file filesize base64 unbase64 sha1 md5
  ldap
`);

const FILE_FUNCTIONS = namesOf("file filesize");

/** server/util_expr_eval.c, `unary_op_providers`; the only case-sensitive names. */
const UNARY_OPERATORS = new Set("nzRTdefsLhxFUA");

/** server/util_expr_eval.c, `binary_op_providers`. */
const BINARY_OPERATORS = namesOf("-ipmatch -fnmatch -strmatch -strcmatch");

/** modules/ssl/ssl_engine_vars.c and modules/proxy/mod_proxy_hcheck.c: variables by prefix, functions, lists. */
const MODULES = [
  { module: "ssl_module", prefix: "ssl_", call: "ssl", list: "peerextlist" },
  { module: "proxy_hcheck_module", prefix: "hc_", call: "hc", list: undefined },
];

function namesOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().trim().split(/\s+/));
}

/**
 * Returns the errors that httpd 2.4.71 reports in an expression that parses: unknown variables, functions and
 * operators, and operands of `-R` and `-ipmatch` that are not constant subnets. The messages are httpd's.
 *
 * @param expression the tree, or a part of it
 * @param context where the expression is used
 * @returns one error for each, in source order
 */
export function checkNames(expression: ExpressionNode, context: NameContext = {}): ExpressionError[] {
  const errors: ExpressionError[] = [];
  visit(expression, context, errors);
  return errors;
}

function visit(node: ExpressionNode, context: NameContext, errors: ExpressionError[]): void {
  const error = checkNode(node, context);
  // The operator of a binary test comes after its left operand.
  const later = node.kind === "binary" ? node.right : undefined;
  if (error && !later) errors.push(error);
  for (const child of childrenOf(node)) {
    if (error && child === later) errors.push(error);
    visit(child, context, errors);
  }
}

function checkNode(node: ExpressionNode, context: NameContext): ExpressionError | undefined {
  switch (node.kind) {
    case "variable":
      return isVariable(node.name.text.toLowerCase(), context) ? undefined : describeUnknownName("Variable", node.name);
    case "call":
      return checkCall(node.name, context);
    case "listCall":
      return isList(node.name.text.toLowerCase(), context)
        ? undefined
        : describeUnknownName("List-returning function", node.name);
    case "unary":
      if (!UNARY_OPERATORS.has(node.operator.name.slice(1)))
        return describeUnknownName("Unary operator", node.operator);
      return node.operator.name === "-R" ? checkSubnet(node.operator, node.operand) : undefined;
    case "binary":
      if (!BINARY_OPERATORS.has(node.operator.name.toLowerCase()))
        return describeUnknownName("Binary operator", node.operator);
      return node.operator.name.toLowerCase() === "-ipmatch" ? checkSubnet(node.operator, node.right) : undefined;
    default:
      return undefined;
  }
}

function describeUnknownName(what: string, { text, start, end }: Name): ExpressionError {
  return { message: `${what} '${text}' does not exist`, start, end };
}

function isVariable(name: string, context: NameContext): boolean {
  return (
    VARIABLES.has(name) || MODULES.some(({ module, prefix }) => name.startsWith(prefix) && hasModuleIn(module, context))
  );
}

function isList(name: string, context: NameContext): boolean {
  return MODULES.some(({ module, list }) => name === list && hasModuleIn(module, context));
}

function checkCall(name: Name, context: NameContext): ExpressionError | undefined {
  const wanted = name.text.toLowerCase();
  if (context.htaccess && FILE_FUNCTIONS.has(wanted)) {
    return { message: `${wanted} not available in restricted context`, start: name.start, end: name.end };
  }
  if (FUNCTIONS.has(wanted)) return undefined;
  const found = MODULES.some(({ module, call }) => wanted === call && hasModuleIn(module, context));
  return found ? undefined : describeUnknownName("Function", name);
}

function hasModuleIn(module: string, { hasModule }: NameContext): boolean {
  return hasModule?.(module) ?? true;
}

function checkSubnet(operator: Name, operand: Word): ExpressionError | undefined {
  const { start, end } = operand;
  const text = constantText(operand);
  if (text === undefined) {
    return { message: `${operator.text} requires subnet/netmask as constant argument`, start, end };
  }
  return isSubnet(text) ? undefined : { message: "parsing of subnet/netmask failed", start, end };
}

/**
 * Returns the value of a quoted string without expansions. httpd does not treat digits and words joined by `.` as such.
 */
function constantText(word: Word): string | undefined {
  if (word.kind !== "string") return undefined;
  const [part] = word.parts;
  if (!part) return "";
  return word.parts.length === 1 && part.kind === "text" ? part.value : undefined;
}

/**
 * Reports whether httpd accepts a text as an address or a subnet: `10.1.2.3`, `10.1`, `10.0.0.0/8`,
 * `10.0.0.0/255.0.0.0`, `fe80::/10` (`subnet_parse_arg` in server/util_expr_eval.c; `apr_ipsubnet_create` and
 * `apr_inet_pton` in APR). IPv4 addresses in IPv6 (`::ffff:10.0.0.1`), host names, and short IPv4 addresses with a mask
 * are rejected.
 */
export function isSubnet(text: string): boolean {
  const slash = text.indexOf("/");
  const address = slash < 0 ? text : text.slice(0, slash);
  const mask = slash < 0 ? undefined : text.slice(slash + 1);
  if (address.includes(":")) return isPlainIPv6(address) && (mask === undefined || isBits(mask, 128));
  if (mask === undefined) return isNetwork(address);
  return isIPv4(address) && (isBits(mask, 32) || isIPv4(mask));
}

/** Reports whether C's `strtol` reads a text as a bit count. */
function isBits(mask: string, max: number): boolean {
  if (!/^[\t-\r ]*\+?[0-9]+$/.test(mask)) return false;
  const bits = Number(mask);
  return bits > 0 && bits <= max;
}

/**
 * Reports whether a text is one to four numbers, each but the last followed by a dot; a last dot is optional. C's
 * `atoi` wraps at 32 bits.
 */
function isNetwork(address: string): boolean {
  if (/^[0-9]+(?:\.[0-9]+){3}$/.test(address) && isIPv4(address)) return true;
  if (address.length > 15 || !/^[0-9]+(?:\.[0-9]+){0,3}\.?$/.test(address)) return false;
  return address.split(".").every((part) => (Number(part) | 0) >= 0 && (Number(part) | 0) <= 255);
}

/** Reports whether a text is an IPv4 address. Leading zeros are ignored. */
function isIPv4(address: string): boolean {
  const parts = address.split(".");
  return parts.length === 4 && parts.every((part) => /^[0-9]+$/.test(part) && Number(part) <= 255);
}

/**
 * Reports whether a text is an IPv6 address. Allows more than the standard: any number of leading zeros, a trailing
 * `:`, and a `::` that represents no group.
 */
function isPlainIPv6(address: string): boolean {
  if (address.startsWith(":") && !address.startsWith("::")) return false;
  const parts = address.replace(/^:/, "").split(":");
  const last = parts.pop() ?? "";
  const gap = parts.indexOf("");
  if (gap !== parts.lastIndexOf("") || !parts.every((part) => part === "" || isGroup(part))) return false;
  const groups = parts.filter((part) => part !== "");
  if (last.includes(".")) {
    if (!isIPv4(last)) return false;
    groups.push("0", "0");
  } else if (last !== "") {
    if (!isGroup(last)) return false;
    groups.push(last);
  }
  if (groups.length > 8 || (gap < 0 && groups.length < 8)) return false;
  if (gap >= 0) groups.splice(gap, 0, ...Array<string>(8 - groups.length).fill("0"));
  const values = groups.map((group) => Number.parseInt(group, 16));
  return values[5] !== 0xffff || values.slice(0, 5).some((value) => value !== 0);
}

function isGroup(part: string): boolean {
  return /^0*[0-9A-Fa-f]{1,4}$/.test(part);
}
