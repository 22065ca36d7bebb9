import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { Scope } from "../../config/model/scope.js";
import { indexDirectives } from "../../config/queries/directive-index.js";
import { type Refusal, wordingOf } from "../../config/refusals/refusal.js";
import { getOrCreate } from "../../text/collections.js";

/** An action with its value: one that begins with a quote ends with the next one, and may have commas. */
const actionPattern = /([^:,]*)(?::\s*(?:'((?:\\.|[^'\\])*)'?|([^,]*)))?[^,]*(?:,|$)/gs;

/** Returns the actions of a SecRule or SecAction line by name (ModSecurity 2, apache2/re.c `msre_parse_generic`). */
function actionsOf({ key, arguments: words }: Directive): ReadonlyMap<string, string> {
  const actions = new Map<string, string>();
  const written = key === "secrule" ? words[2] : key === "secaction" ? words[0] : undefined;
  for (const [, name = "", quoted, plain = ""] of (written?.value ?? "").matchAll(actionPattern))
    if (name.trim() !== "") actions.set(name.trim().toLowerCase(), (quoted ?? plain).trim());
  return actions;
}

/** Returns the id of a rule of mod_security; undefined if it has none. */
export function securityRuleIdOf(line: Directive): number | undefined {
  const id = actionsOf(line).get("id");
  return id !== undefined && /^\d+$/.test(id) ? Number(id) : undefined;
}

/** The number of the first rule that a help proposes. */
const FIRST_ID = 10_001;

/** The rules of mod_security so far, while httpd reads the lines. */
export class SecurityRules {
  private readonly scopes = new Map<Scope, { readonly ids: Map<number, Directive>; isChained: boolean }>();

  constructor(private readonly project: Project) {}

  /**
   * Checks the id of a rule, which is needed since 2.7: each scope has a list, and rules after one with `chain` need none
   * (apache2/apache2_config.c `add_rule`; tried with 2.9).
   */
  check(line: Directive, scope: Scope): Refusal | undefined {
    const { modules, modulesAreKnown } = this.project;
    if (modulesAreKnown && !modules.has("security2_module")) return undefined;
    const rules = getOrCreate(this.scopes, scope, () => ({ ids: new Map<number, Directive>(), isChained: false }));
    const actions = actionsOf(line);
    const isContinued = rules.isChained;
    rules.isChained = actions.has("chain");
    if (isContinued) return undefined;
    if (!actions.has("id")) {
      const hasActions = line.key === "secaction" || line.arguments.length > 2;
      return { ...wordingOf("rule-without-id", line.name, this.unusedId(), hasActions), span: line.span };
    }
    const id = securityRuleIdOf(line);
    const other = id === undefined ? undefined : rules.ids.get(id);
    if (id === undefined) return undefined;
    if (other === undefined) {
      rules.ids.set(id, line);
      return undefined;
    }
    const related = [{ message: "the other rule", span: other.span }];
    return { ...wordingOf("repeated-rule-id", id, this.unusedId()), span: line.span, related };
  }

  /** Returns a number that no rule of the files has. */
  private unusedId(): number {
    const index = indexDirectives(this.project);
    const used = new Set(["secrule", "secaction"].flatMap((key) => index.named(key).map(securityRuleIdOf)));
    let id = FIRST_ID;
    while (used.has(id)) id++;
    return id;
  }
}
