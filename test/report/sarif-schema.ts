import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** Returns the schema of SARIF 2.1.0, from the optional package that ships it; only available on Linux. */
export function sarifValidator(): ValidateFunction | undefined {
  let folder: string;
  try {
    folder = dirname(createRequire(import.meta.url).resolve("@microsoft/sarif-multitool-linux/package.json"));
  } catch {
    return undefined;
  }
  const schema = JSON.parse(readFileSync(join(folder, "sarif-2.1.0.json"), "utf8"));
  return new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
}
