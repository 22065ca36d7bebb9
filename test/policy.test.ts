import { existsSync, readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const forms = ".github/ISSUE_TEMPLATE";
const issueForm = z.object({
  name: z.string(),
  description: z.string(),
  body: z.array(
    z.object({
      type: z.enum(["markdown", "textarea"]),
      id: z.string().optional(),
      attributes: z.object({ label: z.string().optional(), description: z.string().optional() }).loose(),
      validations: z.object({ required: z.boolean() }).optional(),
    }),
  ),
});
const version: unknown = JSON.parse(readFileSync("package.json", "utf8")).version;

describe("forms for issues", () => {
  const names = readdirSync(forms).filter((name) => name !== "config.yml");

  it("exist for each kind of report", () => {
    expect(names.sort()).toEqual(["false-finding.yml", "missed-mistake.yml", "wrong-answer.yml"]);
  });

  it.each(names)("%s requires the smallest file and the version of httpd", (name) => {
    const { body } = issueForm.parse(parse(readFileSync(`${forms}/${name}`, "utf8")));
    const required = body.filter(({ validations }) => validations?.required);
    expect(required.some(({ attributes }) => attributes.label?.startsWith("Smallest configuration"))).toBe(true);
    expect(required.some(({ attributes }) => attributes.description?.includes("`httpd -V`"))).toBe(true);
    const ids = body.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe("pages for contributors", () => {
  it.each(["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"])("%s links to files that exist", (page) => {
    const links = [...readFileSync(page, "utf8").matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)].map(
      ([, target]) => target ?? "",
    );
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter((target) => !existsSync(target))).toEqual([]);
  });

  it("cite the version of the package", () => {
    expect(parse(readFileSync("CITATION.cff", "utf8")).version).toBe(version);
  });
});

describe("the changelog", () => {
  const text = readFileSync("CHANGELOG.md", "utf8");

  it("has a section for the version of the package, and one for later changes", () => {
    const sections = [...text.matchAll(/^## \[(.+?)\]/gm)].map(([, name]) => name);
    expect(sections.slice(0, 2)).toEqual(["Unreleased", version]);
  });

  it("describes the first version on one page", () => {
    expect(text.slice(text.indexOf(`## [${version}]`)).split("\n").length).toBeLessThan(120);
  });
});
