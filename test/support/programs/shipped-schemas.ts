import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";

const folder = "dist/schemas";
const usual: Options = { allErrors: true, strictTypes: false };

const shippedSchemas: ReadonlyMap<string, object> = new Map(
  readdirSync(folder).map((file) => [file, JSON.parse(readFileSync(join(folder, file), "utf8"))]),
);
/** The schemas of 0.1, without their descriptions: programs that use them must be able to read the output. */
const earlierSchemas: ReadonlyMap<string, object> = new Map(
  Object.entries(JSON.parse(readFileSync("test/fixtures/schemas-0.1.json", "utf8"))),
);

const destination = ["location", "target", "file", "query", "handler", "answeredBy"];

/** The optional fields that outputs have since 0.1, which CHANGELOG.md names; after a dot, those of the elements of a list. */
const laterFields: Readonly<Record<string, readonly string[]>> = {
  check: ["unchecked", "assumedModules"],
  audit: ["servers.entryPoints"],
  compare: ["servers", "provedExcept", "uncomparedRequests"],
  explain: [
    "causes",
    "usual",
    "request.tls",
    "notApplied",
    "contentType",
    "headerLines",
    "otherReadings",
    "trace.replaced.directives",
    ...destination,
    ...[...destination, "unknown"].map((name) => `alternatives.${name}`),
  ],
  "compare-requests": ["summary.withoutHost"],
  "explain-requests": ["summary.withoutHost"],
  map: ["servers.entryPoints"],
  migrate: ["servers", "provedExcept"],
  upgrade: ["notOf22", "answers.uncomparedRequests", "review.servers.entryPoints"],
};

/** Returns a schema as packaged, with those that it refers to. @param name such as `check` */
export function shippedSchema(name: string, options: Options = usual): ValidateFunction {
  return compileSchema(shippedSchemas, name, options);
}

function compileSchema(all: ReadonlyMap<string, object>, name: string, options: Options): ValidateFunction {
  const ajv = new Ajv2020(options);
  for (const [file, schema] of all) ajv.addSchema(schema, file);
  const validate = ajv.getSchema(`${name}.schema.json`);
  if (validate === undefined) throw new Error(`there is no schema ${name}`);
  return validate;
}

/** Parses JSON, which must conform to a shipped schema, and to the earlier one of the same output, if there is one. */
export function validJson(name: string, text: string, options: Options = usual): unknown {
  const value: unknown = JSON.parse(text);
  const expectValid = (schemas: ReadonlyMap<string, object>, output: unknown) => {
    const validate = compileSchema(schemas, name, options);
    expect(validate(output), JSON.stringify(validate.errors)).toBe(true);
  };
  expectValid(shippedSchemas, value);
  if (earlierSchemas.has(`${name}.schema.json`))
    expectValid(earlierSchemas, withoutFields(value, laterFields[name] ?? []));
  return value;
}

function withoutFields(output: unknown, fields: readonly string[]): unknown {
  if (Array.isArray(output)) return output.map((each) => withoutFields(each, fields));
  if (typeof output !== "object" || output === null || fields.length === 0) return output;
  const within = (key: string) =>
    fields.flatMap((field) => (field.startsWith(`${key}.`) ? [field.slice(key.length + 1)] : []));
  const kept = Object.entries(output).filter(([key]) => !fields.includes(key));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutFields(value, within(key))]));
}
