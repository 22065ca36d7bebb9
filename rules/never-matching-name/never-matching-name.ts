import {
  accessVariablesOf,
  describeProbe,
  formatLineTitle,
  type Inspector,
  type LostVariable,
  lacksRequire,
  type ProbeContext,
  parseRequireLine,
  type RequireLine,
  readSubnet,
  readWildcardNetwork,
  requireArgumentsOf,
  type Unset,
  witnessOf,
} from "../../src/lint/api/access.js";
import { type Argument, type Directive, isSince, isWholeServer } from "../../src/lint/api/configuration.js";
import { defineRule, quoteText, type Report } from "../../src/lint/api/rule.js";
import {
  findHiddenClients,
  findRemoteClients,
  findReplacedProxy,
  type HiddenClients,
  type RemoteClients,
  type ReplacedProxy,
} from "./hidden-clients.js";
import { findLostExemptions } from "./lost-variables.js";
import { findSingleAddress, type SingleAddress } from "./single-address.js";

/** An error in an argument, as a clause, with its remedy, as an imperative clause. */
interface Advice {
  readonly wrong: string;
  readonly remedy: string;
  /** Whether its effect is the apparent one. */
  readonly isHarmless?: boolean;
}

const advices = {
  envWithoutSign: {
    wrong: "without `=`, this is read as a host name",
    remedy: "use `env=`, followed by the variable",
  },
  none: {
    wrong: "httpd reads `none` as a host name, not as a keyword",
    remedy: "to deny every client, use `Deny from all`",
    isHarmless: true,
  },
  commas: { wrong: "commas do not separate arguments", remedy: "use spaces instead" },
  semicolons: { wrong: "semicolons do not separate arguments", remedy: "use spaces instead" },
  everyUser: {
    wrong: "`*` is not a wildcard here",
    remedy: "use `Require valid-user` to allow every user with a password, or list the names",
  },
  wildcard: (remedy: string): Advice => ({ wrong: "`*` is not a wildcard here", remedy }),
  quotes: { wrong: "text in quotes is one name", remedy: "remove the quotes" },
  range: { wrong: "an address range is read as a host name", remedy: "use networks, such as `192.0.2.0/28`" },
  netgroup: { wrong: "`@` does not name a group of hosts here", remedy: "list the addresses, or the domain" },
  all: { wrong: "`Require host` compares host names", remedy: "use `Require all granted`" },
  address: (address: string): Advice => ({
    wrong: "`Require host` compares host names, not addresses",
    remedy: `use \`Require ip ${address}\``,
  }),
  notAName: { wrong: "a host name does not contain `/` or `:`", remedy: "use only the host name" },
  unset: ({ similar }: Extract<Unset, { kind: "never" }>): Advice => ({
    wrong: "no line sets this variable",
    remedy:
      similar === undefined
        ? "set it with `SetEnvIf`"
        : `use the variable ${quoteText(similar)}, or set this one with \`SetEnvIf\``,
  }),
  setLate: ({ by }: Extract<Unset, { kind: "late" }>): Advice => ({
    wrong: `${formatLineTitle(by)} sets this variable only after access is checked`,
    remedy: "set it with `SetEnvIf`, which httpd evaluates before",
  }),
  negatedVariable: (variable: string): Advice => ({
    wrong: "`!` is part of the variable name here",
    remedy: `use ${quoteText(`Require not env ${variable}`)} in \`<RequireAll>\`, with a line that allows clients`,
  }),
};

