import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { earlySetterOf } from "../scope/environment.js";
import { wordsOf } from "../scope/words.js";

/** The variables that lines of some configurations set, in lower case. */
export function ownVariablesOf(projects: readonly Project[]): ReadonlySet<string> {
  const names = new Set<string>();
  const walk = (directives: readonly Directive[]) => {
    for (const directive of directives) {
      for (const name of namesIn(directive)) names.add(name.toLowerCase());
      if (directive.children) walk(directive.children);
    }
  };
  for (const { directives, htaccess } of projects) {
    walk(directives);
    for (const file of htaccess) walk(file.directives);
  }
  return names;
}

function namesIn(directive: Directive): readonly string[] {
  switch (directive.key) {
    case "setenv":
      return wordsOf(directive).slice(0, 1);
    case "passenv":
      return wordsOf(directive);
    case "rewriterule":
      return [...directive.argumentText.matchAll(/[[,](?:E|env)=!?([^:,\]]+)/gi)].map(([, name = ""]) => name);
    default:
      return (earlySetterOf(directive)?.variables ?? []).map((word) => word.replace(/^!/, "").replace(/=.*$/s, ""));
  }
}
