import {
  CONTEXT_MARK,
  type ConfigTree,
  findContextComments,
  isContextSection,
  type Project,
} from "../../src/lint/api/configuration.js";
import {
  defineRule,
  findClosestWord,
  formatWordList,
  formerRules,
  type IgnoreComment,
  ignoreMarks,
  quoteText,
  type Span,
  toReadable,
} from "../../src/lint/api/rule.js";

const keywords: readonly string[] = Object.values(ignoreMarks);

const messages = {
  misspelt: (word: string) => ({
    message: `unknown comment keyword \`${toReadable(word)}\``,
    notes: ["the comment does not suppress anything"],
    help: [`use ${formatWordList(keywords.map(quoteText), "or")}`],
  }),
  misplaced: {
    message: `\`${ignoreMarks.section}\` is not before a section`,
    notes: ["the comment does not suppress anything"],
    help: [`move it to the line before the section, or use \`${ignoreMarks.line}\``],
  },
  noRule: {
    message: "`httpd-lint-ignore` comment does not name a rule",
    notes: ["the comment does not suppress anything"],
    help: ["add the name of a rule"],
  },
  unknownRule: (rule: string) => ({
    message: `unknown rule \`${toReadable(rule)}\``,
    notes: ["this name does not suppress anything"],
    help: ["run `httpd-lint rules` to list the rules"],
  }),
  similarRule: (rule: string, near: string) => ({
    message: `unknown rule \`${toReadable(rule)}\`; did you mean \`${near}\`?`,
    notes: ["this name does not suppress anything"],
  }),
  unused: (rule: string) => ({
    message: `unused suppression of \`${toReadable(rule)}\``,
    notes: ["the rule does not report anything here"],
    help: ["delete the name from the comment"],
  }),
  lateContext: {
    message: "`httpd-lint-context` has no effect after the first directive",
    help: ["move the comment to the top of the file"],
  },
  invalidContext: (section: string) => ({
    message: `invalid context \`${toReadable(section)}\`: expected the opening line of a section`,
    help: ['use a line such as `<Directory "/srv/app">`'],
  }),
};

export const ignoreComment = defineRule({
  id: "ignore-comment",
  title: "Suppression comment without effect",
  group: "syntax",
  severity: "warning",
  isAboutServer: true,
  description: "`# httpd-lint-ignore-…` names a rule that does not exist, or that does not report anything there.",
  help: "Such a comment does not suppress anything today, and may suppress a relevant finding tomorrow. Correct the name of the rule, or delete the comment.",
  tags: ["maintainability"],
  messages,
  check: ({ project, report, ruleIds, activeRuleIds }) => ({
    ignores({ comments, used }) {
      for (const tree of project.files.values()) {
        for (const span of misspelt(tree)) {
          report({ message: messages.misspelt(span.file.text.slice(span.start, span.end)), span });
        }
      }
      for (const { source } of project.files.values())
        for (const { section, isLeading, ...place } of findContextComments(source.text)) {
          const isValid = isContextSection(section);
          const message = isValid ? messages.lateContext : messages.invalidContext(section);
          if (!isLeading || !isValid) report({ message, span: { file: source, ...place } });
        }
      for (const comment of comments) {
        if (comment.rules.length === 0) {
          report({ message: messages.noRule, span: comment.span });
        }
        if (comment.isMisplaced && comment.rules.length > 0) {
          report({ message: messages.misplaced, span: comment.span });
        }
        for (const rule of comment.rules) {
          if (!ruleIds.includes(rule) && !formerRules.has(rule)) {
            const near = findClosestWord(rule, ruleIds);
            report({
              message: near === undefined ? messages.unknownRule(rule) : messages.similarRule(rule, near),
              span: spanOf(rule, comment),
            });
          } else if (
            activeRuleIds.includes(rule) &&
            !comment.isMisplaced &&
            !used.get(comment)?.has(rule) &&
            !isLeftOut(comment, project)
          ) {
            report({
              message: messages.unused(rule),
              span: spanOf(rule, comment),
            });
          }
        }
      }
    },
  }),
});

/** Returns the span of the rule in the comment. */
function spanOf(rule: string, { span }: IgnoreComment): Span {
  const names = span.file.text.slice(span.start, span.end);
  const found = [...names.matchAll(/[^,\t ]+/g)].find(([name]) => name === rule);
  const start = span.start + (found?.index ?? 0);
  return { file: span.file, start, end: start + rule.length };
}

const mark = /^#[\t ]*(httpd-lint-[^\t-\r :]*)/;
const marks = new Set([...keywords, CONTEXT_MARK]);

/** Yields the spans of comments for httpd-lint with an unknown keyword. */
function* misspelt({ source, lines }: ConfigTree): Generator<Span> {
  if (!source.text.includes("httpd-lint-")) return;
  for (const line of lines) {
    const match = line.kind === "comment" ? mark.exec(source.text.slice(line.nameStart, line.restEnd)) : null;
    const [comment = "", word = ""] = match ?? [];
    const end = line.nameStart + comment.length;
    if (match && !marks.has(word)) yield { file: source, start: end - word.length, end };
  }
}

/**
 * Returns whether the comment is in an inactive conditional section, or its own section is or contains one: with other
 * modules, the rule may report something there.
 */
function isLeftOut({ span, reach, covers }: IgnoreComment, { files, guards }: Project): boolean {
  const tree = [...files.values()].find(({ source }) => source === span.file);
  return guards.some(
    (guard) =>
      !guard.holds &&
      guard.span.file === span.file &&
      ((guard.span.start < span.start && span.start < endOfSection(tree, guard.span.start)) ||
        (reach === "section" && covers.start <= guard.span.start && guard.span.start < covers.end)),
  );
}

/** Returns the end of the section that opens at an offset. */
function endOfSection(tree: ConfigTree | undefined, start: number): number {
  let depth = 0;
  for (const line of tree?.lines ?? []) {
    if (line.nameStart < start) continue;
    if (line.kind === "open") depth++;
    else if (line.kind === "close" && --depth === 0) return line.end;
  }
  return Number.POSITIVE_INFINITY;
}
