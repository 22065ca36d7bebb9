import { expect, test } from "vitest";
import { sourceFile } from "../../../src/text/source.js";
import { at, ignoredFinding, renderReport } from "../samples.js";

const file = sourceFile("/srv/a.conf", "Order deny,allow\n");
const byComment = ignoredFinding(at(file, "Order"));

test.each(["text", "markdown", "html"] as const)("%s names the sources of suppressions", (format) => {
  const ignored = [
    byComment,
    { ...byComment, by: { kind: "baseline" as const, path: "/srv/known.json" } },
    { ...byComment, by: { kind: "settings" as const, path: "/srv/s.json", glob: "*", reason: "" } },
  ];
  expect(renderReport(format, [], { ignored })).toContain(
    "; 1 ignored by comments, 1 ignored by the settings, 1 known in the baseline",
  );
});
