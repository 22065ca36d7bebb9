const escapes: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\v": "\\v",
  "\\": "\\\\",
};

/**
 * A binary string as httpd writes it into its logs: on one line, in printable ASCII (server/util.c `ap_escape_logitem`,
 * `ap_escape_errorlog_item`).
 *
 * @param quotes whether quotes are escaped, too, as in the access log
 */
export function logText(text: string, quotes: boolean): string {
  const escaped = text.replace(
    /[^ -~]|\\/g,
    (byte) => escapes[byte] ?? `\\x${byte.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return quotes ? escaped.replaceAll('"', '\\"') : escaped;
}
