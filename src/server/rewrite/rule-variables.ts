import type { UnknownFact } from "../model/unknown-facts.js";
import { isUnknown } from "../model/unknown-value.js";
import { expandText } from "./expansion.js";
import type { BackReferences, RewriteContext } from "./rewrite-context.js";
import type { RewriteRule } from "./rule-parser.js";

/** A variable that a rule sets in an unknown way. */
interface UnsetVariable {
  /** Its name if known, else the text of the flag. */
  readonly variable: string;
  readonly unknown: UnknownFact;
}

/**
 * Sets and unsets the variables of a rule (mod_rewrite.c `do_expand_env`). A variable of unknown value keeps it until a
 * directive reads it.
 *
 * @returns the variables that cannot be set, because their names are unknown
 */
export function setRuleVariables(
  { flags }: RewriteRule,
  references: BackReferences,
  context: RewriteContext,
): readonly UnsetVariable[] {
  const unset: UnsetVariable[] = [];
  for (const variable of flags.variables) {
    const text = expandText(variable, references, context);
    if (!isUnknown(text)) {
      setVariable(text, context);
      continue;
    }
    const [, name, value = ""] = /^([^!$%\\:][^$%\\:]*):(.*)$/s.exec(variable) ?? [];
    if (name === undefined) unset.push({ variable, unknown: text.unknown });
    else context.env.set(name.toLowerCase(), expandText(value, references, context));
  }
  return unset;
}

function setVariable(text: string, { env }: RewriteContext): void {
  if (text.startsWith("!")) env.delete(text.slice(1).toLowerCase());
  else {
    const [name = "", ...value] = text.split(":");
    env.set(name.toLowerCase(), value.join(":"));
  }
}
