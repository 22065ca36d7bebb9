import type { Difference } from "../compare/compare.js";
import { type Migration, oldDirectivesIn } from "../migrate/migrate.js";
import type { Directive } from "../project/directive.js";
import type { Project } from "../project/project.js";
import { requestText } from "../scope/request-text.js";
import { counted } from "./painter.js";
import { Places } from "./places.js";

/** What is to be said beside what a migration changes. */
export function migrationNotes(migration: Migration, before: Project, base: string | undefined): readonly string[] {
  if (migration.verdict === "refused") return [];
  const places = new Places(base);
  const { files, after, byRelease } = migration;
  const left = oldDirectivesIn(after);
  const [first] = left;
  const whereOf: WhereOf = ({ span }) => `${places.path(span.file)}:${places.start(places.place(span)).line}`;
  const notes = [
    files.length === 0
      ? `httpd-lint: nothing to migrate: ${oldDirectivesIn(before).length === 0 ? "there is no old directive in it" : "what its guards hold serves a server without mod_access_compat as well"}`
      : `httpd-lint: proved: with ${files.length === 1 ? "this change" : `these changes to ${counted(files.length, "file")}`} every request${byRelease.differences.length === 0 ? "" : " but those that 2.4 itself refuses"} is answered as before by a server without mod_access_compat`,
    ...byRelease.differences.map((each) => byReleaseNote(each, whereOf)),
  ];
  if (first)
    notes.push(
      `httpd-lint: ${counted(left.length, "old directive")} left, the first at ${whereOf(first)}: the server refuses the file, and all below answers 500, now and then; see what is meant there`,
    );
  const compat = before.loadModules.find(({ identifier }) => identifier === "access_compat_module");
  if (compat && first === undefined)
    notes.push(`httpd-lint: nothing needs mod_access_compat then: take out its LoadModule line at ${whereOf(compat)}`);
  return notes;
}

type WhereOf = (of: Pick<Directive, "span">) => string;

/** What no rule about access could change. */
function byReleaseNote({ request, before, after }: Difference, whereOf: WhereOf): string {
  const [line] = after.decidedBy;
  const place = line ? ` by the rule at ${whereOf(line)}` : "";
  return `httpd-lint: set aside: ${requestText(request)} gets ${after.status}${place} on 2.4, where 2.2 answers ${before.status}, whatever the rules about access say; \`upgrade\` tells of it`;
}
