import { describe, expect, test } from "vitest";
import { memoryAccess } from "../../src/config/files/file-access.js";
import { findDirectiveFacts, listDirectiveNames } from "../../src/facts/directives.js";
import { releaseLines } from "../../src/facts/release.js";
import { loadProject } from "../../src/startup/load-project.js";
import { findRefusals } from "../../src/startup/validate.js";
import { inDirectory as within } from "../support/cases/startup-lines.js";

/** Returns the underlined text, the problem, the facts and the remedy of the first refusal of lines. */
function adviceOn(lines: string): readonly unknown[] {
  const modules =
    "mpm_event authz_core authz_host authn_core access_compat env alias headers rewrite log_debug ssl proxy autoindex setenvif log_config"
      .split(" ")
      .map((name) => `LoadModule ${name}_module mod_${name}.so\n`);
  const text = `${modules.join("")}${lines.replaceAll("¶", "\n")}\n`;
  const loaded = loadProject("/httpd.conf", { access: memoryAccess({ "/httpd.conf": text }) });
  if (!loaded.ok) throw new Error(loaded.error);
  const [first] = findRefusals(loaded.value).startup;
  if (first === undefined) return [];
  const { span, problem, facts = [], remedy } = first;
  return [span.file.text.slice(span.start, span.end), problem, remedy, ...facts];
}

