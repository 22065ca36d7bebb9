import { type ConfigTree, findDirectiveFacts, type Release } from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, quoteText, replaceSpan, type Span } from "../../src/lint/api/rule.js";

const messages = {
  swallowed: (name: string) => ({
    message: `${quoteText(name)} is part of the comment before it`,
    notes: ["a backslash at the end of a comment continues the comment on the next line"],
    help: ["delete the backslash"],
  }),
};

const labels = { backslash: "continues the comment" };

const fixTitles = { remove: "Delete the backslash" };

export const continuedComment = defineVariant({
  id: "continued-comment",
  messages,
  check: ({ project, release, report }) => ({
    end() {
      const trees = new Set([...project.files.values(), ...project.htaccess.map(({ tree }) => tree)]);
      for (const tree of trees)
        for (const { name, backslash } of listContinuedComments(tree, release))
          report({
            message: messages.swallowed(tree.source.text.slice(name.start, name.end)),
            span: name,
            related: [{ message: labels.backslash, span: backslash }],
            ...createFix(fixTitles.remove, "unsafe", replaceSpan(backslash, "")),
          });
    },
  }),
});

interface ContinuedComment {
  readonly backslash: Span;
  /** The name of the directive after it. */
  readonly name: Span;
}

/** Lists the directives that are part of a comment (server/util.c `ap_cfg_getline_core`). */
function* listContinuedComments({ source, lines }: ConfigTree, release: Release): Generator<ContinuedComment> {
  const { text } = source;
  // Most files have no such line, and are not read line by line.
  if (!/\\\r?\n/.test(text)) return;
  let start = 0;
  for (let index = 0; index < lines.length; index++) {
    const end = lines.endAt(index);
    if (lines.kindAt(index) === "comment") {
      const match = /\\(\r?\n[ \t]*)(<\/?\w+|\w+)(?=[ \t>\r\n]|$)/.exec(text.slice(start, end));
      const name = match?.[2] ?? "";
      if (match && findDirectiveFacts(release, name.replace("</", "<")).length > 0) {
        const at = start + match.index;
        const nameStart = at + 1 + (match[1] ?? "").length;
        yield {
          backslash: { file: source, start: at, end: at + 1 },
          name: { file: source, start: nameStart, end: nameStart + name.length },
        };
      }
    }
    start = end;
  }
}
