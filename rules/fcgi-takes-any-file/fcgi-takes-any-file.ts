import { type DefiniteAnswer, describeAnswer, formatLineTitle, witnessOf } from "../../src/lint/api/access.js";
import { type Directive, hasProxyFlag } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  any: (line: Directive, file: string, answer: DefiniteAnswer) => ({
    message: `${formatLineTitle(line)} passes on unchecked paths`,
    notes: [`${describeAnswer(answer)} from the FastCGI program, which may run \`${file}\``],
    help: [
      'use `<FilesMatch "\\.php$">` with `SetHandler "proxy:fcgi://…"`: httpd then checks that the file exists',
      "check that `security.limit_extensions` of PHP-FPM is `.php`",
    ],
  }),
};

export const fcgiTakesAnyFile = defineRule({
  id: "fcgi-takes-any-file",
  title: "FastCGI program gets unchecked paths",
  group: "exposure",
  advice: "on its lines",
  severity: "warning",
  description:
    "A ProxyPassMatch or RewriteRule passes requests such as /photo.jpg/x.php to a FastCGI program, which may run the photo.",
  help: "httpd does not check that the file exists. PHP looks for the longest existing path, and runs that file if `cgi.fix_pathinfo` is on, which is its default, and `security.limit_extensions` of PHP-FPM allows it. Use SetHandler in a FilesMatch section.",
  securitySeverity: 6.5,
  references: { cwe: [434] },
  tags: ["security"],
  messages,
  check: () => ({
    exposure: {
      holding: ["proxypassmatch", "rewriterule"],
      *check({ line, server }, client) {
        const extension = extensionOf(line);
        if (extension === undefined) return;
        const file = `${prefixOf(line)}photo.jpg`;
        const answer = client.ask(server, { path: `${file}/x.${extension}` });
        if (answer?.answeredBy !== "backend" || answer.backend?.by !== line) return;
        yield { message: messages.any(line, file, answer), span: line.span, witness: witnessOf(answer) };
      },
    },
  }),
});

/** Returns the extension of the programs that a line passes to a FastCGI program; undefined for other lines. */
function extensionOf({ key, arguments: [pattern, to], argumentText }: Directive): string | undefined {
  const isFcgi = /^(?:unix:[^|]*\|)?fcgi:/i.test(to?.value ?? "");
  if (!isFcgi || (key === "rewriterule" && !hasProxyFlag(argumentText))) return undefined;
  return /\\\.(php|pl|py|rb)\b/i.exec(pattern?.value ?? "")?.[1];
}

/** Returns the path that a pattern begins with, up to the last slash. */
function prefixOf({ arguments: [pattern] }: Directive): string {
  return /^\^(\/(?:[\w-]+\/)*)/.exec(pattern?.value ?? "")?.[1] ?? "/";
}
