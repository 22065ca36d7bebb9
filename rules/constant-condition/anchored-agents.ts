import { matchGroupsOf } from "../../src/lint/api/access.js";
import { type Directive, expressionOf, parseRewriteWords, type Scope } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteShort, replaceSpan } from "../../src/lint/api/rule.js";
import { listPatterns } from "./empty-alternatives.js";

const messages = {
  anchored: ({ name, agent }: Client, pattern: string) => ({
    message: `${quoteShort(pattern, 40)} never matches the \`User-Agent\` of ${name}`,
    notes: [`this client sends ${quoteShort(agent, 72)}`],
    help: ["delete `^`: the name is not at the start"],
  }),
};

const fixTitle = "Delete `^`";

/** Finds patterns for the start of `User-Agent` with the name of a client that has it at another place. */
export const anchoredAgents = defineVariant({
  id: "anchored-agents",
  messages,
  check: ({ report }) => {
    const check = (line: Directive, scope: Scope) => {
      const found = line.argumentText.includes("^") && isOnAgent(line) ? findAnchored(line, scope) : undefined;
      if (found === undefined) return;
      const { client, pattern, corrected, span, isVerbatim } = found;
      const edit = isVerbatim ? replaceSpan(span, corrected) : undefined;
      report({ message: messages.anchored(client, pattern), span, ...createFix(fixTitle, "unsafe", edit) });
    };
    return {
      directives: Object.fromEntries(
        [...["setenvif", "setenvifnocase", "browsermatch", "browsermatchnocase", "rewritecond"], ...expressions].map(
          (key) => [key, check],
        ),
      ),
    };
  },
});

/** Lines with an expression that may test the header. */
const expressions = ["<if", "<elseif", "setenvifexpr", "require"];

interface Client {
  readonly name: string;
  /** The header that it sends; its version may differ. */
  readonly agent: string;
}

const bot = (name: string, about: string): Client => ({
  name,
  agent: `Mozilla/5.0 (compatible; ${name}/1.0; ${about})`,
});

/**
 * Clients whose name is never at the start of the header, as their operators document it. Others, such as Googlebot, also send headers
 * that begin with the name.
 */
const clients: readonly Client[] = [
  bot("AhrefsBot", "+http://ahrefs.com/robot/"),
  bot("SemrushBot", "+http://www.semrush.com/bot.html"),
  bot("MJ12bot", "http://mj12bot.com/"),
  bot("bingbot", "+http://www.bing.com/bingbot.htm"),
  bot("YandexBot", "+http://yandex.com/bots"),
  bot("DotBot", "+https://opensiteexplorer.org/dotbot"),
  bot("PetalBot", "+https://webmaster.petalsearch.com/site/petalbot"),
  bot("BLEXBot", "+http://webmeup-crawler.com/"),
  bot("DataForSeoBot", "+https://dataforseo.com/dataforseo-bot"),
  { name: "GPTBot", agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.0)" },
  { name: "ClaudeBot", agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0)" },
  { name: "Amazonbot", agent: "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Amazonbot/1.0)" },
  { name: "Bytespider", agent: "Mozilla/5.0 (Linux; Android 5.0) AppleWebKit/537.36 (compatible; Bytespider)" },
  { name: "iPhone", agent: "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)" },
  { name: "iPad", agent: "Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X)" },
  { name: "Android", agent: "Mozilla/5.0 (Linux; Android 14)" },
];

/** Reports whether a line compares the header with its patterns. */
function isOnAgent(line: Directive): boolean {
  const { key, arguments: words, argumentText } = line;
  if (key.startsWith("browsermatch")) return true;
  if (key === "rewritecond")
    return /^%\{(?:HTTP_USER_AGENT|HTTP:User-Agent)\}$/i.test(parseRewriteWords(argumentText)?.[0]?.value ?? "");
  if (key === "setenvif" || key === "setenvifnocase") return /^User-Agent$/i.test(words[0]?.value ?? "");
  // One comparison: of several, it is not known which one the pattern is of.
  const text = expressionOf(line)?.text ?? "";
  const agent =
    /(?:%\{(?:HTTP_USER_AGENT|HTTP:User-Agent|req:User-Agent)\}|\b(?:req|http)\(\s*'User-Agent'\s*\))\s*[=!]~/i;
  return agent.test(text) && text.split("~").length === 2;
}

function ignoresCase({ key, argumentText }: Directive, pattern: string): boolean {
  if (key.endsWith("nocase")) return true;
  if (key === "rewritecond") return /\b(?:NC|nocase)\b/i.test(parseRewriteWords(argumentText)?.[2]?.value ?? "");
  return argumentText.includes(`${pattern}/i`);
}

/** Finds a pattern that matches a text with the name of a client at its start, and not what the client sends. */
function findAnchored(line: Directive, scope: Scope) {
  for (const { pattern, span, isVerbatim } of listPatterns(line, scope)) {
    const corrected = pattern.replace(/^\^|(?<=(?:[(|]|\(\?:))\^/g, "");
    if (corrected === pattern) continue;
    const ignoreCase = ignoresCase(line, pattern);
    const matches = (regex: string, text: string) => {
      const groups = matchGroupsOf(regex, text, ignoreCase);
      return groups === undefined ? undefined : groups !== false;
    };
    const lower = pattern.toLowerCase();
    const client = clients.find(
      ({ name, agent }) =>
        lower.includes(name.toLowerCase()) &&
        matches(pattern, `${name}/1.0`) === true &&
        matches(pattern, agent) === false &&
        matches(corrected, agent) === true,
    );
    if (client) return { client, pattern, corrected, span, isVerbatim };
  }
  return undefined;
}
