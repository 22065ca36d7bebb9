/** What is hidden or obeyed where it is shown raw, and is no line end of indented JSON: those within texts are escaped. */
const hidden = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * A value as JSON in which nothing is hidden: marks that turn the direction of writing, invisible characters and control
 * characters are escapes, which say the same to whoever reads it.
 *
 * @param indent how far what is within is moved in; on one line without
 */
export function formatJson(value: object | string, indent?: number): string {
  return JSON.stringify(value, undefined, indent).replace(hidden, escapeCharacter);
}

function escapeCharacter(character: string): string {
  let text = "";
  for (let at = 0; at < character.length; at++) text += `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`;
  return text;
}

/** A path as a client sends it: what has a meaning in a URL is escaped. @param path a character a byte, or any text */
export function encodeUrlPath(path: string): string {
  return path.replace(/[^!$&'()*+,\-./0-9:;=@A-Z_a-z~]/g, (each) =>
    each.charCodeAt(0) > 0xff ? encodeURIComponent(each) : `%${each.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
