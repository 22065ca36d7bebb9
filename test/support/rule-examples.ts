import type { Given } from "./rules.js";

/**
 * A page has a fence ```apache bad for each example that the rule reports, followed by a ```text fence with its
 * findings. It has a fence ```apache good for each example that the rule does not report. After bad or good are
 * options: `kind=htaccess`, `from=2.2`, `release=2.2`, `without=mod_access_compat`, `modules=mod_a,mod_b`. A fence
 * ```apache file=PATH is a file that exists for all of them, and a fence ```text link=PATH a symbolic link to the path in it.
 */
const fence = /^```apache (bad|good)([^\n]*)\n([\s\S]*?)^```$(?:\n+^```text\n([\s\S]*?)^```$)?/gm;

const file = /^```apache file=(\S+)\n([\s\S]*?)^```$/gm;
const link = /^```text link=(\S+)\n(\S+)\n```$/gm;

/** Parses the options after `bad` or `good`. */
export function parseOptions(options: string): Given {
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

/** Returns the examples of a page: `bad` or `good`, the options, the text, and the findings. */
export function examplesOf(page: string): readonly RegExpExecArray[] {
  return [...page.matchAll(fence)];
}

/** Returns the files that exist for all examples of a page. */
export function filesOf(page: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...page.matchAll(file)].map(([, name = "", text = ""]) => [name, text]));
}

/** Returns the symbolic links for all examples of a page. */
export function linksOf(page: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...page.matchAll(link)].map(([, name = "", target = ""]) => [name, target]));
}
