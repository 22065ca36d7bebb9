import { allDirectives } from "../project/all-directives.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { earlySetterOf, REDIRECT_CAREFULLY } from "../scope/environment.js";
import { Once } from "../scope/once.js";
import { wordsOf } from "../scope/words.js";

/**
 * Whether any line looks at a variable, in whatever way: the value of one that lines set and never look at decides nothing.
 * Any mention of its name but by those that set it counts, be it that of something else.
 *
 * @param setting as lines write what they set: `NAME`, `NAME=VALUE`, `NAME:VALUE`
 */
export function isRead(setting: string, project: Project): boolean {
  const [name] = /^[\w-]+(?=$|[=:])/.exec(setting.replace(/^!/, "").toLowerCase()) ?? [];
  if (name === undefined || name === REDIRECT_CAREFULLY) return true;
  const words = mentioned.of(project);
  return words.has(name) || [...words].some((word) => word.endsWith(`redirect_${name}`));
}

const mentioned = new Once((project: Project): ReadonlySet<string> => {
  const words = new Set<string>();
  for (const directive of allDirectives(project))
    for (const word of readIn(directive)
      .toLowerCase()
      .match(/[\w-]+/g) ?? [])
      words.add(word);
  return words;
});

/** Lines that set what they name, or look at variables for what is logged or sent along with an answer. */
const idle: ReadonlySet<string> = new Set([
  ...["setenv", "unsetenv", "passenv"],
  ...["customlog", "logformat", "errorlogformat", "transferlog", "header"],
]);

/** What a line says without the names of what it sets. */
function readIn(directive: Directive): string {
  const { key, argumentText } = directive;
  if (idle.has(key)) return "";
  if (key === "rewriterule") return argumentText.replace(/(?<=[[,]\s*(?:E|env)=)!?[\w-]+/gi, "");
  const set = earlySetterOf(directive)?.variables ?? [];
  return wordsOf(directive)
    .slice(0, wordsOf(directive).length - set.length)
    .join(" ");
}
