import { describe, expect, test } from "vitest";
import removedTable from "../../src/directives/data/removed.json" with { type: "json" };
import { findDirectiveFacts, findRemovedDirective } from "../../src/directives/directives.js";

const switches = ["AuthzLDAP", "AuthzDBD", "AuthzDBM", "AuthzGroupFile", "AuthzUser", "AuthzOwner"];

describe("directives that 2.4 refuses", () => {
  test("are 2.2's 26, and one that only the upgrade guide knows", () => {
    expect(removedTable.directives).toHaveLength(27);
    for (const { name, module } of removedTable.directives) {
      expect(findDirectiveFacts("2.4", name), name).toEqual([]);
      const known = findDirectiveFacts("2.2", name).map((facts) => facts.module);
      expect(known, name).toEqual(name === "AuthzDBDAuthoritative" ? [] : [module]);
    }
  });

  test("are all there are: every other directive of 2.2 is still known", async () => {
    const { default: table22 } = await import("../../src/directives/data/2.2.json", { with: { type: "json" } });
    const gone = table22.directives.filter(([name = "", , , marks = ""]) => {
      return findDirectiveFacts("2.4", marks.includes("section") ? `<${name}` : name).length === 0;
    });
    const listed = removedTable.directives.map(({ name }) => name).filter((name) => name !== "AuthzDBDAuthoritative");
    expect(gone.map(([name]) => name).sort()).toEqual(listed.sort());
  });

  test.each(switches)("%sAuthoritative: containers take its place", (prefix) => {
    const directive = findRemovedDirective(`${prefix}Authoritative`);
    expect(directive?.successors).toEqual(["RequireAny", "RequireNone", "RequireAll"]);
    for (const name of directive?.successors ?? []) expect(directive?.replacement).toContain(name);
  });

  test("say in a clause what to do in their place, and name it in full", () => {
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
