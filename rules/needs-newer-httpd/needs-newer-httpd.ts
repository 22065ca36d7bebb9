import {
  type Directive,
  findNewerDirective,
  findNewerKeyword,
  hasModule,
  identifierOf,
  isNewest,
  isSince,
  listMaintainedReleases,
  listVersionedNames,
  type Release,
  type Scope,
  versionOf,
} from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, quoteText, type Span } from "../../src/lint/api/rule.js";

const messages = {
  newer: ({ word, since }: Need, without: readonly Release[], inHtaccess: boolean) => ({
    message: `${quoteText(word)} needs httpd ${since} or later`,
    notes: [
      `${formatWordList(without.map(describeRelease), "and")}, which ${describeEffect(without.length > 1, inHtaccess)} with this line`,
    ],
    help: [
      "name the version of the server with `--release`, or put the line in a section " +
        `\`<IfVersion >= ${since}>\` if older servers read it`,
    ],
  }),
};

export const needsNewerHttpd = defineRule({
  id: "needs-newer-httpd",
  title: "Line that maintained older versions reject",
  group: "startup",
  severity: "info",
  description:
    "A directive or a word that the httpd of a maintained distribution does not have, if no version is named.",
  help: "Distributions keep the version of httpd with which they were released. Their httpd does not start with a line of a later version. Name the version of the server with `--release`: the line is then an error or correct.",
  tags: ["correctness"],
  messages,
  check: ({ release, now, report }) => {
    // If the server has an older version, other rules report what it does not have.
    if (!isNewest(release) || !isSince(release, "2.4")) return {};
    const maintained = listMaintainedReleases(now);
    const [oldest] = maintained;
    if (oldest === undefined) return {};
    const reported = new Set<string>();
    const visit = (directive: Directive, { inHtaccess }: Scope) => {
      const need = findNeed(directive, oldest);
      if (need === undefined || isForVersions(directive) || reported.has(need.word)) return;
      const without = maintained.filter((each) => findNeed(directive, each) && !isForNewerModule(directive, each));
      if (without.length === 0) return;
      reported.add(need.word);
      report({ message: messages.newer(need, without, inHtaccess), span: need.span });
    };
    return { directives: Object.fromEntries(listVersionedNames("2.4").map((name) => [name, visit])) };
  },
});

/** What a line needs that a release does not have. */
interface Need {
  readonly word: string;
  readonly since: Release;
  readonly span: Span;
}

function findNeed(directive: Directive, release: Release): Need | undefined {
  const since = findNewerDirective(directive.name, release);
  return since === undefined
    ? findNewerKeyword(directive, release)
    : { word: directive.name, since, span: directive.nameSpan };
}

/** Reports whether a section around a directive tests for the version, or for a directive. */
function isForVersions({ guard }: Directive): boolean {
  for (let each = guard; each; each = each.parent)
    if (["<ifversion", "<ifdirective", "<ifsection"].includes(each.kind)) return true;
  return false;
}

/** Reports whether a section around a directive tests for a module that a release does not have, so that it skips the section. */
function isForNewerModule({ guard }: Directive, release: Release): boolean {
  for (let each = guard; each; each = each.parent)
    if (each.kind === "<ifmodule" && !each.negated && !hasModule(release, identifierOf(each.argument))) return true;
  return false;
}

function describeEffect(areSeveral: boolean, inHtaccess: boolean): string {
  if (inHtaccess) return areSeveral ? "return 500" : "returns 500";
  return areSeveral ? "do not start" : "does not start";
}

function describeRelease(release: Release): string {
  return `${release} has httpd ${versionOf(release).join(".")}`;
}