describe("what is underlined, the problem and the remedy", () => {
  test.each([
    ['DocumentRoot ""', 'DocumentRoot ""', "`DocumentRoot` does not accept an empty argument", "add the missing value"],
    ["Listen", "Listen", "`Listen` needs a port", "add the port"],
    [
      "Listen 8080 https x",
      "Listen 8080 https x",
      "`Listen` takes 1 or 2 arguments, but 3 were given",
      "use one line per address",
    ],
    ["Header unset X y z", "z", "unexpected argument `z`", "delete it, or put a value with spaces in quotes"],
    ["LogLevel xtrace", "xtrace", "unknown log level `xtrace`", "use `trace1`"],
    ["LogLevel trace9", "trace9", "unknown log level `trace9`", "use `trace1` to `trace8`"],
    ["LogLevel :loud", ":loud", "unknown log level `loud`", "use `error`, `warn`, `info` or another level"],
    [
      "Mutex default ssl-cach",
      "ssl-cach",
      "unknown mutex type `ssl-cach`",
      "use `ssl-cache`: names are case-sensitive",
    ],
    [
      "RewriteMap a int:tolowe",
      "int:tolowe",
      "unknown internal map function `tolowe`",
      "use `int:tolower`: names are case-sensitive",
    ],
    ["LogMessage x hook=fixup", "hook=fixup", "unknown hook `fixup` for `LogMessage`", "use `fixups`"],
    ["Header", "Header", "`Header` needs an action", "use `set`, `add`, `unset` or another action"],
    ["SetEnvIf", "SetEnvIf", "`SetEnvIf` needs an attribute", "add an attribute"],
    ["SetEnvIf a", "SetEnvIf a", "`SetEnvIf` needs a regular expression", "add a regular expression"],
    ["SetEnvIf a b", "SetEnvIf a b", "`SetEnvIf` needs a variable to set", "add a variable to set"],
    [
      within("SSLCACertificateFile /a"),
      "SSLCACertificateFile /a",
      "`SSLCACertificateFile` works only for a whole virtual host",
      "move it to the virtual host, outside of all sections",
    ],
    ["RewriteOptions Foo", "Foo", "unknown rewrite option `Foo`", "correct it, or delete it"],
    [
      "RewriteOptions Inherit,Foo",
      "Inherit,Foo",
      "unknown rewrite option `Inherit,Foo`",
      "use spaces instead of commas",
    ],
    [
      'LogFormat "%^ ab" x',
      '"%^ ab"',
      "unknown log format `%^ a`",
      "correct the letter, or use `%%` for the character",
    ],
    [
      'LogFormat "100% " x',
      '"100% "',
      "missing format letter after `% `",
      "add the letter, or use `%%` for the character",
    ],
    ["Listen :80", ":80", "no address before the colon in `:80`", "use `*:80`"],
    [
      "Listen [x]:80",
      "[x]:80",
      "invalid IPv6 address in brackets: `[x]:80`",
      "use an address such as `[2001:db8::1]:80`",
    ],
  ])("%s", (line, ...advice) => {
    expect(adviceOn(line)).toEqual(advice);
  });

  test.each([
    [
      "Options Indexes,MultiViews",
      "Indexes,MultiViews",
      "unknown option `Indexes,MultiViews`",
      "use spaces instead of commas",
    ],
    ["Options Indexes,Foo", "Indexes,Foo", "unknown option `Indexes,Foo`", "correct it, or delete it"],
    ["Options #x", "#x", "unknown option `#x`", "correct it, or delete it"],
    ["Options Indexes None", "None", "`None` cannot follow other options", "make it the only option"],
    ["Options Indexes All", "All", "`All` cannot follow other options", "make it the only option"],
    ["Require ip env=x", "env=x", "`env=x` is not an IP address", "use `Require env` with the variable's name"],
    [
      "Require ip 1::2::3",
      "1::2::3",
      "invalid IPv6 address `1::2::3`",
      "correct the address, without a port or brackets",
    ],
    [
      "Deny from 2001:db8:::1",
      "2001:db8:::1",
      "invalid IPv6 address `2001:db8:::1`",
      "correct the address, without a port or brackets",
    ],
    ["Deny from 1:2", "1:2", "invalid IPv6 address `1:2`", "correct the address, without a port or brackets"],
    ["Require ip all", "all", "`all` is not an IP address", "use `Require all granted`"],
    [
      "Deny from 10.1/8",
      "10.1/8",
      "prefix length after an incomplete address in `10.1/8`",
      "use all four numbers of the address, or delete the prefix length",
    ],
    [
      "Deny from 10.1.2.3.4/8",
      "10.1.2.3.4/8",
      "invalid IP address `10.1.2.3.4/8`",
      "use one to four numbers from 0 to 255, separated by dots",
    ],
    [
      "Deny from 10.1.2.3/33",
      "10.1.2.3/33",
      "invalid prefix length in `10.1.2.3/33`: expected 1 to 32",
      "correct the prefix length, or use `all` for every client",
    ],
    [
      "Deny from ::1/129",
      "::1/129",
      "invalid prefix length in `::1/129`: expected 1 to 128",
      "correct the prefix length, or use `all` for every client",
    ],
    [
      "Deny from ::ffff:1.2.3.4",
      "::ffff:1.2.3.4",
      "`::ffff:1.2.3.4` is an IPv4 address in IPv6 notation",
      "use the IPv4 address",
    ],
    [
      "<RequireAll x >¶Require all granted¶</RequireAll>",
      "<RequireAll x >",
      "`<RequireAll>` takes no arguments, but `x` was given",
      "delete the arguments",
    ],
  ])("%s", (line, ...advice) => {
    expect(adviceOn(within(line))).toEqual(advice);
  });

  const mixed = "`Options` mixes options with and without `+` or `-`";
  const advised = (signed: string, own: string) =>
    `use \`Options ${signed}\`; to replace the inherited options, use \`Options ${own}\``;
  test.each([
    [
      "Options Indexes FollowSymLinks +MultiViews",
      "+MultiViews",
      advised("+Indexes +FollowSymLinks +MultiViews", "Indexes FollowSymLinks MultiViews"),
    ],
    [
      "Options +Indexes FollowSymLinks -MultiViews",
      "FollowSymLinks",
      advised("+Indexes +FollowSymLinks -MultiViews", "Indexes FollowSymLinks"),
    ],
    [
      "Options Indexes +MultiViews Foo-Bar",
      "+MultiViews",
      advised("+Indexes +MultiViews +Foo-Bar", "Indexes MultiViews Foo-Bar"),
    ],
    [
      "Options Indexes +MultiViews",
      "Options Indexes +MultiViews",
      advised("+Indexes +MultiViews", "Indexes MultiViews"),
    ],
    ["Options -Indexes All", "Options -Indexes All", "name each option with a sign, in place of `All` or `None`"],
  ])("%s underlines the option that differs from the others, if there is one", (line, underlined, remedy) => {
    expect(adviceOn(within(line))).toEqual([underlined, mixed, remedy]);
  });

  test.each([
    "<AuthzProviderAlias ip a 10.1.2.3.4>¶</AuthzProviderAlias>",
    '<AuthzProviderAlias ip a "10.1.2.3.4">¶</AuthzProviderAlias>',
  ])("%s underlines the address", (lines) => {
    expect(adviceOn(lines)[0]).toBe("10.1.2.3.4");
  });

  test.each([
    ["granted x", "use `Require all granted`, without quotes, comments or further arguments"],
    ["Denied x", "use `Require all denied`, without quotes, comments or further arguments"],
    ["x granted", "use `Require all granted` or `Require all denied`"],
  ])("Require all %s", (words, remedy) => {
    const problem = `invalid value \`${words}\` for \`Require all\`: expected \`granted\` or \`denied\``;
    expect(adviceOn(within(`Require all ${words}`))).toEqual([words, problem, remedy]);
  });

  test.each([
    [within("AuthName Admin area"), 'AuthName "Admin area"'],
    [within("AuthName The  admin area"), 'AuthName "The admin area"'],
    ["DocumentRoot /srv/my site/html", 'DocumentRoot "/srv/my site/html"'],
    ["DocumentRoot C:/Program Files/www", 'DocumentRoot "C:/Program Files/www"'],
  ])("words that are one argument: %j", (text, quoted) => {
    expect(adviceOn(text)[2]).toBe(`put the argument in quotes: \`${quoted}\``);
  });

  test.each([
    [within('AuthName "Admin" area'), "AuthName auth-domain"],
    [within("AuthType Basic Digest"), "AuthType None|Basic|Digest|Form"],
    ["DocumentRoot /srv/www /srv/more", "DocumentRoot directory-path"],
    ["DocumentRoot /srv/www standard", "DocumentRoot directory-path"],
  ])("words that may be several arguments: %j", (text, syntax) => {
    expect(adviceOn(text)[2]).toBe(`use \`${syntax}\`, with quotes around an argument that contains spaces`);
  });

  test.each([
    ["[L QSA]", "[L,QSA]"],
    ["[NC,L R=301, QSA ]", "[NC,L,R=301,QSA]"],
    ["[redirect=302\tlast]", "[redirect=302,last]"],
  ])("flags that spaces separate: %s", (flags, joined) => {
    expect(adviceOn(`RewriteRule ^a b ${flags}`)[2]).toBe(`separate the flags with commas: \`${joined}\``);
  });

  test.each(["[L QSX]", "[E=a:b c]", "[L , QSA]", "[L QSA", "[L R=999]"])(
    "a space that may not stand for a comma: %s",
    (flags) => {
      expect(adviceOn(`RewriteRule ^a b ${flags}`)[2]).toBe("delete the spaces between flags");
    },
  );

  test.each([
    [
      "RewriteCond %{X} a [NC]# comment",
      "[NC]#",
      "a comment cannot follow a directive on the same line",
      "move the comment to a line of its own",
    ],
    [
      "RewriteRule ^a b [L, R=301]",
      "[L,",
      "the flags end at a space: `[L,` has no `]`",
      "delete the spaces between flags",
    ],
    [
      "RewriteCond %{X} a [NC OR]",
      "[NC",
      "the flags end at a space: `[NC` has no `]`",
      "separate the flags with commas: `[NC,OR]`",
    ],
    ["RewriteRule ^a b [NC", "[NC", "missing `]` at the end of `[NC`", "add the `]`"],
    ['RewriteRule ^a b "[NC" x', '"[NC"', "missing `]` at the end of `[NC`", "add the `]`"],
    ["RewriteRule ^a b [L,]", "[L,]", "empty flag", "delete the surplus comma"],
    ['RewriteRule ^a b "[L, X]"', "X", "unknown flag `X`", "correct it, or delete it"],
    ["RewriteRule ^a b [L,X]", "X", "unknown flag `X`", "correct it, or delete it"],
  ])("%s", (line, ...advice) => {
    expect(adviceOn(line)).toEqual(advice);
  });

  const noEffect = (rule: string, where: string) => `\`${rule}\` has no effect ${where}`;
  test.each([
    ["Require not ip 10", "not", noEffect("Require not", "outside of `<RequireAll>`")],
    ["<RequireAny>¶Require not ip 10¶</RequireAny>", "not", noEffect("Require not", "in `<RequireAny>`")],
    ["<RequireNone>¶Require not ip 10¶</RequireNone>", "not", noEffect("Require not", "in `<RequireNone>`")],
    [
      "<RequireAny>¶<RequireNone>¶Require ip 10¶</RequireNone>¶</RequireAny>",
      "<RequireNone>",
      noEffect("<RequireNone>", "in `<RequireAny>`"),
    ],
  ])("%s", (lines, underlined, problem) => {
    expect(adviceOn(within(lines)).slice(0, 2)).toEqual([underlined, problem]);
  });

  test.each([
    ["ReceiveBufferSize 5", "use an allowed number", "`0` or a number from 512"],
    ["SSLVerifyDepth -1", "use an allowed number", "a number from 0"],
    ["LimitRequestBody 10M", "use an allowed number, without a unit", "a number from 0"],
    ["MaxRanges 0", "use one of the allowed values", "`none`, `default`, `unlimited` or a number from 1"],
    ["ServerSignature Offf", "use `Off`", "`On`, `Off` or `EMail`"],
    ["TraceEnable nonsense", "use one of the allowed values", "`on`, `off` or `extended`"],
    [
      "HttpProtocolOptions nonsense",
      "correct it, or delete it",
      "`Strict`, `Unsafe`, `RegisteredMethods`, `LenientMethods`, `Allow0.9` or `Require1.0`",
    ],
    ["Action a /b nonsense", "use the allowed value, or delete it", "`virtual`"],
  ])("%s lists the allowed values", (line, remedy, values) => {
    expect(
      adviceOn(line.startsWith("Action") ? `LoadModule actions_module mod_actions.so¶${line}` : line).slice(2),
    ).toEqual([remedy, `allowed values: ${values}`]);
  });
});

test.each(releaseLines)("the modules of %s that define a directive of one name agree on its arguments", (release) => {
  const differing = listDirectiveNames(release).filter((name) => {
    const kinds = findDirectiveFacts(release, name).flatMap((each) => (each.manualOnly ? [] : [each.argumentKind]));
    return new Set(kinds).size > 1;
  });
  expect(differing).toEqual([]);
});
