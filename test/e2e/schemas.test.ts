import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { createOutputSchemas } from "../../src/report/schema/index.js";
import { sampleOf } from "../support/depth.js";
import { ensureBuilt, httpdLint } from "../support/programs/command.js";
import { shippedSchema, validJson } from "../support/programs/shipped-schemas.js";

beforeAll(ensureBuilt);

const examples = readdirSync("docs/examples");

/** The arguments for the JSON of each schema, given an example. */
const commands: Readonly<Record<string, readonly string[]>> = {
  check: ["check", "EXAMPLE", "--from", "2.2", "--extend-select", "hardening", "--report-ignored"],
  statistics: ["check", "EXAMPLE", "--statistics"],
  files: ["check", "EXAMPLE", "--list-files"],
  "effective-settings": ["check", "EXAMPLE", "--show-settings"],
  recommendations: ["check", "EXAMPLE", "--statistics", "--by", "reference"],
  explain: ["explain", "EXAMPLE", "/admin/"],
  map: ["map", "EXAMPLE"],
  audit: ["audit", "EXAMPLE"],
  compare: ["compare", "EXAMPLE"],
  upgrade: ["upgrade", "EXAMPLE"],
  migrate: ["migrate", "EXAMPLE"],
};

const intranet = "docs/examples/intranet";
const log = `${intranet}/access.log`;
/** The arguments for other schemas. */
const special: Readonly<Record<string, readonly string[]>> = {
  "explain-allow": ["explain", intranet, "http://intranet.example.com/", "--allow"],
  "explain-requests": ["explain", intranet, "--requests", log],
  "compare-requests": ["compare", intranet, "--requests", log],
  test: ["test", intranet],
  rules: ["rules"],
};

describe("the JSON of", () => {
  test.each(Object.entries(commands))("%s conforms to its schema, and to the one of 0.1", (name, args) => {
    for (const example of sampleOf(examples, 6)) {
      const path = join("docs/examples", example);
      const { stdout } = httpdLint([...args.map((arg) => (arg === "EXAMPLE" ? path : arg)), "--format", "json"]);
      validJson(name, stdout);
    }
  });

  test.each(Object.entries(special))("%s conforms to its schema, and to the one of 0.1", (name, args) => {
    validJson(name, httpdLint([...args, "--format", "json"]).stdout);
  });

  test("every schema is tested", () => {
    expect([...createOutputSchemas().keys()].sort()).toEqual([...Object.keys({ ...commands, ...special })].sort());
  });
});

describe("a schema", () => {
  test.each([...createOutputSchemas()])("%s is valid, and needs no other file", (_, schema) => {
    expect(() => new Ajv2020({ strict: true }).compile(schema)).not.toThrow();
  });

  const compared = { verdict: "equivalent", differences: [], unknown: [], summary: { servers: 1, paths: 1 } };
  const valid = { ...compared, notCompared: [{ directive: "Header", before: locationAt(1) }] };

  test("accepts an output with all required fields", () => {
    expect(shippedSchema("compare")(valid)).toBe(true);
  });

  test.each([
    ["an unknown field", { ...valid, more: 1 }],
    ["a missing field", compared],
    ["an unknown verdict", { ...valid, verdict: "same" }],
    ["a line before the first", { ...valid, notCompared: [{ directive: "Header", before: locationAt(0) }] }],
    ["a directive that neither side has", { ...valid, notCompared: [{ directive: "Header" }] }],
  ])("rejects %s", (_, value) => {
    expect(shippedSchema("compare")(value)).toBe(false);
  });
});

function locationAt(line: number) {
  return { path: "httpd.conf", start: { line, column: 1 }, end: { line: 1, column: 7 } };
}
