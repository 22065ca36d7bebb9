import {
  lacksRequire,
  parseRequireLine,
  type RequireLine,
  readSubnet,
  readWildcardNetwork,
  requireArgumentsOf,
} from "../../src/rule-api/access.js";
import type { Argument, Directive } from "../../src/rule-api/configuration.js";
import { defineRule, quoteText } from "../../src/rule-api/rule.js";

/** An error in an argument, with its remedy, as clauses. */
interface Advice {
  readonly wrong: string;
  readonly remedy: string;
  /** Whether its effect is the apparent one. */
  readonly isHarmless?: boolean;
}

const advices = {
  envWithoutSign: { wrong: "without a `=` this is the name of a host", remedy: "write `env=` and the variable" },
  none: { wrong: "`none` is no keyword but the name of a host", remedy: "take it out", isHarmless: true },
  commas: { wrong: "commas do not part words here", remedy: "put spaces in their place" },
  semicolons: { wrong: "semicolons do not part words here", remedy: "put spaces in their place" },
  everyUser: {
    wrong: "`*` stands for itself here",
    remedy: "write `Require valid-user` for all who have a password, or the names",
  },
  wildcard: (remedy: string): Advice => ({ wrong: "`*` stands for itself here", remedy }),
  quotes: { wrong: "what stands in quotes is one name here", remedy: "take the quotes off" },
  range: { wrong: "a range is taken for the name of a host here", remedy: "write networks, such as `192.0.2.0/28`" },
  netgroup: { wrong: "`@` names no group of hosts here", remedy: "write their addresses, or the domain" },
  all: { wrong: "`Require host` compares names", remedy: "write `Require all granted`" },
  address: (address: string): Advice => ({
    wrong: "`Require host` compares names, and an address is none",
    remedy: `write \`Require ip ${address}\``,
  }),
  notAName: { wrong: "a host's name has no `/` or `:` in it", remedy: "write the name alone" },
  negatedVariable: (variable: string): Advice => ({
    wrong: "`!` is a part of the variable's name here",
    remedy: `write ${quoteText(`Require not env ${variable}`)} beside what lets in, within \`<RequireAll>\``,
  }),
};

const messages = {
  allowsNobody: (word: string, { wrong, remedy }: Advice) =>
    `${wrong}, so ${quoteText(word)} lets nobody in; ${remedy}`,
  deniesNobody: (word: string, { wrong, remedy }: Advice) =>
    `${wrong}, so ${quoteText(word)} keeps nobody out; ${remedy}`,
  unreadUsers: ({ rest }: RequireLine) =>
    `\`Require valid-user\` reads no words behind it, so it lets in every user with a password and not only ${quoteText(rest)}; write \`Require user\` and the names`,
};

const fixTitles = { separate: "Put spaces in place of commas" };

export const neverMatchingName = defineRule({
  id: "never-matching-name",
  title: "A name that nobody has",
  severity: "warning",
  description:
    "Allow, Deny or Require with a word that matches no client and no user: several between commas, an address or a `*` where a host name is compared, `!` in front of a variable.",
  help: "The server takes such a word as one name, compares it and finds nobody by it: an Allow or Require lets nobody in, and a Deny or Require not keeps nobody out. Write several words with spaces between them, addresses behind `Require ip`, and a domain with a dot in front.",
  tags: ["access-control", "correctness", "security"],
  securitySeverity: 6,
  supersedes: ["shadowed-rule"],
  messages,
  check: ({ project, release, report }) => {
    const checkWords = (directive: Directive) => {
      const { words, keepsOut } =
        directive.key === "require" ? requireWordsOf(directive, release === "2.4") : compatWords(directive);
      for (const [word, meant] of words) {
        if (/@\w+@|%\w+%|\{\{|\$\{|<%/.test(word.value)) continue;
        const advice =
          (directive.key === "require" ? undefined : adviceOnKeyword(word, keepsOut)) ?? adviceOn(word, meant);
        if (advice === undefined) continue;
        const span = directive.spanOf(word);
        const separate = word.value.split(",").filter((each) => each !== "");
        report({
          ...(advice.isHarmless ? { severity: "info" } : keepsOut ? { severity: "error" } : {}),
          message: (keepsOut ? messages.deniesNobody : messages.allowsNobody)(word.value, advice),
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
    return { byWords: ({ key }) => (isRead(key) ? checkWords : undefined) };
  },
});

const directives: ReadonlySet<string> = new Set(["allow", "deny", "require"]);

interface Words {
  readonly words: readonly (readonly [Argument, WordKind])[];
  /** Whether clients that match are denied. */
  readonly keepsOut: boolean;
}

/** Returns the arguments after `from` that are addresses or host names; variables are ignored. */
function compatWords({ key, arguments: [, ...words] }: Directive): Words {
  const isCompared = ({ value }: Argument) => value !== "" && !/^env=/i.test(value);
  return { words: words.filter(isCompared).map((word) => [word, "client"]), keepsOut: key === "deny" };
}

const wordKinds24: ReadonlyMap<string, WordKind> = new Map([
  ["host", "host"],
  ["forward-dns", "client"],
  ["user", "name"],
  ["group", "name"],
  ["env", "variable"],
]);

function requireWordsOf(directive: Directive, is24: boolean): Words {
  const line = parseRequireLine(directive);
  const meant = wordKinds24.get(line.provider);
  const words = meant === undefined || (meant !== "name" && !is24) ? [] : requireArgumentsOf(line);
  return { words: words.map((word) => [word, meant ?? "name"]), keepsOut: line.negated };
}

/** The value that an argument is compared with. */
type WordKind = "client" | "host" | "name" | "variable";

/** Returns advice on an argument that looks like a keyword after `from`, where only `all` and `env=` are keywords. */
function adviceOnKeyword({ value }: Argument, keepsOut: boolean): Advice | undefined {
  if (/^env$/i.test(value)) return advices.envWithoutSign;
  // `Deny from none` works as it reads.
  if (/^none$/i.test(value) && !keepsOut) return advices.none;
  return undefined;
}

function adviceOn({ value, quote }: Argument, meant: WordKind): Advice | undefined {
  if (meant === "variable") return adviceOnVariable(value);
  // A quoted name may contain a comma.
  if (value.includes(",") && quote === "none") return advices.commas;
  if (value.includes(";") && quote === "none") return advices.semicolons;
  if (meant === "name") return value === "*" ? advices.everyUser : undefined;
  if (/[\t ]/.test(value.trim())) return advices.quotes;
  if (/^[\d.]+-[\d.]+$/.test(value)) return advices.range;
  if (value.startsWith("@")) return advices.netgroup;
  if (value.includes("*")) return advices.wildcard(removeStars(value, meant));
  if (meant === "client") return undefined;
  if (/^all$/i.test(value)) return advices.all;
  const isAddress = "subnet" in readSubnet(value);
  if (isAddress) return advices.address(value);
  if (/[/:]/.test(value)) return advices.notAName;
  return undefined;
}

/** Returns advice for Allow and Deny with `env=!NAME`, for which Require has its own syntax. */
function adviceOnVariable(value: string): Advice | undefined {
  if (!value.startsWith("!")) return undefined;
  return advices.negatedVariable(value.slice(1));
}

/** Describes a replacement for an argument with `*` in it. */
function removeStars(value: string, meant: WordKind): string {
  const network = readWildcardNetwork(value);
  if (network !== undefined) return `write \`${meant === "host" ? "Require ip " : ""}${network}\``;
  return /^\*\.[^*]+$/.test(value)
    ? `write ${quoteText(value.slice(1))} for all of a domain`
    : "write a domain, or all";
}
