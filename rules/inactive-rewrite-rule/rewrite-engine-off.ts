import {
  type Directive,
  findUndefinedVariable,
  isSince,
  type Project,
  RulePlaces,
  type Scope,
  SettingPlaces,
  suggestDirectiveName,
} from "../../src/lint/api/configuration.js";
import { createFix, defineVariant, indentOf, insertLinesBefore } from "../../src/lint/api/rule.js";

/** Where else the engine may be turned on. */
const outer = { htaccess: "a directory above", fragment: "the main server" };

const messages = {
  missing: (kind: Project["kind"]) => ({
    message: "rewrite rules have no effect without `RewriteEngine On`",
    notes: [
      "the engine is off by default",
      ...(kind === "server" ? [] : [`${outer[kind]} may turn it on, but this file is checked on its own`]),
    ],
    help: ["add `RewriteEngine On` before the first rule"],
  }),
  off: {
    message: "rewrite rules have no effect after `RewriteEngine Off`",
    help: ["use `RewriteEngine On`, or delete the rules"],
  },
};

const labels = { off: "turns the engine off" };

const fixTitles = { turnOn: "Add `RewriteEngine On`" };

export const rewriteEngineOff = defineVariant({
  id: "rewrite-engine-off",
  messages,
  check: ({ project, release, report }) => {
    const pending: { readonly scope: Scope; readonly rule: Directive; readonly first: Directive }[] = [];
    const engines = new SettingPlaces(new RulePlaces(project));
    let isOnForServer = false;
    let isMisspelled = false;
    return {
      directives: ({ key, facts }) => {
        isMisspelled ||= facts.length === 0 && suggestDirectiveName(release, key) === "RewriteEngine";
        return undefined;
      },
      scope: {
        holding: ["rewriterule", "rewriteengine"],
        visit(scope) {
          const { directives } = scope;
          const setting = settingOf(scope);
          const isOn = setting?.arguments[0]?.value.toLowerCase() === "on";
          if (isOn) engines.add(scope);
          isOnForServer ||= isOn && scope.place === "server";
          const rule = directives.find(({ key }) => key === "rewriterule");
          const isUnknown = setting !== undefined && findUndefinedVariable(setting.argumentText) !== undefined;
          if (rule === undefined || isOn || isUnknown) return;
          const first = directives.find(({ key }) => key === "rewriterule" || key === "rewritecond") ?? rule;
          if (setting === undefined) pending.push({ scope, rule, first });
          else {
            const related = [{ message: labels.off, span: setting.span }];
            report({ severity: "info", message: messages.off, span: rule.span, related });
          }
        },
      },
      end() {
        // `unknown-directive` reports the misspelled line. A conditional section may turn the engine on with other modules.
        if (isMisspelled) return;
        const inactive = new SettingPlaces(new RulePlaces(project));
        inactive.addInactive("rewriteengine", project);
        for (const { scope, rule, first } of pending) {
          const { place } = scope;
          // mod_rewrite.c `config_server_merge`, `config_perdir_merge`; 2.2 does not inherit the setting.
          const isServer = place === "server" || place === "virtualhost";
          const mayInherit = isServer ? place === "virtualhost" && isOnForServer : engines.mayApplyTo(scope);
          if (place === "unknown" || (isSince(release, "2.4") && mayInherit) || inactive.mayApplyTo(scope)) continue;
          const edit = insertLinesBefore(first.span, [`${indentOf(first.span)}RewriteEngine On`]);
          report({
            message: messages.missing(project.kind),
            span: rule.span,
            ...createFix(fixTitles.turnOn, "unsafe", edit),
          });
        }
      },
    };
  },
});

/** Returns the RewriteEngine line that applies in a scope. */
function settingOf({ directives }: Scope): Directive | undefined {
  return directives.findLast(({ key }) => key === "rewriteengine");
}
