import { describe, expect, test } from "vitest";
import removedTable from "../../src/facts/data/removed.json" with { type: "json" };
import { findDirectiveFacts, findRemovedDirective } from "../../src/facts/directives.js";

const prefixes = ["AuthzLDAP", "AuthzDBD", "AuthzDBM", "AuthzGroupFile", "AuthzUser", "AuthzOwner"];

describe("removed directives", () => {
  test("are directives of 2.2, and one that only the upgrade guide has", () => {
    for (const { name, module } of removedTable.directives) {
      expect(findDirectiveFacts("2.4", name), name).toEqual([]);
      const known = findDirectiveFacts("2.2", name).map((facts) => facts.module);
      expect(known, name).toEqual(name === "AuthzDBDAuthoritative" ? [] : [module]);
    }
  });

  test("are complete: 2.4 has all other directives of 2.2", async () => {
    const { default: table22 } = await import("../../src/facts/data/2.2.json", { with: { type: "json" } });
    const missing = table22.directives.filter(([name = "", , , marks = ""]) => {
      return findDirectiveFacts("2.4", marks.includes("section") ? `<${name}` : name).length === 0;
    });
    const listed = removedTable.directives.map(({ name }) => name).filter((name) => name !== "AuthzDBDAuthoritative");
    expect(missing.map(([name]) => name).sort()).toEqual(listed.sort());
  });

  test.each(prefixes)("have containers as successors: %sAuthoritative", (prefix) => {
    const directive = findRemovedDirective(`${prefix}Authoritative`);
    expect(directive?.successors).toEqual(["RequireAny", "RequireNone", "RequireAll"]);
    for (const name of directive?.successors ?? []) expect(directive?.replacement).toContain(name);
  });

  test("have a replacement in one clause, which has the full names of the successors", () => {
    for (const { name, replacement, reasons, successors } of removedTable.directives) {
      for (const text of [replacement, ...reasons]) expect(text, name).toMatch(/^\w(?!.*\. ).*[^.]$/);
      expect(replacement, name).toMatch(/^[a-z]/);
      for (const successor of successors) {
        expect(replacement, name).toContain(successor);
        const known = [...findDirectiveFacts("2.4", successor), ...findDirectiveFacts("2.4", `<${successor}`)];
        expect(known, successor).not.toEqual([]);
      }
    }
  });

  test("are found in any case", () => {
    expect(findRemovedDirective("rewritelog")?.name).toBe("RewriteLog");
    expect(findRemovedDirective("LOCKFILE")?.successors).toEqual(["Mutex"]);
    expect(findRemovedDirective("Order")).toBeUndefined();
  });
});
