import type { Layer } from "./layer.js";
import { wordsOf } from "./words.js";

const optionLines: ReadonlySet<string> = new Set(["options"]);
const all = ["indexes", "includes", "followsymlinks", "execcgi"];

/** The Options in force, lower case: with a sign a word changes what is inherited, without it replaces all (server/core.c). */
export function optionsIn(layers: readonly Layer[]): ReadonlySet<string> {
  let options = new Set(["followsymlinks"]);
  for (const layer of layers) {
    for (const directive of layer.only(optionLines)) {
      const words = wordsOf(directive).map((word) => word.toLowerCase());
      if (words.some((word) => !/^[+-]/.test(word))) options = new Set();
      for (const word of words) {
        const bare = word.replace(/^[+-]/, "");
        if (bare === "none") options = new Set();
        else
          for (const name of bare === "all" ? all : [bare])
            word.startsWith("-") ? options.delete(name) : options.add(name);
      }
    }
  }
  return options;
}
