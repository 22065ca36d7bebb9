import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { isDeep } from "../support/depth.js";
import { ensureBuilt, run } from "../support/programs/command.js";
import { copyProject, lendPackages } from "../support/programs/scratch-repository.js";
import { sharedFolder } from "../support/programs/test-folder.js";

const source = sharedFolder();
const consumer = sharedFolder();
/** The name of the packed file. */
let packed: string;

const offline = { npm_config_prefer_offline: "true", npm_config_audit: "false", npm_config_fund: "false" };

/**
 * Packs a copy, because packing rebuilds while other tests use the build; installs it into an empty folder. A sample
 * packs the existing build.
 */
beforeAll(() => {
  copyProject(source.path);
  lendPackages(source.path);
  if (!isDeep) {
    ensureBuilt();
    cpSync("dist", source.at("dist"), { recursive: true });
  }
  const words = ["pack", "--pack-destination", consumer.path, ...(isDeep ? [] : ["--ignore-scripts"])];
  const packing = run("npm", words, { cwd: source.path, env: offline });
  if (packing.status !== 0) throw new Error(packing.stderr);
  packed = packing.stdout.trim();
  consumer.write({ "package.json": '{ "private": true, "type": "module" }\n' });
  const installed = run("npm", ["install", `./${packed}`], { cwd: consumer.path, env: offline });
  if (installed.status !== 0) throw new Error(installed.stderr);
}, 300_000);

const inConsumer = (program: string, ...args: readonly string[]) =>
  run(program, args, { cwd: consumer.path, env: offline });

test("the command runs from an empty folder", () => {
  const manifest: { version: string } = JSON.parse(readFileSync("package.json", "utf8"));
  const printed = inConsumer("npx", "httpd-lint", "--version");
  expect(printed).toMatchObject({ status: 0 });
  expect(printed.stdout.split(/[\s]/)[1]).toBe(manifest.version);
  consumer.write({ "site/httpd.conf": "Optoins None\n" });
  const ran = inConsumer("node_modules/.bin/httpd-lint", "site");
  expect(ran.status).toBe(1);
  expect(ran.stdout).toContain("did you mean `Options`?");
});

test("the package contains the page of every rule", () => {
  const rules = inConsumer("node_modules/.bin/httpd-lint", "rules").stdout.match(/(?<=^ {2})\S+/gm) ?? [];
  expect(rules.length).toBeGreaterThan(0);
  const pages = readdirSync(consumer.at("node_modules/httpd-lint/dist/rules"));
  expect(pages.sort()).toEqual(rules.map((id) => `${id}.md`).sort());
});

const program = `import { readFileSync } from "node:fs";
import { defaultRules, defineRule, type Finding, lint, loadProject, memoryAccess, print, rangeOf, render } from "httpd-lint";

const noSignature = defineRule({
  id: "no-signature",
  title: "A signature",
  group: "hardening",
  severity: "warning",
  description: "ServerSignature.",
  help: "Delete it.",
  check: ({ report }) => ({
    directives: {
      serversignature: (directive) => report({ message: "no signature, please", span: directive.nameSpan }),
    },
  }),
});

const access = memoryAccess({ "/etc/httpd/httpd.conf": "ServerSignature On\\nOptoins None\\n" });
const loaded = loadProject("/etc/httpd/httpd.conf", { access });
if (!loaded.ok) throw new Error(loaded.error);
const rules = [...defaultRules, noSignature];
const { findings } = lint(loaded.value, { rules });
const show = (finding: Finding): string => \`\${rangeOf(finding.span).start.line} \${finding.severity} \${finding.rule}\`;
for (const finding of findings) console.log(show(finding));
for (const tree of loaded.value.files.values()) console.log(print(tree).length);
const text = [...render("json", { findings, ignored: [], files: 1, lines: 2, rules, version: "1", base: "/" })].join("");
console.log(JSON.parse(text).summary.error, readFileSync("package.json").length > 0);
`;

test("the library runs, and its types are correct", () => {
  consumer.write({
    "program.mts": program,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        target: "es2023",
        module: "nodenext",
        strict: true,
        skipLibCheck: false,
        exactOptionalPropertyTypes: true,
        types: ["node"],
        typeRoots: [resolve("node_modules/@types")],
      },
      files: ["program.mts"],
    }),
  });
  const compiled = run(resolve("node_modules/.bin/tsc"), ["-p", "."], { cwd: consumer.path });
  expect(compiled).toMatchObject({ status: 0, stdout: "" });
  expect(inConsumer("node", "program.mjs")).toMatchObject({
    status: 0,
    stdout: "1 warning no-signature\n2 error unknown-directive\n32\n1 true\n",
    stderr: "",
  });
});

test("the library can be loaded with require", () => {
  consumer.write({ "old.cjs": 'console.log(typeof require("httpd-lint").lint);\n' });
  expect(inConsumer("node", "old.cjs")).toMatchObject({ status: 0, stdout: "function\n" });
});

test("the package contains no path of the build machine", () => {
  const folder = join(consumer.path, "node_modules/httpd-lint");
  for (const name of ["dist/main.js", "dist/index.js", "package.json"]) {
    expect(readFileSync(join(folder, name), "utf8")).not.toContain(isDeep ? source.path : resolve("."));
  }
});

test("the package contains only the listed files, and is not too large", () => {
  const folder = join(consumer.path, "node_modules/httpd-lint");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const kinds = new Set(
    files.map((path) =>
      path
        .split("/")
        .slice(0, path.startsWith("dist/") ? 2 : 1)
        .join("/"),
    ),
  );
  // The build records its commit in a checkout; a deep run packs a copy.
  kinds.delete("dist/build.json");
  expect([...kinds].sort()).toMatchSnapshot();
  const { size } = statSync(join(consumer.path, packed));
  expect(size / 2 ** 20).toBeLessThan(7);
  const sizes = files.map((path) => statSync(join(folder, path))).map((each) => (each.isFile() ? each.size : 0));
  expect(sizes.reduce((sum, each) => sum + each, 0) / 2 ** 20).toBeLessThan(20);
  expect(sizes.filter((each) => each > 0).length).toBeLessThan(1100);
});

test("an installation adds few third-party packages", () => {
  const modules = join(consumer.path, "node_modules");
  const installed = readdirSync(modules).filter((name) => !name.startsWith(".") && name !== "httpd-lint");
  expect(installed.sort()).toEqual(["@chevrotain", "@types", "chevrotain", "lodash-es", "picocolors"]);
});

test("the bill of materials lists the packages in the bundles, with their licences", () => {
  const dist = join(consumer.path, "node_modules/httpd-lint/dist");
  const bill: { components: { name: string; version: string; licenses: { expression: string }[] }[] } = JSON.parse(
    readFileSync(join(dist, "sbom.cdx.json"), "utf8"),
  );
  const names = bill.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["chevrotain", "yargs", "zod", "vscode-languageserver"]));
  const licences = new Set(bill.components.map(({ licenses }) => licenses.map(({ expression }) => expression).join()));
  expect([...licences].sort()).toEqual(["Apache-2.0", "BSD-3-Clause", "ISC", "MIT"]);
  const notices = readFileSync(join(dist, "third-party-licences.txt"), "utf8");
  for (const { name, version } of bill.components) expect(notices).toContain(`${name} ${version} (`);
});
