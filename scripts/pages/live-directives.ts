import { findDirectiveFacts, releases } from "../../src/facts/directives.js";
import { compareTexts, getOrCreate } from "../../src/text/collections.js";
import live from "../../test/soundness/live-directives.json" with { type: "json" };
import { directivesOf } from "../../test/soundness/mutations.js";

/** Returns the section on directives that no live test of proofs starts a server with. */
export function liveDirectivesSection(): string {
  const known = new Set(live.served);
  const byModule = new Map<string, Set<string>>();
  for (const release of releases)
    for (const { name, module } of directivesOf(release))
      if (!known.has(name)) getOrCreate(byModule, module, () => new Set<string>()).add(name);
  const rows = [...byModule].sort(([one], [other]) => compareTexts(one, other));
  const listed = rows.map(([module, names]) => {
    const is24 = [...names].some((name) => findDirectiveFacts("2.4", name).length > 0);
    return `| ${module}${is24 ? "" : " (2.2)"} | ${[...names]
      .sort(compareTexts)
      .map((name) => `\`${name}\``)
      .join(", ")} |`;
  });
  return `
## Without a live test

\`npm run soundness -- --record\` starts httpd 2.4 with a pair of configurations for each directive: only one of them has the
directive, or both have other arguments. It did so with ${known.size} directives. There is no such test of the others:
their modules are not in Debian's packages or belong to 2.2, they need another server or a file that the tests do not have, or a
server that has them does not answer HTTP requests.

| module | directives |
|---|---|
${listed.join("\n")}
`;
}
