import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Given } from "./rules.js";

/** An example of a rule's page. */
export interface PageExample {
  readonly verdict: "bad" | "good";
  readonly text: string;
  /** The findings on the page. */
  readonly expected: string;
  readonly given: Given;
}

/** The page of a rule, with its examples. */
export interface RulePage {
  readonly text: string;
  readonly examples: readonly PageExample[];
}

/**
 * A page has a fence ```apache bad for each example that the rule reports, followed by a ```text fence with its
 * findings. It has a fence ```apache good for each example that the rule does not report. After bad or good are
 * options: `kind=htaccess`, `from=2.2`, `release=2.2`, `without=mod_access_compat`, `modules=mod_a,mod_b`. A fence
 * ```apache file=PATH is a file that exists for all of them, and a fence ```text link=PATH a symbolic link to the path in it.
 */
const fence = /^```apache (bad|good)([^\n]*)\n([\s\S]*?)^```$(?:\n+^```text\n([\s\S]*?)^```$)?/gm;

const file = /^```apache file=(\S+)\n([\s\S]*?)^```$/gm;
const link = /^```text link=(\S+)\n(\S+)\n```$/gm;

/** Reads the page of a rule; a page that does not exist is empty. */
export function readRulePage(id: string): RulePage {
  const path = join("rules", id, `${id}.md`);
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const files = Object.fromEntries([...text.matchAll(file)].map(([, name, content]) => [name, content ?? ""]));
  const links = Object.fromEntries([...text.matchAll(link)].map(([, name, target]) => [name, target ?? ""]));
  const examples = [...text.matchAll(fence)].map(([, verdict, options = "", example = "", expected = ""]) => ({
    verdict: verdict === "bad" ? ("bad" as const) : ("good" as const),
    text: example,
    expected,
    given: { ...parseOptions(options), files, links },
  }));
  return { text, examples };
}

function parseOptions(options: string): Given {
  const words = new Map(
    options
      .trim()
      .split(/\s+/)
      .filter(Boolean)
      .map((word) => word.split("=", 2) as [string, string]),
  );
  const kind = words.get("kind");
  const release = words.get("release");
  const modules = words.get("modules");
  const without = words.get("without");
  return {
    ...(kind === "htaccess" || kind === "fragment" ? { kind } : {}),
    ...(release === "2.2" ? { release } : {}),
    ...(words.get("from") === "2.2" ? { from: "2.2" as const } : {}),
    ...(modules ? { modules: modules.split(",") } : {}),
    ...(without ? { withoutModules: without.split(",") } : {}),
  };
}
