import {
  type Directive,
  findNewerDirective,
  findNewerKeyword,
  isNewest,
  isSince,
  listMaintainedReleases,
  listVersionedNames,
  type Release,
  versionOf,
} from "../../src/lint/api/configuration.js";
import { defineRule, formatWordList, quoteText, type Span } from "../../src/lint/api/rule.js";

const messages = {
  newer: (word: string, since: Release, without: readonly Release[]) => ({
    message: `${quoteText(word)} needs httpd ${since} or later`,
    notes: [
      `${formatWordList(without.map(describeRelease), "and")}, which ${without.length > 1 ? "do" : "does"} not start with this line`,
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
    const visit = (directive: Directive) => {
      const need = findNeed(directive, oldest);
      if (need === undefined || isForVersions(directive) || reported.has(need.word)) return;
      reported.add(need.word);
      const without = maintained.filter((each) => findNeed(directive, each) !== undefined);
      report({ message: messages.newer(need.word, need.since, without), span: need.span });
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

function describeRelease(release: Release): string {
  return `${release} has httpd ${versionOf(release).join(".")}`;
}
