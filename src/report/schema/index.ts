import * as z from "zod";
import { compareRequestsOutput, explainOutput, explainRequestsOutput, testOutput } from "./answers.js";
import { allowOutput, auditOutput, compareOutput, mapOutput, migrateOutput, upgradeOutput } from "./comparisons.js";
import {
  checkOutput,
  fileListOutput,
  recommendationsOutput,
  rulesOutput,
  settingsOutput,
  statisticsOutput,
} from "./findings.js";

/** The definitions of all JSON outputs, by the name of the schema. */
const outputs = {
  audit: auditOutput,
  check: checkOutput,
  compare: compareOutput,
  "compare-requests": compareRequestsOutput,
  "effective-settings": settingsOutput,
  explain: explainOutput,
  "explain-allow": allowOutput,
  "explain-requests": explainRequestsOutput,
  files: fileListOutput,
  map: mapOutput,
  migrate: migrateOutput,
  recommendations: recommendationsOutput,
  rules: rulesOutput,
  statistics: statisticsOutput,
  test: testOutput,
  upgrade: upgradeOutput,
} as const;

/** Returns the JSON schemas of all outputs, by name. */
export function createOutputSchemas(): ReadonlyMap<string, object> {
  return new Map(Object.entries(outputs).map(([name, output]) => [name, createOutputSchema(output)]));
}

function createOutputSchema(output: z.ZodType): object {
  const { $schema, title, description, ...rest } = z.toJSONSchema(output, {
    override({ jsonSchema }) {
      // zod limits integers to those that a double represents exactly.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { $schema, title, description, ...rest };
}
