import { defineRule } from "../../src/engine/rule.js";
import type { Directive } from "../../src/project/directive.js";
import { inspectorOf, type NotAllowed } from "../../src/witness/inspector.js";
import { lineTitle, requestText } from "../../src/witness/judging.js";

export const overrideMissing = defineRule({
  id: "override-missing",
  title: "A .htaccess file that is not allowed what it says",
  severity: "error",
  description: "A directive in a `.htaccess` file that AllowOverride does not allow there, or no AllowOverride at all.",
  help: "A `.htaccess` file with one directive that is not allowed answers every request below it with 500. Without any AllowOverride on the way 2.4 still reads the file and allows nothing, where 2.2 allowed everything. `AllowOverride None` has the file left alone. Allow in the server's files what the `.htaccess` file says, or take it out there.",
  tags: ["upgrade", "access-control"],
  check: ({ project, release, report }) => ({
    project() {
      if (project.kind !== "server" || release !== "2.4") return;
      const inspector = inspectorOf(project);
      for (const file of project.htaccess) {
        const found = inspector.notAllowedIn(file);
        if (found === undefined) continue;
        const { allowed, span, seen } = found;
        report({
          message: messageOf(found),
          span,
          related: allowed ? [{ message: `${lineTitle(allowed)} is in force here`, span: allowed.span }] : [],
          witness: inspector.witness(seen),
        });
      }
    },
  }),
});

function messageOf({ directive, allowed, seen }: NotAllowed): string {
  const what = directive ? `\`${directive.name}${directive.children ? ">" : ""}\`` : "what stands here";
  const why = allowed
    ? `${lineTitle(allowed)} does not allow ${what} in this file`
    : `no AllowOverride is in force for this file, and 2.4 then allows nothing in it, ${what} first of all`;
  const needed = directive ? neededFor(directive) : "what the file says";
  return `${why}, so ${requestText(seen.request)} gets 500, like all below; allow ${needed} with AllowOverride in the \`<Directory>\` of the server's files, or write \`AllowOverride None\` there to have the file left alone`;
}

/** The classes that allow a directive. */
function neededFor({ known }: Directive): string {
  const classes = [...new Set(known.facts.flatMap(({ override }) => override))].filter((each) => each !== "All");
  return classes.length === 0 ? "`All`" : classes.map((each) => `\`${each}\``).join(" or ");
}
