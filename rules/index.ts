import type { RuleDefinition } from "../src/engine/rule.js";
import { ignoreComment } from "./ignore-comment/ignore-comment.js";
import { misplacedDirective } from "./misplaced-directive/misplaced-directive.js";
import { syntaxError } from "./syntax-error/syntax-error.js";
import { unclosedGuard } from "./unclosed-guard/unclosed-guard.js";
import { unclosedQuote } from "./unclosed-quote/unclosed-quote.js";
import { undefinedVariable } from "./undefined-variable/undefined-variable.js";
import { unknownDirective } from "./unknown-directive/unknown-directive.js";

/** Every rule there is: this list is the only registry. A test holds it against the folders and their pages. */
export const defaultRules: readonly RuleDefinition[] = [
  ignoreComment,
  misplacedDirective,
  syntaxError,
  unclosedGuard,
  unclosedQuote,
  undefinedVariable,
  unknownDirective,
];
