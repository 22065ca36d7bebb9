import { defaultRules } from "../../rules/index.js";
import { nearest } from "../text/nearest.js";
import { exitCodes } from "./exit-codes.js";
import { failure, type Outcome } from "./outcome.js";
import { rulePage } from "./shipped.js";

/** Lists the rules, or shows the page of one. */
export function showRules(id: string | undefined): Outcome {
  if (id === undefined) return { output: [catalogue()], notes: [], exitCode: exitCodes.clean };
  const rule = defaultRules.find((each) => each.id === id);
  if (rule === undefined) {
    const near = nearest(
      id,
      defaultRules.map((each) => each.id),
    );
    return failure(
      exitCodes.usage,
      `there is no rule \`${id}\`${near ? `, did you mean \`${near}\`` : ""}; \`httpd-lint rules\` lists them`,
    );
  }
  return { output: [pageOf(rule.id)], notes: [], exitCode: exitCodes.clean };
}

function catalogue(): string {
  const width = Math.max(...defaultRules.map((rule) => rule.id.length));
  return defaultRules.map((rule) => `${rule.id.padEnd(width)}  ${rule.severity.padEnd(7)}  ${rule.title}\n`).join("");
}

function pageOf(id: string): string {
  const page = rulePage(id);
  if (page === undefined) throw new Error(`the page of the rule ${id} is missing from the package`);
  return page;
}
