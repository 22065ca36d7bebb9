import { defaultRules } from "../../rules/index.js";
import type { RuleDefinition } from "../engine/rule.js";
import { levelOf, ratedRule } from "../settings/levels.js";
import type { Settings } from "../settings/settings.js";
import { nearest } from "../text/nearest.js";

/** The flags that choose rules: names between commas. */
export interface RuleFlags {
  readonly select?: readonly string[] | undefined;
  readonly disable?: readonly string[] | undefined;
}

const ruleIds = defaultRules.map(({ id }) => id);

/** Whether there is a rule of that name. */
export function isRule(id: string): boolean {
  return ruleIds.includes(id);
}

/** The rules that run, as grave as the settings have them: `--select` brings back one that is off there. */
export function chosenRules(
  flags: RuleFlags,
  settings: Settings | undefined,
): { readonly rules: readonly RuleDefinition[] } | { readonly failed: string } {
  const select = (flags.select ?? []).flatMap((list) => list.split(","));
  const disable = (flags.disable ?? []).flatMap((list) => list.split(","));
  const unknown = [...select, ...disable].find((id) => !isRule(id));
  if (unknown !== undefined) {
    const near = nearest(unknown, ruleIds);
    return {
      failed: `there is no rule \`${unknown}\`${near ? `, did you mean \`${near}\`` : ""}; \`httpd-lint rules\` lists them`,
    };
  }
  const isChosen = (id: string) => (select.length > 0 ? select.includes(id) : levelOf(settings, id) !== "off");
  const chosen = defaultRules.filter(({ id }) => isChosen(id) && !disable.includes(id));
  return { rules: chosen.map((rule) => ratedRule(rule, settings)) };
}
