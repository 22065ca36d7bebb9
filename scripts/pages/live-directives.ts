import { findDirectiveFacts, listDirectiveNames } from "../../src/facts/directives.js";
import { releaseLines } from "../../src/facts/release.js";
import { compareTexts, getOrCreate } from "../../src/text/collections.js";
import live from "../../test/soundness/live-directives.json" with { type: "json" };

/** Returns the section on directives that no live test of proofs starts a server with. */
export function liveDirectivesSection(): string {
  const served = new Set(live.served);
  const byModule = new Map<string, Set<string>>();
  const in24 = new Set<string>();
  for (const release of releaseLines)
    for (const { name, module } of listDirectiveNames(release).flatMap((each) => findDirectiveFacts(release, each))) {
      if (served.has(name)) continue;
      if (release === "2.4") in24.add(name);
      getOrCreate(byModule, module, () => new Set<string>()).add(name);
    }
  const shownName = (name: string) => `\`${name}\`${in24.has(name) ? "" : " (2.2)"}`;
  const rows = [...byModule].sort(([one], [other]) => compareTexts(one, other));
  const listed = rows.map(
    ([module, names]) => `| ${module} | ${[...names].sort(compareTexts).map(shownName).join(", ")} |`,
  );
  return `
## Without a live test

\`npm run soundness -- --record\` starts httpd 2.4 with a pair of configurations for each directive: only one of them has the
directive, or both have other arguments. It did so with ${served.size} directives. There is no such test of the others. Their modules
are not in Debian's packages or belong to 2.2, they need another server or a file that the tests do not have, or a server that has
them does not answer HTTP requests.

| module | directives |
|---|---|
${listed.join("\n")}
`;
}
