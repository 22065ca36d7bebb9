/** For rules: declaring a rule, reporting findings, writing their texts, and fixing the configuration's text. */

// The rule:

export { formerRules } from "../former-rules.js";
export {
  defineRule,
  defineVariant,
  type ProvedDifference,
  type ProvedExample,
  type RuleContext,
  type RuleDefinition,
} from "../rule.js";
export { isEnabledByDefault } from "../rule-groups.js";
export { type IgnoreComment, ignoreMarks } from "../suppressions.js";

// What it reports:

export type { Related } from "../../config/refusals/refusal.js";
export {
  createFix,
  type Fix,
  type HeaderForMany,
  type MessageText,
  partsOfText,
  type Report,
  type RootCause,
  type Severity,
  textKeyOf,
} from "../finding.js";
export { DuplicateGrouper } from "../root-causes.js";

// Its messages:

export type { Certificate } from "../../config/files/certificate.js";
export {
  isWindowsPath,
  isWithin,
  nativePath,
  pathKey,
  resolvePath,
  stripTrailingSlash,
  withTrailingSlash,
} from "../../config/files/paths.js";
export {
  describeRejectionEffect,
  NO_START,
  type RejectionEffect,
  rejectionEffectOf,
} from "../../config/refusals/refusal.js";
export type { PasswordUser } from "../../server/model/file-tree.js";
export { findClosestWord } from "../../text/closest-word.js";
export { getOrCreate } from "../../text/collections.js";
export { describeCommentMove, toCommentBefore } from "../../text/comments.js";
export { encodeUrlPath } from "../../text/escaping.js";
export { findHostName } from "../../text/host-names.js";
export { memoize } from "../../text/memoize.js";
export { lineAt, toReadable } from "../../text/source.js";
export { formatCount, formatWordList, pluralize, quoteShort, quoteText, shortenText } from "../../text/words.js";

// Its edits:

export { doubleQuote, quoteLike, quoteRewriteWord } from "../../../grammar/arguments.js";
export type { ShownAnswer } from "../../server/model/answer-class.js";
export {
  combineEdits,
  type Edit,
  indentOf,
  insertLinesAfter,
  insertLinesBefore,
  moveLinesBefore,
  removeLines,
  replaceAllLines,
  replaceLines,
  replaceSpan,
} from "../../text/edits.js";
export type { Span } from "../../text/source.js";
