import { describe, expect, test } from "vitest";
import type { Directive } from "../../../src/config/model/directive.js";
import type { Project } from "../../../src/config/model/project.js";
import { ComparisonProofs } from "../../../src/proof/compare/proofs.js";
import { load } from "../../support/projects.js";

function projectOf(text: string, htaccess?: string): Project {
  const more = htaccess === undefined ? {} : { "/srv/.htaccess": htaccess };
  return load({ "/etc/httpd/httpd.conf": `DocumentRoot /srv\n${text}`, ...more }, { kind: "server" });
}

function linesIn(directives: readonly Directive[], isIncluded: (line: Directive) => boolean): readonly Directive[] {
  return directives.flatMap((each) => [
    ...(isIncluded(each) ? [each] : []),
    ...linesIn(each.children ?? [], isIncluded),
  ]);
}

/** Returns whether a configuration is proved equivalent without the lines of some name. */
function isRedundant(text: string, name: RegExp, htaccess?: string): boolean {
  const project = projectOf(text, htaccess);
  const all = [...project.directives, ...project.htaccess.flatMap(({ directives }) => directives)];
  const lines = linesIn(all, (line) => name.test(`${line.name} ${line.argumentText}`));
  expect(lines).not.toEqual([]);
  return new ComparisonProofs(project, () => undefined).isRedundant(new Set(lines));
}

const at = (path: string, ...lines: readonly string[]) => `<Location "${path}">\n${lines.join("\n")}\n</Location>\n`;

describe("a proof that lines have no effect", () => {
  test("is found for a redundant rule", () => {
    expect(isRedundant(at("/x", "Require ip 10.0.0.0/8", "Require all granted"), /ip/)).toBe(true);
    expect(isRedundant(at("/x", "Require ip 10.0.0.0/8", "Require all granted"), /all/)).toBe(false);
  });

  test("considers inherited rules", () => {
    const inner = at("/x/y", "Order allow,deny", "Allow from all");
    expect(isRedundant(inner, /^(Order|Allow) /i)).toBe(true);
    expect(isRedundant(at("/x", "Order allow,deny") + inner, /^(Order|Allow) (allow,deny|from)/i)).toBe(false);
  });

  test("is found for a whole section, and for a line of a `.htaccess` file", () => {
    expect(isRedundant(at("/x", "Require all granted"), /<Location/)).toBe(true);
    expect(isRedundant(at("/x", "Require all denied"), /<Location/)).toBe(false);
    const root = "<Directory /srv>\nAllowOverride All\n</Directory>\n";
    expect(isRedundant(root, /granted/, "Require all granted\n")).toBe(true);
    expect(isRedundant(root, /denied/, "Require all denied\n")).toBe(false);
  });

  test("is limited to the virtual host of the lines, for any number of other hosts", () => {
    const others = Array.from({ length: 300 }, (_, n) => `<VirtualHost *:80>\nServerName h${n}.test\n</VirtualHost>\n`);
    const host = `<VirtualHost *:80>\nServerName own.test\n${at("/x", "Require all granted", "Require ip 10.0.0.1")}</VirtualHost>\n`;
    expect(isRedundant(others.join("") + host, / ip/)).toBe(true);
    expect(isRedundant(others.join("") + at("/x", "Require all granted", "Require ip 10.0.0.1"), / ip/)).toBe(false);
  });

  test("is not found for a fragment", () => {
    const project = load(
      { "/etc/httpd/httpd.conf": at("/x", "Require all granted", "Require ip 10.0.0.1") },
      { kind: "fragment" },
    );
    const lines = linesIn(project.directives, ({ argumentText }) => argumentText.startsWith("ip"));
    expect(new ComparisonProofs(project, () => undefined).isRedundant(new Set(lines))).toBe(false);
  });
});

describe("the comparison of an upgrade", () => {
  test("is computed once, and only if the previous release is known", () => {
    const project = projectOf(at("/x", "Deny from all", "Satisfy any"));
    const old = load(
      { "/etc/httpd/httpd.conf": `DocumentRoot /srv\n${at("/x", "Deny from all", "Satisfy any")}` },
      { kind: "server", release: "2.2" },
    );
    let loadCount = 0;
    const proofs = new ComparisonProofs(project, () => {
      loadCount++;
      return old;
    });
    expect(proofs.upgrade()?.differences.map(({ request }) => request.path)).toEqual(["/x"]);
    expect(proofs.upgrade()).toBe(proofs.upgrade());
    expect(loadCount).toBe(1);
    expect(new ComparisonProofs(project, () => undefined).upgrade()).toBeUndefined();
  });
});
