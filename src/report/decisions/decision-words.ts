import { isMalformedHost } from "../../httpd/request/request-parser.js";
import type { Decision, DecisionClass, Verdict } from "../../simulate/model/decision.js";
import type { ReplacedSection, TracedSection, TraceStep } from "../../simulate/model/trace-step.js";

/** Reason phrases of the statuses that occur here (RFC 9110). */
const statusPhrases: Readonly<Record<number, string>> = {
  200: "OK",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  410: "Gone",
  426: "Upgrade Required",
  500: "Internal Server Error",
  501: "Not Implemented",
};

/** Returns a status with its reason phrase: `403 Forbidden`. */
export function formatStatus(status: number): string {
  const phrase = statusPhrases[status];
  return phrase === undefined ? String(status) : `${status} ${phrase}`;
}

/** Returns a short verdict: `403`, `401`, `allowed`. */
export function formatVerdict({ status, class: decided }: Pick<Verdict, "status" | "class">): string {
  return status === undefined ? decided : String(status);
}

/** Reasons by the message that the decision logs. */
const reasonsByMessage: Readonly<Record<string, string>> = {
  AH00025: "mod_authz_core is not loaded, without which nobody may come in",
  AH00027: "the Require rules ask for a user, and no AuthType is in force to ask for one with",
  AH00028: "the Require rules ask for a user, and no AuthType is in force to ask for one with",
  AH00032: "a symbolic link on the way leads nowhere, or Options does not let the server follow it",
  AH00036: "no file can have a name as long as that",
  AH00037: "a symbolic link on the way leads nowhere, or Options does not let the server follow it",
  AH00124: "rewriting leads from one URL to the next without end",
  AH00125: "the server asks itself for index files or FallbackResource without end",
  AH00126: "a rule of rewriting passes on what is no path",
  AH00127: "a rule of rewriting leads above the root directory",
  AH00669: "a rule of rewriting hands the request on to a backend, and mod_proxy is not loaded",
  AH00670: "rewriting is on in a section where Options does not let the server follow links",
  AH01262: "access is granted, and Options does not let the server run programs there",
  AH01265: "access is granted, and a directory is no program to run",
  AH01276: "the directory has no index file, and Options does not let the server list it",
  AH01615: "a user is to be asked for, and no AuthName is in force",
  AH01617: "a provider turns the password down",
  AH01618: "no password file or other provider knows the user",
  AH01619: "a user came with a password, and no AuthUserFile is in force",
  AH01620: "the AuthUserFile does not exist",
  AH01621: "a user came with a password, and no AuthUserFile is in force",
  AH01622: "the AuthUserFile does not exist",
  AH01627: "an AuthType is in force, and no Require rule says who may come in",
  AH01629: "the Require rules ask for another user than the one who came",
  AH01630: "the Require rules let nobody in from there, whoever it is",
  AH01631: "the user is who they say, and the Require rules do not let them in",
  AH01780: "a user is to be asked for, and no AuthName is in force",
  AH01790: "no password file or other provider knows the user in this realm",
  AH01791: "a provider turns the user down",
  AH01796: "no module is loaded that asks for users as AuthType says",
  AH01807: "a provider turns the password down",
  AH01808: "no password file or other provider knows the user",
  AH01810: "a user is to be asked for, and no AuthName is in force",
  AH01797: "the old rules (Order, Allow, Deny) keep the client out, and Require has no say in that",
  AH02219: "SSLRequireSSL asks for TLS, and the request comes without",
  AH02229: "what SSLRequire asks for is not so",
  AH02558: "a user came with a password, and no AuthLDAPURL is in force",
  AH02596: "rules of rewriting start anew without end",
  AH02809: "access is granted, and Options does not let the server run programs there",
  AH02812: "access is granted, and a directory is no program to run",
  AH10160: "a rule of rewriting hands the request on to a backend, and mod_proxy is not loaded",
  AH10244: "a rule of rewriting leads to a URL that is refused itself",
  AH10285: "a user came with a password, and no AuthDBMUserFile is in force",
  AH10410: "a rule of rewriting makes a query with spaces or control characters",
  AH10411: "a rule of rewriting makes a query with spaces or control characters",
  AH10508: "a rule of rewriting leads to a URL whose `?` comes from what was asked for",
};

