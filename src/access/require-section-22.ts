import type { Directive } from "../project/directive.js";
import type { AskedClient } from "./asked-client.js";
import { limitsOf } from "./limits.js";
import { stranger } from "./sample-clients.js";
import type { Removable, SectionAnswer, SectionRules } from "./section-answers.js";
import { isForMethod } from "./state.js";

/**
 * The Require lines of a section on 2.2, where each module looks at its own words and others may decide ahead of it: what
 * is kept of them is all that any module can see, whatever its settings.
 */
export function requireSection22(lines: readonly Directive[]): SectionRules | undefined {
  if (lines.length === 0) return undefined;
  return {
    get removables() {
      return lines.map(removable);
    },
    answers: (client) => answer(lines, client),
    without: (directive) => requireSection22(lines.filter((line) => line !== directive)),
  };
}

function removable(directive: Directive): Removable {
  return {
    directive,
    inner: [],
    speaksTo: (client) => answer([directive], client).by.length > 0,
    samples: [stranger, { ...stranger, user: directive.arguments[1]?.value ?? "somebody" }],
    rivalsIn: (by) => by,
  };
}

function answer(all: readonly Directive[], client: AskedClient): SectionAnswer {
  const lines = all.filter((line) => isForMethod(limitsOf(line), client.request));
  const { user } = client;
  // Whoever is nobody is asked for a password wherever there is a line.
  if (lines.length === 0 || user === undefined) return { result: `${lines.length > 0}`, by: lines };
  const valid = lines.filter((line) => wordOf(line) === "valid-user");
  const named = linesFor(lines, "user", (name) => client.isUser(name));
  const inGroup = linesFor(lines, "group", (name) => client.isInGroup(name));
  const users = lines.some((line) => wordOf(line) === "user");
  const others = lines.filter((line) => !known.has(wordOf(line)));
  // In which order these come matters to mod_authz_owner and to those behind it.
  const inOrder = others.length === 0 ? [] : lines.filter((line) => wordOf(line) === "group" || others.includes(line));
  const groups = lines.some((line) => wordOf(line) === "group");
  return {
    result: [
      valid.length > 0 ? "valid" : `${users} ${named.length > 0}`,
      `${groups} ${inGroup.length > 0}`,
      ...inOrder.map(({ argumentText }) => argumentText),
    ].join("\n"),
    by: [...valid, ...named, ...inGroup],
  };
}

const known: ReadonlySet<string> = new Set(["valid-user", "user", "group"]);

function wordOf({ arguments: [word] }: Directive): string {
  return word?.value.toLowerCase() ?? "";
}

/** The lines that have a word behind their own that is met. */
function linesFor(lines: readonly Directive[], word: string, isMet: (name: string) => boolean): readonly Directive[] {
  return lines.filter((line) => {
    if (wordOf(line) !== word) return false;
    const names = line.arguments.slice(1).map(({ value }) => value);
    return names.filter(isMet).length > 0;
  });
}
