/** A path as a client sends it: what has a meaning in a URL is escaped. @param path a character a byte, or any text */
export function sentPath(path: string): string {
  return path.replace(/[^!$&'()*+,\-./0-9:;=@A-Z_a-z~]/g, (each) =>
    each.charCodeAt(0) > 0xff ? encodeURIComponent(each) : `%${each.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
}
