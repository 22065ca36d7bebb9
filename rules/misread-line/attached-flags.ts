import { type Argument, type Directive, parseRewriteWords } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteText, type Report, replaceSpan } from "../../src/lint/api/rule.js";

const messages = {
  attached: ({ name }: Directive, flags: string, part: string) => ({
    message: `the flags ${quoteText(flags)} are part of the ${part}`,
    notes: [`\`${name}\` separates its arguments with spaces, and reads no flags here`],
    help: [`put a space before ${quoteText(flags)}`],
  }),
  quoted: ({ name }: Directive, flags: string, part: string) => ({
    message: `the flags ${quoteText(flags)} are part of the ${part}`,
    notes: [`\`${name}\` reads the text in quotes as one argument`],
    help: ["put the flags after the quote"],
  }),
  asTarget: ({ name }: Directive, flags: string, isRedirect: boolean) => ({
    message: `the flags ${quoteText(flags)} are in place of the target`,
    notes: [`\`${name}\` reads flags only after the target, and takes these for the path of a file`],
    help: [isRedirect ? "add the target before the flags" : `use ${quoteText(`- ${flags}`)} to keep the URL`],
  }),
  early: ({ name }: Directive, flags: string) => ({
    message: `the flags ${quoteText(flags)} are part of the pattern`,
    notes: [`\`${name}\` reads flags only after the target`],
    help: ["put the flags at the end of the line"],
  }),
};

const fixTitles = { space: "Insert a space" };

export const attachedFlags = defineVariant({
  id: "attached-flags",
  supersedes: ["constant-condition", "dropped-query", "escaped-redirect", "request-always-fails"],
  messages,
  check: ({ report }) => {
    const visit = (find: typeof findInRule) => (directive: Directive) => {
      if (!attached.test(directive.argumentText)) return;
      const found = find(directive);
      if (found) report(found);
    };
    return { directives: { rewriterule: visit(findInRule), rewritecond: visit(findInCondition) } };
  },
});

/** Brackets that follow another character, are in quotes, or are the second and last argument. */
const attached = /[^\s[]\[[A-Za-z]|["'].*\s\[[A-Za-z]|^\S+\s+\[[^\][]*\]\s*$/;

/** Names of all flags of a RewriteRule (modules/mappers/mod_rewrite.c `cmd_rewriterule_setflag`). */
const ruleFlag =
  /^(?:B|backrefescaping|BNE|BNP|backrefnoplus|C|chain|CO|cookie|DPI|discardpath|E|env|END|F|forbidden|G|gone|H|handler|L|last|N|next|NC|nocase|NE|noescape|NS|nosubreq|P|proxy|PT|passthrough|QSA|qsappend|QSD|qsdiscard|QSL|qslast|R|redirect|S|skip|T|type)(?:=.*)?$/i;

/** Flags that are not likely to be a class of characters. */
const conditionFlag = /^(?:NC|OR|NV|nocase|ornext|novary)$/;

function findInRule(directive: Directive): Report | undefined {
  const [pattern, target] = parseRewriteWords(directive.argumentText) ?? [];
  if (pattern && /\$\s*\[/.test(pattern.value)) {
    const inPattern = findFlags(directive, pattern, ruleFlag, "pattern");
    if (inPattern) return inPattern;
  }
  if (target === undefined) return undefined;
  return findFlagsAsTarget(directive, target) ?? findFlags(directive, target, ruleFlag, "target");
}

/** Finds flags that are the second argument, and so the target. */
function findFlagsAsTarget(directive: Directive, target: Argument): Report | undefined {
  const [flags = "", names] = /^\[([^\][]+)\]$/.exec(target.value) ?? [];
  const all = names?.split(",").map((name) => name.trim()) ?? [];
  if (all.length === 0 || !all.every((name) => ruleFlag.test(name))) return undefined;
  const isRedirect = all.some((name) => /^(?:R|redirect)(?:=(?:3\d\d|permanent|temp|seeother))?$/i.test(name));
  return { message: messages.asTarget(directive, flags, isRedirect), span: directive.spanOf(target) };
}

function findInCondition(directive: Directive): Report | undefined {
  const pattern = parseRewriteWords(directive.argumentText)?.[1];
  // Alone, the class of characters is the pattern.
  if (pattern === undefined || /^!?\^?[[(]/.test(pattern.value)) return undefined;
  return findFlags(directive, pattern, conditionFlag, "pattern");
}

/** @param part the argument with the flags, as a noun */
function findFlags(directive: Directive, word: Argument, isFlag: RegExp, part: string): Report | undefined {
  const [, before = "", names] = /^(.*?)\s*\[([^\][]*)\]$/s.exec(word.value) ?? [];
  if (names === undefined || before === "" || !names.split(",").every((name) => isFlag.test(name.trim())))
    return undefined;
  // In a query, `filter[type]` is the name of a parameter.
  if (before.includes("?") && part === "target" && /[a-z]/.test(names.replace(/=[^,]*/g, ""))) return undefined;
  const flags = `[${names}]`;
  const source = directive.argumentText.slice(word.start, word.end);
  const span = directive.spanOf(word);
  if (source !== word.value) return { message: messages.quoted(directive, flags, part), span };
  // After the pattern, a word in brackets would be the target.
  if (isFlag === ruleFlag && part === "pattern") return { message: messages.early(directive, flags), span };
  const text = `${source.slice(0, before.length)} ${source.slice(before.length).trim()}`;
  return {
    message: messages.attached(directive, flags, part),
    span,
    ...createFix(fixTitles.space, "unsafe", replaceSpan(span, text)),
  };
}
