import { defineRule } from "../../src/lint/api/rule.js";
import { attachedFlags } from "./attached-flags.js";
import { commaInArguments } from "./comma-in-arguments.js";
import { commentInArguments } from "./comment-in-arguments.js";
import { continuedComment } from "./continued-comment.js";
import { setenvEqualsSign } from "./setenv-equals-sign.js";
import { surplusArguments } from "./surplus-arguments.js";
import { typographicQuote } from "./typographic-quote.js";
import { unclosedQuote } from "./unclosed-quote.js";
import { unreadExpression } from "./unread-expression.js";

export const misreadLine = defineRule({
  id: "misread-line",
  title: "Text that httpd reads differently",
  group: "correctness",
  severity: "warning",
  description:
    "Quotes, comments, commas, equals signs, flags, delimiters or further words that httpd reads as a part of another argument or line, or ignores.",
  help: "httpd separates arguments by spaces only. A comment begins at the start of a line, and continues on the next line after a backslash. Only straight quotes are quotes, and flags are an argument of their own. Separate arguments by spaces, use straight quotes, and write each comment on a line of its own.",
  tags: ["correctness"],
  variants: [
    attachedFlags,
    commaInArguments,
    commentInArguments,
    continuedComment,
    setenvEqualsSign,
    surplusArguments,
    typographicQuote,
    unclosedQuote,
    unreadExpression,
  ],
});
