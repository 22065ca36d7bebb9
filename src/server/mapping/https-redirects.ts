import type { Directive } from "../../config/model/directive.js";
import { comparePatterns } from "../../regex/pcre/comparison.js";
import type { RewriteCondition, RewriteRule } from "../rewrite/rule-parser.js";
import { readRedirect } from "./redirects.js";

/** Reports whether a line of mod_alias redirects all paths to https. */
export function redirectsAllToHttps(line: Directive): boolean {
  const { from, to = "" } = readRedirect(line, false) ?? {};
  if (from === undefined || !/^https:\/\//i.test(to)) return false;
  return line.key === "redirectmatch" ? comparePatterns("/.*", from, false) === "all" : from === "/";
}

/** Reports whether a rule redirects all paths to https, on conditions that hold for requests without TLS, if it has any. */
export function rewritesAllToHttps({ pattern, isNegated, flags, output = "", conditions }: RewriteRule): boolean {
  const isForAll = !isNegated && comparePatterns(".*", pattern, flags.names.has("nocase")) === "all";
  return isForAll && conditions.every(holdsForHttp) && /^https:\/\//i.test(output) && !flags.names.has("proxy");
}

/** Tests of conditions that hold for requests without TLS, by the variable. */
const testsForHttp: ReadonlyMap<string, RegExp> = new Map([
  ["https", /^(?:=?off|\^off\$|off\$|!=?on|!\^on\$)$/i],
  ["server_port", /^(?:=?80|\^80\$|!=?443|!\^443\$)$/],
  ["request_scheme", /^(?:=?http|\^http\$|!=?https|!\^https\$)$/i],
]);

function holdsForHttp({ directive }: RewriteCondition): boolean {
  const [input, test = ""] = directive.arguments.map(({ value }) => value);
  const [, name = ""] = /^%\{(\w+)\}$/.exec(input ?? "") ?? [];
  return testsForHttp.get(name.toLowerCase())?.test(test) === true;
}