const messages = {
  allowsNobody: (word: string, { wrong, remedy }: Advice) => ({
    message: `${quoteText(word)} never matches and allows nobody`,
    notes: [wrong],
    help: [remedy],
  }),
  deniesNobody: (word: string, { wrong, remedy }: Advice) => ({
    message: `${quoteText(word)} never matches and denies nobody`,
    notes: [wrong],
    help: [remedy],
  }),
  withoutDomain: (word: string) => ({
    message: `${quoteText(word)} matches only a host of this name, and the domain ${quoteText(`.${word}`)}`,
    notes: [
      "httpd compares the whole name that the DNS or the hosts file of the server has for the address",
      `such a name usually has a domain: ${quoteText(word)} does not match ${quoteText(`${word}.example.org`)}`,
    ],
    help: ["use the whole name, a domain such as `.example.org`, or the address"],
  }),
  hiddenClients: ({ line, proxy, answer }: HiddenClients) => ({
    message: `${formatLineTitle(proxy)} ignores private addresses of clients`,
    notes: [
      "a client of the proxy keeps the address of the proxy if its own address is private",
      `${formatLineTitle(line)} does not match such a client`,
      describeProbe(answer),
    ],
    help: ["use `RemoteIPInternalProxy` for proxies with clients in private networks"],
  }),
  replacedProxy: ({ line, condition, answer }: ReplacedProxy) => ({
    message: `${formatLineTitle(line)} denies the clients of the proxy`,
    notes: [
      "httpd replaces the address of the proxy by that of the client, before it checks access",
      describeProbe(answer),
    ],
    help: [`to allow each request through the proxy, use \`Require expr "${condition}"\``],
  }),
  remoteClients: ({ word, isDenial, answer }: RemoteClients) => ({
    message: `${quoteText(word)} never matches and ${isDenial ? "denies" : "allows"} nobody`,
    notes: [
      "the server listens only on a loopback address: each client is a program of this machine, such as a proxy",
      describeProbe(answer),
    ],
    help: ["to use the address that the proxy sends, add `RemoteIPHeader` and `RemoteIPInternalProxy`"],
  }),
  singleAddress: (word: string, { network }: SingleAddress) => ({
    message: `${quoteText(word)} is one address, not a network`,
    notes: ["without a prefix length, httpd compares the whole address"],
    help: [network === undefined ? "to match every client, use `all`" : `use ${quoteText(network)}`],
  }),
  lostVariable: (variable: string, remedy: string, { answer, path }: LostVariable) => ({
    message: `${quoteText(variable)} is lost when a rule leads to ${quoteText(path)}`,
    notes: [
      "other sections apply to the result, so that httpd checks access again: the variable is not set there",
      `there, it has the name ${quoteText(`REDIRECT_${variable}`)}`,
      describeProbe(answer),
    ],
    help: [`add ${quoteText(remedy)}`],
  }),
  unreadUsers: ({ rest }: RequireLine) => ({
    message: `\`Require valid-user\` ignores ${quoteText(rest)}`,
    notes: [`every user with a password is allowed, not only ${quoteText(rest)}`],
    help: ["use `Require user` with the names"],
  }),
};

const labels = {
  rule: "leads to the other path",
  hidden: "clients of the proxy do not have such an address",
  proxy: "replaces this address",
};

const fixTitles = { separate: "Replace commas with spaces" };