/** Returns the reason for a response, as a clause. */
export function explainDecision(decision: Decision): string {
  const { status, log, class: decided, unknown, alternatives } = decision;
  const code = log.at(-1);
  if (status === undefined && decided === "unknown")
    return alternatives.length > 0 ? "what it hangs on is not known" : `it hangs on ${unknown.join(" and on ")}`;
  if (status === undefined) return allowedOr(decided);
  const ofRule = code === undefined || decided === "allowed" ? explainRule(decision) : undefined;
  if (ofRule !== undefined) return ofRule;
  if (decided === "allowed") return explainPassed(decision);
  if (code !== undefined) return reasonsByMessage[code] ?? `the server says ${code}`;
  if (status === 401)
    return decision.request.user === undefined
      ? "a user is asked for, and the request names none"
      : "the rules do not let the user in";
  if (status === 403) return "the old rules (Order, Allow, Deny) keep the client out";
  return decision.trace.some(({ effect }) => effect.startsWith("is refused"))
    ? "a `.htaccess` file on the way is refused"
    : "a user is to be asked for, and the configuration does not say how";
}

/** Returns the reason if a rewrite rule or a Redirect decides the response. */
function explainRule({ status, decidedBy: [line], trace }: Decision): string | undefined {
  if (line?.key !== "rewriterule" && !line?.key.startsWith("redirect")) return undefined;
  if (status === 200 || status === 404) return undefined;
  const isEarly = trace.some(({ effect }) => effect.endsWith("before access is checked"));
  const by = line.key === "rewriterule" ? "a rule of rewriting answers" : "a Redirect answers";
  return isEarly ? `${by} before access is checked` : `access is granted, and ${by}`;
}

function allowedOr(decided: DecisionClass): string {
  return decided === "allowed" ? "access is granted, and the rest is not known" : "so much is known";
}

function explainPassed({ status, decidedBy, log, trace, request }: Decision): string {
  if (status === 400 && decidedBy.some(({ key }) => key === "sslengine"))
    return "the server speaks TLS there, and the request comes without";
  if (status === 400 && isMalformedHost(request.host))
    return "the Host header is malformed: refused before any rule is looked at";
  if (trace.length === 0) return "the URL itself is refused, before any rule is looked at";
  if (log.at(-1) === "AH01623") return "AllowMethods does not name the method";
  if (status === 404) return "access is granted, and there is no such file";
  if (status === 405 || status === 501) return "access is granted, and files are not served by this method";
  if (trace.some(({ effect }) => effect.endsWith("before access is checked")))
    return "answered before access is checked";
  if (status === 301) return "access is granted, and a directory's path gets its slash";
  if (log.includes("AH01797"))
    return "the old rules keep the client out, but `Satisfy any` lets the Require rules decide";
  return decidedBy.length > 0 ? "access is granted" : "access is granted: nothing restricts it";
}

/** Returns the effects of a step on others, by their numbers. */
export function stepRelationsOf(step: TraceStep, trace: readonly TraceStep[]): string[] {
  const replaced = (rules: ReplacedSection["rules"]) =>
    namesOf(
      step.replaced.filter((each) => each.rules === rules),
      trace,
    );
  const [old, require, combined] = [replaced("old"), replaced("require"), namesOf(step.combined, trace)];
  return [
    ...(old === "" ? [] : [`puts the old rules of ${old} out of force`]),
    ...(require === "" ? [] : [`puts the Require rules of ${require} out of force`]),
    ...(combined === "" ? [] : [`its Require rules hold together with those of ${combined}`]),
  ];
}

function namesOf(sections: readonly TracedSection[], trace: readonly TraceStep[]): string {
  return sections.map((section) => nameOf(section, trace)).join(", ");
}

function nameOf({ section, span }: TracedSection, trace: readonly TraceStep[]): string {
  const at = trace.findIndex((step) => step.span.file === span.file && step.span.start === span.start);
  return at < 0 ? `\`${section}\`` : `step ${at + 1}`;
}
