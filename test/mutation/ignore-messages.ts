import type { Ignorer } from "@stryker-mutator/api/ignore";
import { declareValuePlugin, PluginKind } from "@stryker-mutator/api/plugin";

/** Three words or more: no name, value or pattern of a configuration contains two blanks, so the text is a message. */
const sentence = /\S \S+ \S/;

/** The reason that the report gives for an ignored message. */
export const messageReason = "message text";

/** Ignores the wording of messages: testing each word would not test behaviour. */
const messageIgnorer: Ignorer = {
  shouldIgnore(path) {
    const text = textOf(path);
    return text !== undefined && sentence.test(text) ? messageReason : undefined;
  },
};

/** Returns the text of a literal or a template. */
function textOf(path: object): string | undefined {
  const node: unknown = Reflect.get(path, "node");
  if (typeof node !== "object" || node === null) return undefined;
  const type: unknown = Reflect.get(node, "type");
  if (type === "StringLiteral") return String(Reflect.get(node, "value"));
  if (type !== "TemplateLiteral") return undefined;
  const quasis: unknown = Reflect.get(node, "quasis");
  if (!Array.isArray(quasis)) return undefined;
  return quasis.map((each) => String(each.value.raw)).join("x");
}

export const strykerPlugins = [declareValuePlugin(PluginKind.Ignore, "ignore-messages", messageIgnorer)];