export const neverMatchingName = defineRule({
  id: "never-matching-name",
  title: "Name never matches",
  group: "access",
  severity: "warning",
  description:
    "Allow, Deny or Require with an argument that matches no client and no user. Examples: names separated by commas, an address or `*` instead of a host name, `!` before a variable, a private network behind RemoteIPTrustedProxy.",
  help: "httpd reads such an argument as one name, and no client or user has that name. Allow or Require with it allows nobody. Deny or Require not with it denies nobody. Separate arguments with spaces, put addresses after `Require ip`, and begin a domain with a dot.",
  tags: ["access-control", "correctness", "security"],
  securitySeverity: 6,
  supersedes: ["shadowed-rule", "local-access-by-ipv4"],
  messages,
  check: (context) => {
    const { project, release, report } = context;
    const adviceOnUnset = ({ value }: Argument, wordKind: WordKind, line: Directive) => {
      const name = wordKind === "variable" ? value : wordKind === "env=" ? value.slice("env=".length) : undefined;
      if (name === undefined) return undefined;
      const unset = accessVariablesOf(project).findUnset(name, line);
      return unset && (unset.kind === "late" ? advices.setLate(unset) : advices.unset(unset));
    };
    const checkWords = (directive: Directive) => {
      const { words, isDenial } =
        directive.key === "require" ? requireWordsOf(directive, isSince(release, "2.4")) : compatWords(directive);
      for (const [word, wordKind] of words) {
        const single = wordKind === "client" || wordKind === "address" ? findSingleAddress(word.value) : undefined;
        if (single !== undefined) {
          const { isLikely } = single;
          report({
            ...(isLikely ? {} : { severity: "info" }),
            message: messages.singleAddress(word.value, single),
            span: directive.spanOf(word),
          });
          continue;
        }
        if (wordKind === "address" || /@\w+@|%\w+%|\{\{|\$\{|<%/.test(word.value)) continue;
        const advice =
          (directive.key === "require" ? undefined : adviceOnKeyword(word, isDenial)) ??
          adviceOn(word, wordKind) ??
          adviceOnUnset(word, wordKind, directive);
        const span = directive.spanOf(word);
        if (advice === undefined) {
          if (isHostKind(wordKind) && lacksDomain(word.value, wordKind)) {
            const isLikely = !localDomains.test(word.value);
            report({ ...(isLikely ? {} : { severity: "info" }), message: messages.withoutDomain(word.value), span });
          }
          continue;
        }
        const separate = word.value.split(",").filter((each) => each !== "");
        report({
          ...(advice.isHarmless ? { severity: "info" } : isDenial ? { severity: "error" } : {}),
          message: (isDenial ? messages.deniesNobody : messages.allowsNobody)(word.value, advice),
          span,
          ...(word.value.includes(",") && separate.length > 0
            ? {
                fix: {
                  title: fixTitles.separate,
                  safety: "unsafe",
                  edits: [{ span, text: separate.join(" ") }],
                },
              }
            : {}),
        });
      }
      if (directive.key === "require") reportUnreadUsers(directive);
    };
    const reportUnreadUsers = (directive: Directive) => {
      const line = parseRequireLine(directive);
      const [first] = line.provider === "valid-user" ? requireArgumentsOf(line) : [];
      if (first === undefined || first.value.startsWith("#") || line.negated) return;
      report({
        severity: "error",
        message: messages.unreadUsers(line),
        span: directive.spanOf({ start: line.restStart, end: line.restStart + line.rest.length }),
      });
    };
    const isRead = (key: string) => directives.has(key) && !(key === "require" && lacksRequire(project));
    return {
      byWords: ({ key }) => (isRead(key) ? checkWords : undefined),
      scope: {
        holding: ["require", "allow", "<requireany", "<requireall"],
        visit(scope) {
          for (const { line, variable, lost } of findLostExemptions(scope, context)) {
            const name = `REDIRECT_${variable}`;
            const remedy = line.key === "allow" ? `Allow from env=${name}` : `Require env ${name}`;
            report({
              message: messages.lostVariable(variable, remedy, lost),
              span: line.span,
              related: [{ message: labels.rule, span: lost.by.span }],
              witness: witnessOf(lost.answer),
            });
          }
        },
      },
      probe: {
        holding: ["require", "allow", "deny"],
        applies: () => project.modules.has("remoteip_module") || isWholeServer(project),
        check(situation, inspector) {
          const replaced = findReplacedProxy(situation, inspector);
          if (replaced)
            return {
              message: messages.replacedProxy(replaced),
              span: replaced.line.span,
              related: [{ message: labels.proxy, span: replaced.proxy.span }],
              witness: inspector.witness(replaced.answer),
            };
          const found = findHiddenClients(situation, inspector);
          if (found === undefined) return isWholeServer(project) ? reportRemote(situation, inspector) : undefined;
          const { line, proxy, answer } = found;
          return {
            message: messages.hiddenClients(found),
            span: proxy.span,
            related: [{ message: labels.hidden, span: line.span }],
            witness: inspector.witness(answer),
            cause: { key: proxy.span.file.path + proxy.span.start, also: labels.hidden },
          };
        },
      },
    };
  },
});

function reportRemote(situation: ProbeContext, inspector: Inspector): Report | undefined {
  const found = findRemoteClients(situation, inspector);
  return (
    found && {
      message: messages.remoteClients(found),
      span: found.line.span,
      witness: inspector.witness(found.answer),
    }
  );
}

const directives: ReadonlySet<string> = new Set(["allow", "deny", "require"]);

interface Words {
  readonly words: readonly (readonly [Argument, WordKind])[];
  /** Whether clients that match are denied. */
  readonly isDenial: boolean;
}

/** Returns the arguments after `from`. */
function compatWords({ key, arguments: [, ...words] }: Directive): Words {
  const kindOf = ({ value }: Argument): WordKind => (/^env=/i.test(value) ? "env=" : "client");
  const compared = words.filter(({ value }) => value !== "");
  return { words: compared.map((word) => [word, kindOf(word)]), isDenial: key === "deny" };
}

const wordKinds24: ReadonlyMap<string, WordKind> = new Map([
  ["host", "host"],
  ["forward-dns", "lookup"],
  ["user", "name"],
  ["group", "name"],
  ["env", "variable"],
  ["ip", "address"],
]);

function requireWordsOf(directive: Directive, is24: boolean): Words {
  const line = parseRequireLine(directive);
  const wordKind = wordKinds24.get(line.provider);
  const words = wordKind === undefined || (wordKind !== "name" && !is24) ? [] : requireArgumentsOf(line);
  return { words: words.map((word) => [word, wordKind ?? "name"]), isDenial: line.negated };
}

/** The value that an argument is compared with; `client`: an address or a name; `lookup`: a name whose addresses httpd looks up; `env=`: a variable after that. */
type WordKind = "client" | "address" | "host" | "lookup" | "name" | "variable" | "env=";

type HostKind = Extract<WordKind, "client" | "host" | "lookup">;

function isHostKind(wordKind: WordKind): wordKind is HostKind {
  return wordKind === "client" || wordKind === "host" || wordKind === "lookup";
}

/** Returns whether a word is a host name of one part, which is neither the own machine nor a common domain. */
function lacksDomain(word: string, wordKind: HostKind): boolean {
  // The resolver completes a name that it looks up.
  return wordKind !== "lookup" && /^[a-z][\w-]*$/i.test(word) && !commonDomains.test(word);
}

/** Countries, common domains of the Internet, names of the own machine, and the keywords `all` and `none`. */
const commonDomains =
  /^(?:[a-z]{2}|com|net|org|edu|gov|mil|int|info|biz|arpa|local|localhost|localdomain|test|all|none|env)$/i;

/** Domains of local networks: such a word may be meant as one. */
const localDomains = /^(?:lan|home|internal|intranet|corp)$/i;

/** Returns advice on an argument that looks like a keyword after `from`, where only `all` and `env=` are keywords. */
function adviceOnKeyword({ value }: Argument, isDenial: boolean): Advice | undefined {
  if (/^env$/i.test(value)) return advices.envWithoutSign;
  // `Deny from none` works as it reads.
  if (/^none$/i.test(value) && !isDenial) return advices.none;
  return undefined;
}

function adviceOn({ value, quote }: Argument, wordKind: WordKind): Advice | undefined {
  if (wordKind === "env=") return undefined;
  if (wordKind === "variable") return adviceOnNegation(value);
  // A quoted name may contain a comma.
  if (value.includes(",") && quote === "none") return advices.commas;
  if (value.includes(";") && quote === "none") return advices.semicolons;
  if (wordKind === "name") return value === "*" ? advices.everyUser : undefined;
  if (/[\t ]/.test(value.trim())) return advices.quotes;
  if (/^[\d.]+-[\d.]+$/.test(value)) return advices.range;
  if (value.startsWith("@")) return advices.netgroup;
  if (value.includes("*")) return advices.wildcard(removeStars(value, wordKind));
  if (wordKind === "client" || wordKind === "lookup") return undefined;
  if (/^all$/i.test(value)) return advices.all;
  const isAddress = readSubnet(value).ok;
  if (isAddress) return advices.address(value);
  if (/[/:]/.test(value)) return advices.notAName;
  return undefined;
}

/** Returns advice for Allow and Deny with `env=!NAME`, for which Require has its own syntax. */
function adviceOnNegation(value: string): Advice | undefined {
  if (!value.startsWith("!")) return undefined;
  return advices.negatedVariable(value.slice(1));
}

/** Describes a replacement for an argument with `*` in it. */
function removeStars(value: string, wordKind: WordKind): string {
  const network = readWildcardNetwork(value);
  if (network !== undefined) return `use \`${wordKind === "host" ? "Require ip " : ""}${network}\``;
  return /^\*\.[^*]+$/.test(value) ? `use ${quoteText(value.slice(1))} for the whole domain` : "use a domain, or `all`";
}
