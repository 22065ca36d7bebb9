import type { Directive } from "../../src/lint/api/configuration.js";
import { defineRule } from "../../src/lint/api/rule.js";

const messages = {
  unguarded: ({ name }: Directive) => ({
    message: `\`${name}\` needs mod_php: with PHP-FPM or CGI, httpd returns 500`,
    notes: [
      "without mod_php, httpd rejects the file, and all requests below this directory fail",
      "this file is checked on its own, so that the modules of the server are unknown",
    ],
    help: ["set the value in `.user.ini`, or put the line into `<IfModule mod_php.c>`"],
  }),
};

const labels = { alike: "same here" };

export const unguardedPhpSetting = defineRule({
  id: "unguarded-php-setting",
  title: "PHP setting without a condition",
  group: "correctness",
  severity: "warning",
  description: "`php_value` or `php_flag` in a .htaccess file, outside of `<IfModule>`.",
  help: "Only mod_php defines `php_value` and `php_flag`. With PHP-FPM or CGI, httpd rejects the file, and each request below the directory returns 500. Put the lines into `<IfModule mod_php.c>`, and use `.user.ini` for PHP-FPM and CGI.",
  tags: ["correctness"],
  messages,
  check: ({ project, report }) => {
    if (project.htaccessEntry === undefined || project.modulesAreKnown) return {};
    const found: Directive[] = [];
    const visit = (directive: Directive) => {
      if (directive.guard === undefined) found.push(directive);
    };
    return {
      directives: { php_value: visit, php_flag: visit },
      end() {
        const [first, ...others] = found;
        if (first === undefined) return;
        const related = others.map(({ span }) => ({ message: labels.alike, span }));
        report({ message: messages.unguarded(first), span: first.nameSpan, related });
      },
    };
  },
});
