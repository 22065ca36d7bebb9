import { type Directive, indexDirectives, type Project } from "../../src/lint/api/configuration.js";
import type { Report, Span } from "../../src/lint/api/rule.js";

export const unsupportedMpmMessages = {
  /** @param needsPrefork whether PHP runs as a module, which usually needs that MPM */
  http2: (isOffered: boolean, needsPrefork: boolean) => ({
    message: "mod_http2 does not work with the MPM prefork",
    notes: [
      "httpd warns at start (AH10034)",
      ...(isOffered ? ["browsers get HTTP/1.1: httpd does not offer HTTP/2 in the TLS handshake"] : []),
    ],
    help: [
      "to use HTTP/2, load `mpm_event_module` in place of `mpm_prefork_module`",
      ...(needsPrefork ? ["before that, run PHP with PHP-FPM in place of mod_php, which needs the MPM prefork"] : []),
    ],
  }),
};

const labels = { mpm: "the MPM" };

/** Finds mod_http2 beside the MPM that it does not support (modules/http2/h2_c1.c, mod_http2.c `h2_post_config`). */
export function findUnsupportedMpm(project: Project): readonly Report[] {
  const { loadModules, modules } = project;
  const [http2, mpm] = ["http2_module", "mpm_prefork_module"].map((name) =>
    modules.has(name) ? loadModules.find(({ identifier }) => identifier === name) : undefined,
  );
  if (http2 === undefined || mpm === undefined) return [];
  const offered = indexDirectives(project).named("protocols").find(offersHttp2);
  const span: Span = offered?.span ?? http2.span;
  const needsPrefork = ["php_module", "php7_module", "php5_module"].some((name) => modules.has(name));
  return [
    {
      message: unsupportedMpmMessages.http2(offered !== undefined, needsPrefork),
      span,
      related: [{ message: labels.mpm, span: mpm.span }],
    },
  ];
}

function offersHttp2({ arguments: words }: Directive): boolean {
  return words.some(({ value }) => value.toLowerCase() === "h2");
}
