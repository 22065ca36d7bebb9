import type { Found } from "./credentials.js";

/** Flags of well-known commands whose names do not say that a secret follows: `curl -u USER:PASSWORD`, `mysql -pPASSWORD`. */

const bare = "[^\\s\"'\\\\`|;]+";
const user = "[^\\s:\"'|;]{1,128}:(?!//)";
const commands = [
  {
    command: /\bcurl\b/g,
    flag: new RegExp(
      String.raw`\s(?:-[A-Za-z#]{0,10}[uU]|--(?:proxy-)?user[\s=])\s*(?:\\?"${user}([^"\\\n]+)|'${user}([^'\n]+)|${user}(${bare}))`,
      "dg",
    ),
  },
  {
    command: /\b(?:mysql|mariadb)(?:-?[a-z]{1,16}){0,2}(?=\s)/g,
    flag: new RegExp(String.raw`\s-p(?:\\?"([^"\\\n]+)|'([^'\n]+)|(${bare}))`, "dg"),
  },
];

/** Further from its command no flag is looked for. */
const REACH = 512;

/** The secrets that flags of commands give, where a command stands in a line. */
export function secretsOfCommands(text: string): Found[] {
  return commands.flatMap(({ command, flag }) => {
    const ends = [...text.matchAll(command)].map(({ 0: name, index }) => index + name.length);
    return ends.flatMap((from, index) => {
      const words = text.slice(from, Math.min(from + REACH, ends[index + 1] ?? text.length));
      return [...words.matchAll(flag)].flatMap(({ indices = [] }) =>
        indices.slice(1).flatMap((each) => (each ? [{ start: from + each[0], end: from + each[1] }] : [])),
      );
    });
  });
}
