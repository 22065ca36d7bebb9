import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";

const folder = "dist/schemas";
const usual: Options = { allErrors: true, strictTypes: false };

/** Returns a schema as packaged, with those that it refers to. @param name such as `check` */
export function shippedSchema(name: string, options: Options = usual): ValidateFunction {
  const ajv = new Ajv2020(options);
  for (const file of readdirSync(folder)) ajv.addSchema(JSON.parse(readFileSync(join(folder, file), "utf8")), file);
  const validate = ajv.getSchema(`${name}.schema.json`);
  if (validate === undefined) throw new Error(`there is no schema ${name}`);
  return validate;
}

/** Parses JSON, which must conform to a shipped schema. */
export function validJson(name: string, text: string, options: Options = usual): unknown {
  const validate = shippedSchema(name, options);
  const value: unknown = JSON.parse(text);
  expect(validate(value), JSON.stringify(validate.errors)).toBe(true);
  return value;
}
