import { type Argument, type Directive, isSince, parseProtocols } from "../../src/lint/api/configuration.js";
import { createFix, defineRule, formatWordList, quoteText, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  overrides: ({ name }: Directive, word: Argument, discarded: readonly Argument[]) => ({
    message: `${quoteText(word.value)} overrides the protocols before it in \`${name}\``,
    notes: [
      `${formatWordList(discarded.map(({ value }) => quoteText(value)))} ${discarded.length > 1 ? "have" : "has"} no effect (AH02532)`,
    ],
    help: [`use ${quoteText(`+${word.value}`)} to add the protocol`],
  }),
};

const fixTitles = { add: "Add a plus sign" };

export const protocolOverridesProtocol = defineRule({
  id: "protocol-overrides-protocol",
  title: "Protocol that overrides earlier ones",
  group: "tls",
  severity: "warning",
  description: "SSLProtocol or SSLProxyProtocol with a protocol that discards those before it.",
  help: "A protocol without a sign replaces all protocols before it: `SSLProtocol TLSv1.2 TLSv1.3` allows only TLS 1.3. httpd starts with the warning AH02532. Put `+` before each protocol after the first.",
  tags: ["correctness"],
  messages,
  check: ({ release, report }) => {
    if (!isSince(release, "2.4")) return {};
    const visit = (directive: Directive) => {
      const words = directive.arguments;
      for (const word of parseProtocols(directive)?.overriding ?? []) {
        const span = directive.spanOf(word);
        const edit = word.quote === "none" ? replaceSpan(span, `+${word.value}`) : undefined;
        report({
          message: messages.overrides(directive, word, words.slice(0, words.indexOf(word))),
          span,
          ...createFix(fixTitles.add, "unsafe", edit),
        });
      }
    };
    return { byWords: ({ key }) => (key === "sslprotocol" || key === "sslproxyprotocol" ? visit : undefined) };
  },
});
