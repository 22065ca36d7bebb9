import { nameRelease, type Release } from "../../facts/release.js";
import { findHostName } from "../../text/host-names.js";
import { quoteText } from "../../text/words.js";
import type { Wording } from "./wording.js";

/** The message about `User root` (modules/arch/unix/mod_unixd.c `unixd_set_user`). */
const ROOT_USER = [
  "Error:\tApache has not been designed to serve pages while",
  "\trunning as root.  There are known race conditions that",
  "\twill allow any local user to read any file on the system.",
  "\tIf you still desire to serve pages as root then",
  "\tadd -DBIG_SECURITY_HOLE to the CFLAGS env variable",
  "\tand then rebuild the server.",
  "\tIt is strongly suggested that you instead modify the User",
  "\tdirective in your httpd.conf file to list a non-root",
  "\tuser.\n",
].join("\n");

const ONLY_RESTRICTS = "a negated rule can only restrict access that other rules grant";
const IN_REQUIRE_ALL = "put it in `<RequireAll>` with a Require that grants access, such as `Require all granted`";

/** What httpd refuses in the arguments of directives: the wording by code. */
export const argumentTexts = {
  "directive-not-allowed-here": (title: string, where: string, remedy: string) => ({
    problem: `${title} is not allowed ${where}`,
    remedy,
  }),
  "server-directive-in-htaccess": (title: string) => ({
    problem: `${title} is not allowed in a \`.htaccess\` file`,
    remedy: "move it to the configuration of the server",
  }),
  "added-directive-not-allowed-here": (title: string, where: string, by: string, remedy: string) => ({
    problem: `\`${by}\` adds ${title}, which is not allowed ${where}`,
    remedy,
  }),
  "else-without-if": (name: string) => ({
    problem: `\`${name}>\` does not follow an \`<If>\` in the same section`,
    remedy: "move it right after its `<If>`",
  }),
  "authorization-module-not-loaded": (name: string, module: string) => ({
    problem: `\`Require ${name}\` needs \`${module}\`, which is not loaded`,
    remedy: `load \`${module}\``,
    missing: module,
  }),
  "missing-authorization-provider": () => ({
    problem: "`Require` needs a provider",
    remedy: "add a provider, such as `all granted`",
  }),
  "authorization-provider-case": (name: string, lower: string) => ({
    problem: `unknown authorization provider \`${name}\``,
    remedy: `names are case-sensitive: use \`${lower}\``,
    lowerCase: lower,
  }),
  "unknown-authorization-provider": (
    name: string,
    remedy = "correct the name, or load the module that provides it",
  ) => ({ problem: `unknown authorization provider \`${name}\``, remedy }),
  "invalid-value": (server: string, value: string, name: string, allowedValues: string, remedy: string) => ({
    server,
    problem: `invalid value ${quoteText(value)} for \`${name}\``,
    facts: [`allowed values: ${allowedValues}`],
    remedy,
  }),
  "unknown-order": (value: string, near: string | undefined) => ({
    server: "unknown order",
    problem: `unknown order ${quoteText(value)}`,
    remedy: near ? `use \`Order ${near}\`` : "use `deny,allow`, `allow,deny` or `mutual-failure`",
  }),
  "missing-from": (value: string, key: string) => ({
    server: "allow and deny must be followed by 'from'",
    problem: `expected \`from\`, found ${quoteText(value)}`,
    remedy: `use \`${key === "allow" ? "Allow" : "Deny"} from\`, followed by the clients`,
  }),
  "mask-without-address": (text: string) => ({
    server: "An IP address was expected",
    problem: `no address before the slash in ${quoteText(text)}`,
    remedy: "use a network such as `10.0.0.0/8`, or a name without a slash",
  }),
  "incomplete-address": (text: string) => ({
    problem: `prefix length after an incomplete address in ${quoteText(text)}`,
    remedy: "use all four numbers of the address, or delete the prefix length",
  }),
  "invalid-prefix-length": (text: string, max: number) => ({
    problem: `invalid prefix length in ${quoteText(text)}: expected 1 to ${max}`,
    remedy: "correct the prefix length, or use `all` for every client",
  }),
  "mapped-address": (text: string) => ({
    problem: `${quoteText(text)} is an IPv4 address in IPv6 notation`,
    remedy: "use the IPv4 address",
  }),
  "invalid-ipv6-address": (text: string) => ({
    problem: `invalid IPv6 address ${quoteText(text)}`,
    remedy: "correct the address, without a port or brackets",
  }),
  "invalid-ip-address": (text: string) => ({
    problem: `invalid IP address ${quoteText(text)}`,
    remedy: "use one to four numbers from 0 to 255, separated by dots",
  }),
  "invalid-separator": (signs: string) => ({
    problem: `invalid separator: ${signs} do not separate arguments here`,
    remedy: `use spaces instead of ${signs}`,
  }),
  "colon-without-address": (text: string) => ({
    problem: `no address before the colon in ${quoteText(text)}`,
    remedy: `use \`*${text}\``,
  }),
  "invalid-bracketed-address": (text: string) => ({
    problem: `invalid IPv6 address in brackets: ${quoteText(text)}`,
    remedy: "use an address such as `[2001:db8::1]:80`",
  }),
  "invalid-port": (text: string) => ({
    problem: `invalid port in ${quoteText(text)}: expected 1 to 65535`,
    remedy: "correct the port",
  }),
  "listen-argument-count": (hasAny: boolean, given: number) => ({
    server: "Listen requires 1 or 2 arguments.",
    problem: hasAny ? `\`Listen\` takes 1 or 2 arguments, but ${given} were given` : "`Listen` needs a port",
    remedy: hasAny ? "use one line per address" : "add the port",
  }),
  "missing-port": (value: string) => ({
    server: "Port must be specified",
    problem: `missing port in ${quoteText(value)}`,
    remedy: "add the port, after the address if there is one: `192.0.2.1:80`",
  }),
  "duplicate-listen": (value: string) => ({
    server: "Cannot define multiple Listeners on the same IP:port",
    problem: `duplicate \`Listen\` for ${quoteText(value)}`,
    remedy: "delete one of the Listen lines",
  }),
  "missing-host-address": (value: string, text: string) => ({
    server: "Missing address for VirtualHost",
    problem: `missing address for port ${quoteText(value)}`,
    remedy: `use \`*:${text}\``,
  }),
  "wildcard-in-server-name": (name: string) => ({
    server: `Invalid ServerName "${name}" use ServerAlias to set multiple server names.`,
    problem: `\`ServerName\` does not accept the wildcard in ${quoteText(name)}`,
    remedy: "set one name, and add the others with `ServerAlias`",
  }),
  "invalid-server-name-port": (name: string) => ({
    server: `The port number "${name}" is outside the appropriate range (i.e., 1..65535).`,
    problem: `invalid port in ${quoteText(name)}: expected 1 to 65535`,
    remedy: "correct the port, or delete the colon",
  }),
  "mask-without-proxy-address": (server: string, text: string) => ({
    server,
    problem: `no address before the slash in ${quoteText(text)}`,
    remedy: "use a network such as `10.0.0.0/8`, or a name without a slash",
  }),
  "invalid-proxy-name": (server: string, text: string, hasComma: boolean) => ({
    server,
    problem: `${quoteText(text)} is not an address or a host name`,
    remedy: hasComma ? "use spaces instead of commas" : "use an address, a network or a name",
  }),
  "invalid-exempt-address": (address: string, text: string) => ({
    server: `ip address '${address}' appears to be invalid`,
    problem: `invalid IP address ${quoteText(text)}`,
    remedy: "use an address, or a network such as `10.0.0.0/8`",
  }),
  "duplicate-provider-alias": (name: string, isAlias: boolean, module: string | undefined) => ({
    server: `The alias provider ${name} has already be registered previously as either a base provider or an alias provider.`,
    problem: `the provider name ${quoteText(name)} is already used by ${isAlias ? "another alias" : `\`${module}\``}`,
    remedy: "use another name",
  }),
  "alias-named-like-provider": (value: string) => ({
    server: "The alias provider name must be different from the base provider name.",
    problem: `alias ${quoteText(value)} has the name of its provider`,
    remedy: "use another name for the alias",
  }),
  "authentication-module-not-loaded": (name: string, module: string) => ({
    problem: `\`${name}\` needs \`${module}\`, which is not loaded`,
    remedy: `load \`${module}\``,
    missing: module,
  }),
  "authentication-provider-case": (name: string, lower: string) => ({
    problem: `unknown authentication provider \`${name}\``,
    facts: ["names are case-sensitive"],
    remedy: `use \`${lower}\``,
  }),
  "comment-as-authentication-provider": (name: string) => ({
    problem: `unknown authentication provider \`${name}\``,
    remedy: "delete it",
  }),
  "unknown-authentication-provider": (name: string, near: string) => ({
    problem: `unknown authentication provider \`${name}\``,
    remedy: `did you mean \`${near}\`?`,
  }),
  "unnamed-provider-alias": (key: string, remedy: string) => ({
    server: `${key === "<authnprovideralias" ? "<AuthnProviderAlias>" : "<AuthzProviderAlias>"} directive requires additional arguments`,
    problem: `\`${key === "<authnprovideralias" ? "<AuthnProviderAlias>" : "<AuthzProviderAlias>"}\` needs a provider and an alias`,
    remedy,
  }),
  "exclusive-words": (server: string, value: string, value2: string) => ({
    server,
    problem: `${quoteText(value)} cannot be combined with ${quoteText(value2)}`,
    remedy: "delete one of them",
  }),
  "order-with-space": (ordering: string) => ({
    problem: "`Order` takes 1 argument without a space",
    remedy: `use \`Order ${ordering}\``,
  }),
  /** @param quoted the argument in quotes, if the words are likely to be one */
  "wrong-argument-count": (name: string, expected: string, given: number, syntax: string, quoted?: string) => ({
    problem:
      given === 0
        ? `\`${name}\` needs ${expected}`
        : `\`${name}\` takes ${expected}, but ${given} ${given === 1 ? "was" : "were"} given`,
    remedy:
      quoted !== undefined
        ? `put the argument in quotes: ${quoteText(`${name} ${quoted}`)}`
        : syntax === ""
          ? "correct the line"
          : `use \`${syntax}\`${given > 1 ? ", with quotes around an argument that contains spaces" : ""}`,
  }),
  "invalid-pattern": (pattern: string, error: string, remedy: string) => ({
    problem: `invalid regular expression ${quoteText(pattern)}`,
    facts: [error],
    remedy,
  }),
  "substitution-without-s": (value: string) => ({
    server: "Bad Substitute format, must be an s/// pattern",
    problem: `invalid substitution ${quoteText(value)}: it must start with \`s\``,
    remedy: "use `s/pattern/replacement/`; another delimiter may replace `/`",
  }),
  "incomplete-substitution": (value: string) => ({
    server: "Bad Substitute format, must be a complete s/// pattern",
    problem: `incomplete substitution ${quoteText(value)}`,
    remedy: "use `s/pattern/replacement/`; another delimiter may replace `/`",
  }),
  "unknown-substitution-flag": (flag: string) => ({
    server: "Bad Substitute flag, only s///[infq] are supported",
    problem: `unknown flag ${quoteText(flag)}`,
    remedy: "delete it",
  }),
  "too-many-header-arguments": (name: string) => ({
    server: `${name} has too many arguments`,
    problem: `\`${name}\` has too many arguments`,
    remedy: "put a value with spaces in quotes",
  }),
  "unknown-header-action": (name: string, action: string | undefined, near: string | undefined) => ({
    server:
      "first argument must be 'add', 'set', 'setifempty', 'append', 'merge', 'unset', 'echo', 'note', 'edit', or 'edit*'.",
    problem:
      action === undefined ? `\`${name}\` needs an action` : `unknown action ${quoteText(action)} for \`${name}\``,
    remedy: near ? `use \`${near}\`` : "use `set`, `add`, `unset` or another action",
  }),
  "incomplete-header-edit": (action: string) => ({
    server: "Header edit requires a match and a substitution",
    problem: `\`${action}\` needs a pattern and a replacement`,
    remedy: "add the missing argument",
  }),
  "surplus-header-argument": (isFourth: boolean, action: string, value: string) => ({
    server: isFourth
      ? "Too many arguments to directive"
      : `${action === "echo" ? "Header echo" : "header unset"} takes two arguments`,
    problem: `unexpected argument ${quoteText(value)}`,
    remedy: "delete it, or put a value with spaces in quotes",
  }),
  "echo-of-request-header": () => ({
    server: "Header echo only valid on Header directives",
    problem: "`echo` is not allowed in `RequestHeader`",
    remedy: "use `Header` instead of `RequestHeader`",
  }),
  "missing-header-value": (action: string, isTogether: boolean) => ({
    server: "Header requires three arguments",
    problem: `\`${action}\` needs a value for the header`,
    remedy: isTogether ? "separate the name and the value with a space, and quote only the value" : "add the value",
  }),
  "unknown-header-condition": (value: string) => ({
    server: `Unknown parameter: ${value}`,
    problem: `expected \`early\`, \`env=…\` or \`expr=…\`, found ${quoteText(value)}`,
    remedy: "delete it, or put a value with spaces in quotes",
  }),
  "unnamed-header-variable": (value: string) => ({
    server: "error: missing environment variable name. envclause should be in the form env=envar ",
    problem: `missing variable name in ${quoteText(value)}`,
    remedy: "add the name",
  }),
  "unknown-header-format": (letter: string, text: string) => ({
    server: `Unrecognized header format %${letter}`,
    problem: `unknown format specifier ${quoteText(text)}`,
    remedy: "correct it, or use `%%` for the character",
  }),
  "missing-log-level": (module: string, value: string) => ({
    server: `Module specifier '${module}' must be followed by a log level keyword`,
    problem: `missing log level in ${quoteText(value)}`,
    remedy: "add a level, such as `:info`",
  }),
  "unknown-log-level": (isGlobal: boolean, value: string, level: string, near: string | undefined) => ({
    server: isGlobal
      ? "Log level keyword must be one of emerg/alert/crit/error/warn/notice/info/debug/trace1/.../trace8"
      : `${value}: Log level keyword must be one of emerg/alert/crit/error/warn/notice/info/debug/trace1/.../trace8`,
    problem: `unknown log level ${quoteText(level)}`,
    remedy: near ? `use \`${near}\`` : "use `error`, `warn`, `info` or another level",
  }),
  "log-module-not-loaded": (module: string, isShort: boolean, short: string) => ({
    server: `Cannot find module ${module}`,
    problem: `the module ${quoteText(module)} is not loaded`,
    remedy: isShort ? `use \`${short}\`` : "load the module, or delete its level",
  }),
  "unfinished-log-format": (text: string) => ({
    server: "Ran off end of LogFormat parsing args to some directive",
    problem: `missing format letter after ${quoteText(text)}`,
    remedy: "add the letter, or use `%%` for the character",
  }),
  "log-format-module-not-loaded": (first: string, letter: string, module: string) => ({
    server: `Unrecognized LogFormat directive %${first}`,
    problem: `\`%${letter}\` needs \`${module}\`, which is not loaded`,
    remedy: "load the module, or delete the letter",
    missing: module,
  }),
  "missing-log-format-letter": (first: string, text: string) => ({
    server: `Unrecognized LogFormat directive %${first}`,
    problem: `missing format letter after ${quoteText(text)}`,
    remedy: "add the letter, or use `%%` for the character",
  }),
  "unknown-log-format": (first: string, text: string) => ({
    server: `Unrecognized LogFormat directive %${first}`,
    problem: `unknown log format ${quoteText(text)}`,
    remedy: "correct the letter, or use `%%` for the character",
  }),
  "unknown-log-condition": (value: string) => ({
    server: "error in condition clause",
    problem: `expected \`env=…\` or \`expr=…\`, found ${quoteText(value)}`,
    remedy: "delete it, or put a format with spaces in quotes",
  }),
  "empty-log-condition": (isVariable: boolean, value: string) => ({
    server: isVariable ? "missing environment variable name" : "missing condition",
    problem: `empty condition ${quoteText(value)}`,
    remedy: isVariable ? "add the variable's name" : "add the condition",
  }),
  "unknown-log-message-argument": (value: string) => ({
    server: `Invalid argument ${value}`,
    problem: `expected \`hook=…\` or \`expr=…\`, found ${quoteText(value)}`,
    remedy: "delete it, or put a text with spaces in quotes",
  }),
  "unknown-hook": (value: string, near: string | undefined) => ({
    server: `Invalid hook name: ${value}`,
    problem: `unknown hook ${quoteText(value)} for \`LogMessage\``,
    remedy: near ? `use \`${near}\`` : "use `log_transaction`, `handler`, `all` or another hook",
  }),
  "trace-in-limit": () => ({
    server: "TRACE cannot be controlled by <Limit>, see TraceEnable",
    problem: "`<Limit>` cannot restrict the method TRACE",
    remedy: "delete `TRACE`, and use `TraceEnable Off` to disable it",
  }),
  "unknown-limit-method": (value: string, name: string, isCase: boolean, upper: string) => ({
    server: `Could not register method '${value}' for ${name} from .htaccess configuration`,
    problem: `unknown method ${quoteText(value)}`,
    facts: ["a `.htaccess` file cannot register methods"],
    remedy: isCase ? `use \`${upper}\`: methods are case-sensitive` : "delete it",
  }),
  "limit-without-methods": (name: string) => ({
    server: `${name}> directive excludes all methods`,
    problem: `no method remains in this \`${name}>\` section`,
    remedy: "move the section out of the outer one",
  }),
  "redundant-limit": (name: string) => ({
    server: `${name}> directive specifies methods already excluded`,
    problem: `this \`${name}>\` section does not restrict the methods further`,
    remedy: "delete the section",
  }),
  "missing-allowed-method": () => ({
    server: "AllowMethods: No method or 'reset' keyword given",
    problem: "`AllowMethods` needs a method",
    remedy: "add the allowed methods, or `reset`",
  }),
  "unknown-allowed-method": (value: string, isCase: boolean, upper: string) => ({
    server: `AllowMethods: Invalid Method '${value}'`,
    problem: `unknown method ${quoteText(value)}`,
    remedy: isCase ? `use \`${upper}\`: methods are case-sensitive` : "delete it",
  }),
  "missing-mutex-mechanism": () => ({
    server: "Mutex requires at least a mechanism argument",
    problem: "`Mutex` needs a mechanism",
    remedy: "add one, such as `default`",
  }),
  "unknown-mutex-mechanism": (value: string, near: string | undefined) => ({
    server: `Invalid Mutex argument ${value}`,
    problem: `unknown mutex mechanism ${quoteText(value)}`,
    remedy: near ? `use \`${near}\`` : "use `default`, or `file:` with a directory",
  }),
  "mutex-without-mechanism": (name: string) => ({
    server: `None is not allowed for mutex type ${name}`,
    problem: `mutex type ${quoteText(name)} does not accept \`none\``,
    remedy: "use a mechanism such as `default`",
  }),
  "mutex-of-other-mpm": (name: string) => ({
    server: `Mutex type ${name} is not valid`,
    problem: "mod_mpm_event has no mutex `mpm-accept`",
    remedy: "delete it",
  }),
  "mutex-module-not-loaded": (name: string, module: string) => ({
    server: `Mutex type ${name} is not valid`,
    problem: `mutex type \`${name}\` needs \`${module}\`, which is not loaded`,
    remedy: "load the module, or delete the argument",
    missing: module,
  }),
  "unknown-mutex-type": (name: string, near: string | undefined) => ({
    server: `Mutex type ${name} is not valid`,
    problem: `unknown mutex type ${quoteText(name)}`,
    remedy: near ? `use \`${near}\`: names are case-sensitive` : "delete the argument",
  }),
  "unknown-word": (server: string, value: string, what: string, isList: boolean, near: string | undefined) => ({
    server,
    problem: value === "" ? `empty ${what}` : `unknown ${what} ${quoteText(value)}`,
    remedy: isList ? "use spaces instead of commas" : near ? describeNear(value, near) : "correct it, or delete it",
  }),
  "option-must-be-first": (isNone: boolean, title: string) => ({
    server: `'Options ${isNone ? "None" : "All"}' must be the first ${title === "None" ? "Option" : "option"} given.`,
    problem: `\`${isNone ? "None" : "All"}\` cannot follow other options`,
    remedy: "make it the only option",
  }),
  "signed-none-or-all": (isNone: boolean) => ({
    server: `You may not use 'Options +${isNone ? "None" : "All"}' or 'Options -${isNone ? "None" : "All"}'.`,
    problem: `\`${isNone ? "None" : "All"}\` does not accept a sign`,
    remedy: "delete the sign",
  }),
  "mixed-option-signs": (signed: string | undefined, own: string) => ({
    server: "Either all Options must start with + or -, or no Option may.",
    problem: `\`Options\` mixes options with and without \`+\` or \`-\``,
    remedy:
      signed === undefined
        ? "name each option with a sign, in place of `All` or `None`"
        : `use \`Options ${signed}\`; to replace the inherited options, use \`Options ${own}\``,
  }),
  "missing-nonfatal-value": (name: string) => ({
    server: `=Override, =Unknown or =All expected after ${name}`,
    problem: "`Nonfatal` needs a value",
    remedy: "use `Nonfatal=All`",
  }),
  "unknown-override-option": (option: string, near: string | undefined) => ({
    server: `Illegal option ${option}`,
    problem: `unknown option ${quoteText(option)}`,
    remedy: near ? `did you mean \`${near}\`?` : "correct it, or delete it",
  }),
  "override-list-with-none": () => ({
    server: "'None' not allowed with other directives in AllowOverrideList",
    problem: "`None` cannot be combined with directives",
    remedy: "delete it, or make it the only argument",
  }),
  "signed-etag-keyword": (name: string) => ({
    server: `FileETag keyword '${name}' cannot be used with '+' or '-'`,
    problem: `\`${name}\` does not accept a sign`,
    remedy: "delete the sign",
  }),
  "index-option-after-none": (value: string) => ({
    server: "Cannot combine other IndexOptions keywords with 'None'",
    problem: `${quoteText(value)} cannot follow \`None\``,
    remedy: "delete one of them",
  }),
  "signed-index-none": () => ({
    server: "Cannot combine '+' or '-' with 'None' keyword",
    problem: "`None` does not accept a sign",
    remedy: "delete the sign",
  }),
  "missing-column-width": (name: string) => ({
    server: `${name} with no value may only appear as '-${name}'`,
    problem: `\`${name}\` needs a width`,
    remedy: `use \`${name}=*\``,
  }),
  "signed-column-width": (name: string) => ({
    server: `Cannot combine '-' with ${name}=n`,
    problem: `\`-${name}\` does not accept a number`,
    remedy: "delete the number",
  }),
  "column-too-narrow": (name: string, min: number, text: string) => ({
    server: `${name} value must be greater than ${min}`,
    problem: `invalid width ${quoteText(text)}: expected at least ${min}`,
    remedy: `use a number from ${min}, or \`*\``,
  }),
  "invalid-redirect-status": (value: string, near: string | undefined, isPath: boolean) => ({
    server: "Redirect: invalid first argument (of three)",
    problem: `invalid redirect status ${quoteText(value)}`,
    remedy: near
      ? `use \`${near}\``
      : isPath
        ? "delete the last argument, or add a status before the path"
        : "use a number such as `301`, or `permanent`, `temp`, `seeother` or `gone`",
  }),
  "redirect-with-surplus-url": (value: string) => ({
    server: "Redirect URL not valid for this status",
    problem: `a redirect with this status does not accept the URL ${quoteText(value)}`,
    remedy: "delete the URL, or use a status from 300 to 399",
  }),
  "redirect-without-url": (name: string) => ({
    server: "URL to redirect to is missing",
    problem: `\`${name}\` needs a target`,
    remedy: "add the path, followed by the target URL",
  }),
  "redirect-to-non-url": (value: string) => ({
    server: "Redirect to non-URL",
    problem: `redirect target ${quoteText(value)} is not a URL or a path`,
    remedy:
      findHostName(value) === undefined
        ? "start it with `/`, or with `https://` and a host"
        : `use ${quoteText(`https://${value}`)}`,
  }),
  "alias-path-in-section": (name: string) => ({
    server: `${name} cannot occur within directory context`,
    problem: `\`${name}\` takes 1 argument in a section, but 2 were given`,
    remedy: "delete the first argument, which the section sets, or move the line out of the section",
  }),
  "alias-without-path": (name: string) => ({
    server: "Alias must have two arguments when used globally",
    problem: `\`${name}\` needs a URL path and a file path`,
    remedy: "add the URL path, followed by the file path",
  }),
  /** @param joined the parameter without the blanks that divide it */
  "invalid-proxy-parameter": (name: string, value: string, joined: string | undefined) => ({
    server: "Invalid ProxyPass|ProxyPassMatch parameter. Parameter must be in the form 'key=value'.",
    problem: `invalid parameter ${quoteText(value)} for \`${name}\``,
    remedy:
      joined === undefined
        ? "use parameters of the form `key=value`, and delete the rest"
        : `use ${quoteText(joined)}, without blanks`,
  }),
  "unknown-proxy-parameter": (
    name: string,
    parameter: string,
    kind: "Worker" | "Balancer",
    similar: string | undefined,
  ) => ({
    server: `${name} unknown ${kind} parameter`,
    problem: `unknown parameter ${quoteText(parameter)} for \`${name}\``,
    remedy: similar === undefined ? "delete the parameter, or correct its name" : `use ${quoteText(similar)}`,
  }),
  "invalid-proxy-value": (name: string, word: string, server: string, expected: string) => ({
    server: `${name} ${server}`,
    problem: `invalid value ${quoteText(word)} for \`${name}\``,
    remedy: `use ${expected}`,
  }),
  "unknown-balancer-method": (
    server: string,
    name: string,
    method: string | undefined,
    module: string | undefined,
  ) => ({
    server,
    problem: `unknown balancer method ${quoteText(name)}`,
    remedy:
      method === undefined
        ? "use `byrequests`, `bytraffic` or `bybusyness`"
        : `use \`lbmethod=${method}\`${module === undefined ? "" : `, and load \`${module}\``}`,
  }),
  "balancer-method-not-loaded": (server: string, name: string, module: string) => ({
    server,
    problem: `the balancer method ${quoteText(name)} needs \`${module}\`, which is not loaded`,
    remedy: `load \`${module}\``,
    missing: module,
  }),
  "rule-without-id": (name: string, id: number, hasActions: boolean) => ({
    server: hasActions
      ? "ModSecurity: No action id present within the rule"
      : "ModSecurity: Rules must have at least id action",
    problem: `\`${name}\` has no id`,
    remedy: `add \`id:${id}\`${hasActions ? " to its actions" : " as its action"}; each rule needs a number of its own`,
  }),
  "repeated-rule-id": (id: number, unused: number) => ({
    server: "ModSecurity: Found another rule with the same id",
    problem: `two rules of mod_security have the id ${id}`,
    remedy: `use another number, such as \`id:${unused}\``,
  }),
  "unknown-proxy-mapping": (word: string) => ({
    server: "unknown mapping",
    problem: `invalid value ${quoteText(word)} for \`ProxyPass\``,
    remedy: "use `mapping=encoded` or `mapping=servlet`",
  }),
  "proxy-path-in-section": (name: string, path: string) => ({
    server: "ProxyPass|ProxyPassMatch can not have a path when defined in a location.",
    problem: `\`${name}\` does not accept the path ${quoteText(path)} in a section`,
    remedy: "delete the path: the section sets it",
  }),
  "proxy-without-url": (name: string, inSection: boolean) => ({
    server: "ProxyPass|ProxyPassMatch needs a path when not defined in a location",
    problem: `\`${name}\` needs ${inSection ? "a URL" : "a path and a URL"}`,
    remedy: inSection ? "add the URL" : "use a path and a URL, separated by a space",
  }),
  "relative-proxy-url": (isAddress: boolean, value: string) => ({
    server: `ProxyPass ${isAddress ? "Unable to parse URL: " : "URL must be absolute!: "}${value}`,
    problem: `${quoteText(value)} is not a URL with a scheme and a host`,
    remedy: "use a URL such as `http://localhost:8080/`",
  }),
  "swapped-proxy-exclusion": (name: string, path: string) => ({
    server: `ProxyPass URL must be absolute!: ${path}`,
    problem: `\`${name}\` has \`!\` in place of the path`,
    remedy: `use ${quoteText(`${name} ${path} !`)}`,
  }),
  "filter-without-types": () => ({
    server: "AddOutputFilterByType requires at least two arguments",
    problem: "`AddOutputFilterByType` needs a filter and media types",
    remedy: "add the types, such as `text/html`",
  }),
  "filter-module-not-loaded": (name: string, module: string) => ({
    problem: `the filter ${quoteText(name)} needs \`${module}\`, which is not loaded`,
    remedy: `load \`${module}\`, or put the line in \`<IfModule ${module}>\``,
    missing: module,
  }),
  "unknown-filter-provider": (name: string, near: string | undefined) => ({
    problem: `unknown filter ${quoteText(name)}`,
    remedy: near ? `use \`${near}\`` : "correct the name, or load the module that has the filter",
  }),
  "unknown-backend": (url: string) => ({
    problem: `no line before it defines the backend ${quoteText(url)}`,
    remedy: `put the parameters in ${quoteText(`<Proxy "${url}">`)}, or on the line of \`ProxyPass\``,
  }),
  "proxy-set-without-url": () => ({
    problem: "`ProxySet` needs the URL of a backend outside of `<Proxy>`",
    remedy: "put the parameters on the line of `ProxyPass`, or add the URL before them",
  }),
  "proxy-url-without-host": (name: string, value: string) => ({
    server: `${name} URL must be absolute!: ${value}`,
    problem: `${quoteText(value)} has no host`,
    remedy: "use a URL such as `http://localhost:8080/`",
  }),
  "incomplete-socket-url": (name: string, value: string) => ({
    server: `${name} URL must be absolute!: ${value}`,
    problem: `${quoteText(value)} has no URL after the socket`,
    remedy: `add the protocol of the backend: ${quoteText(`${value}|http://localhost/`)} or ${quoteText(`${value}|fcgi://localhost/`)}`,
  }),
  "invalid-proxy-port": (name: string, value: string, port: string | undefined) => ({
    server: `${name} Unable to parse URL: ${value}`,
    problem:
      port === undefined
        ? `the host of ${quoteText(value)} is not valid`
        : `the port ${quoteText(port)} is not a number`,
    remedy: "end the port with `/`, before the path",
  }),
  "proxy-reverse-path-in-section": () => ({
    server: "ProxyPassReverse can not have a path when defined in a location",
    problem: "`ProxyPassReverse` does not accept a path in a section",
    remedy: "delete the first argument: the section sets the path",
  }),
  "proxy-reverse-without-path": () => ({
    server: "ProxyPassReverse needs a path when not defined in a location",
    problem: "`ProxyPassReverse` needs a path and a URL",
    remedy: "use a path and a URL, separated by a space",
  }),
  "tilde-in-proxy-match": () => ({
    server: "ProxyPassMatch invalid syntax ('~' usage).",
    problem: "`ProxyPassMatch` does not accept `~` before the pattern",
    remedy: "delete the `~`",
  }),
  "member-without-balancer": () => ({
    server: "BalancerMember must define balancer name when outside <Proxy > section",
    problem: "`BalancerMember` needs a balancer and a URL",
    remedy: "move it into `<Proxy balancer://name>` and add the member's URL",
  }),
  "member-without-url": (inSection: boolean) => ({
    server: "BalancerMember must define remote proxy server",
    problem: inSection
      ? "`BalancerMember` needs a URL"
      : "`BalancerMember` needs a balancer and a URL outside of a section",
    remedy: inSection
      ? "add the member's URL"
      : "move it into `<Proxy balancer://name>`, or add the balancer before the URL",
  }),
  "surplus-member-argument": (inSection: boolean, value: string, joined: string | undefined) => ({
    server: inSection
      ? "BalancerMember can not have a balancer name when defined in a location"
      : "Invalid BalancerMember parameter. Parameter must be in the form 'key=value'",
    problem: inSection
      ? `unexpected argument ${quoteText(value)}: the section sets the balancer`
      : `invalid parameter ${quoteText(value)} for \`BalancerMember\``,
    remedy:
      joined === undefined
        ? "delete it, and use parameters of the form `key=value`"
        : `use ${quoteText(joined)}, without blanks`,
  }),
  "invalid-balancer-name": (lower: string, name: string, section: string | undefined, directive: string) => ({
    server: `BalancerMember Bad syntax for a balancer name (${lower})`,
    problem: section
      ? `invalid balancer name ${quoteText(name)}, set by \`${section}>\``
      : `invalid balancer name ${quoteText(name)}`,
    remedy: section
      ? "move the line into `<Proxy balancer://name>`"
      : `move ${quoteText(directive)} into \`<Proxy balancer://name>\`, or use the full name \`balancer://${name}\``,
  }),
  "invalid-require-all": (rest: string, word: string | undefined) => ({
    server: "Argument for 'Require all' must be 'granted' or 'denied'",
    problem:
      rest === ""
        ? "`Require all` needs `granted` or `denied`"
        : `invalid value ${quoteText(rest)} for \`Require all\`: expected \`granted\` or \`denied\``,
    remedy: word
      ? `use \`Require all ${word}\`, without quotes, comments or further arguments`
      : "use `Require all granted` or `Require all denied`",
  }),
  "missing-require-address": () => ({
    server: "'require ip' requires an argument",
    problem: "`Require ip` needs an address",
    remedy: "add the addresses",
  }),
  "require-ip-all": () => ({ problem: "`all` is not an IP address", remedy: "use `Require all granted`" }),
  "require-ip-env": (word: string) => ({
    problem: `${quoteText(word)} is not an IP address`,
    remedy: "use `Require env` with the variable's name",
  }),
  "require-ip-wildcard": (word: string, network: string) => ({
    problem: `\`Require ip\` does not accept the wildcard in ${quoteText(word)}`,
    remedy: `use \`Require ip ${network}\``,
  }),
  "require-ip-range": (word: string) => ({
    problem: `${quoteText(word)} is an address range, not a network`,
    remedy: "use networks such as `192.0.2.0/28`",
  }),
  "require-ip-name": (word: string) => ({
    problem: `${quoteText(word)} is a name, not an IP address`,
    remedy: word.toLowerCase() === "localhost" ? "use `Require local`" : "use `Require host` for names",
  }),
  "require-ip-other": (word: string) => ({
    problem: `${quoteText(word)} is not an IP address`,
    remedy: "use an address or a network",
  }),
  "unknown-require-method": (value: string, isCase: boolean, upper: string) => ({
    server: `Invalid Method '${value}'`,
    problem: `unknown method ${quoteText(value)}`,
    remedy: isCase
      ? `use \`${upper}\`: methods are case-sensitive`
      : "delete it, or register it before this line with RegisterHttpMethod",
  }),
  "surplus-require-argument": (provider: string, rest: string) => ({
    server: `'Require ${provider}' does not take arguments`,
    problem: `\`Require ${provider}\` takes no arguments, but ${quoteText(rest)} was given`,
    remedy: "delete it",
  }),
  "missing-require-expression": () => ({
    server: "Cannot parse expression in require line: syntax error, unexpected $end",
    problem: "`Require expr` needs an expression",
    remedy: "add the expression",
  }),
  "error-directive": (isQuoted: boolean, inside: string, message: string) => ({
    server: isQuoted ? inside : message,
    problem: "`Error` stops the server with its message",
    remedy: "do what the message asks for, or put the line in a conditional section",
  }),
  "port-directive": (port: string) => ({
    server: "Port was replaced with Listen in Apache 2.0",
    problem: "`Port` was removed in 2.0",
    remedy: `use \`Listen ${port}\` instead, and set the port of the server's own name with \`ServerName\``,
  }),
  "directive-was-removed": (server: string, name: string, instead: string) => ({
    server,
    problem: `\`${name}\` was removed`,
    remedy: `use \`${instead}\` instead`,
  }),
  "invalid-keep-alive-timeout": (value: string) => ({
    server: "KeepAliveTimeout has wrong format",
    problem: `invalid time ${quoteText(value)}`,
    remedy: "use a number of seconds, or of milliseconds followed by `ms`",
  }),
  "root-user": (value: string) => ({
    server: ROOT_USER,
    problem: `\`User\` must not be root: ${quoteText(value)}`,
    remedy: "use a user without privileges, such as `www-data` on Debian or `apache` on Red Hat",
  }),
  "missing-user-directory": () => ({
    server: "UserDir requires an argument.",
    problem: "`UserDir` needs a directory",
    remedy: "add the directory, or `disabled`",
  }),
  "unknown-response-code": (value: string) => ({
    server: `Unsupported HTTP response code ${value}`,
    problem: `unknown response code ${quoteText(value)}`,
    remedy: "use a code such as `404`",
  }),
  "missing-rewrite-argument": (name: string, text: string, needed: string, isQuoted: boolean, spaced?: string) => ({
    server: `${name}: bad argument line '${text}'`,
    problem: `\`${name}\` needs ${needed}`,
    remedy: isQuoted
      ? "close the quotes and add the missing argument"
      : spaced === undefined
        ? "add the missing argument"
        : `add a space: ${quoteText(`${name} ${spaced}`)}`,
  }),
  "rewrite-flags-without-brackets": (value: string) => ({
    server: "bad flag delimiters",
    problem: `flags ${quoteText(value)} are not in brackets`,
    remedy: "put flags in brackets, and arguments with spaces in quotes",
  }),
  "unclosed-rewrite-flags": (isSplit: boolean, value: string, joined: string | undefined) => ({
    server: "bad flag delimiters",
    problem: isSplit
      ? `the flags end at a space: ${quoteText(value)} has no \`]\``
      : `missing \`]\` at the end of ${quoteText(value)}`,
    remedy:
      joined !== undefined
        ? `separate the flags with commas: ${quoteText(joined)}`
        : isSplit
          ? "delete the spaces between flags"
          : "add the `]`",
  }),
  "word-of-later-version": (word: string, since: Release, release: Release) => ({
    problem: `${quoteText(word)} needs httpd ${since} or later`,
    facts: [`${nameRelease(release)} does not know it`],
    remedy: `delete it, or put the line in a section \`<IfVersion >= ${since}>\``,
  }),
  "unknown-rewrite-flag": (key: string, near: string | undefined) => ({
    server: `unknown flag '${key}'`,
    problem: key === "" ? "empty flag" : `unknown flag ${quoteText(key)}`,
    remedy: near ? `did you mean \`${near}\`?` : key === "" ? "delete the surplus comma" : "correct it, or delete it",
  }),
  "missing-rewrite-flag-value": () => ({
    server: "flag 'BNE' wants a list of characters (i.e. [BNE=...])",
    problem: "the flag `BNE` needs a list of characters",
    remedy: "add the characters: `BNE=…`",
  }),
  "unknown-rewrite-status": (value: string) => ({
    server: `invalid HTTP response code '${value}' for flag 'R'`,
    problem: `unknown status ${quoteText(value)}`,
    remedy: "use a status such as `301` or `302`",
  }),
  "invalid-rewrite-base": (value: string) => ({
    server: "RewriteBase: argument is not a valid URL",
    problem: `${quoteText(value)} is not a URL path`,
    remedy: "start it with `/`",
  }),
  "unknown-rewrite-option": (value: string, hasComma: boolean, near: string | undefined) => ({
    server: `RewriteOptions: unknown option '${value}'`,
    problem: `unknown rewrite option ${quoteText(value)}`,
    remedy: hasComma ? "use spaces instead of commas" : near ? `did you mean \`${near}\`?` : "correct it, or delete it",
  }),
  "unknown-map-function": (name: string, near: string | undefined) => ({
    server: `RewriteMap: internal map not found:${name}`,
    problem: `unknown internal map function ${quoteText(name)}`,
    remedy: near ? `use \`int:${near}\`: names are case-sensitive` : "use `toupper`, `tolower`, `escape` or `unescape`",
  }),
  "missing-map-path": (value: string) => ({
    server: `RewriteMap: bad map:${value}`,
    problem: `missing path of the map in ${quoteText(value)}`,
    remedy: "use `dbm:` or `dbm=type:`, followed by the path",
  }),
  "map-module-not-loaded": (value: string) => ({
    server: "RewriteMap types dbd and fastdbd require mod_dbd!",
    problem: `${quoteText(value)} needs \`dbd_module\`, which is not loaded`,
    remedy: "load `dbd_module`",
    missing: "dbd_module",
  }),
  "surplus-section-argument": (name: string, key: string, given: string) => ({
    server: `${name}> ${key === "<else" ? "does not take an argument" : "directive doesn't take additional arguments"}`,
    problem: `\`${name}>\` takes no arguments, but ${quoteText(given)} was given`,
    remedy: "delete the arguments",
  }),
  "missing-section-argument": (name: string) => ({
    server: `${name}> directive requires additional arguments`,
    problem: `\`${name}>\` needs an argument`,
    remedy: "add the argument before the `>`",
  }),
  "tilde-in-match-section": (name: string) => ({
    when: "closing",
    server: `Multiple ${name}> arguments not (yet) supported.`,
    problem: `\`${name}>\` does not accept \`~\` before the pattern`,
    remedy: "delete the `~`",
  }),
  "several-section-arguments": (name: string, errorMessage: string, value: string, isSplit: boolean) => ({
    when: "closing",
    server: `Multiple ${name}> arguments ${errorMessage}.`,
    problem: `\`${name}>\` takes 1 argument, but ${quoteText(value)} follows`,
    remedy: isSplit
      ? "put an argument with spaces in quotes, or use one section for each argument"
      : "use one section for each argument",
  }),
  "missing-variable-argument": (server: string, name: string, what: string) => ({
    server: `Missing ${server} for ${name}`,
    problem: `\`${name}\` needs ${what}`,
    remedy: `add ${what}`,
  }),
  "removed-ssl-protocol": () => ({
    server: "SSLProtocol: SSLv2 is no longer supported",
    problem: "SSLv2 was removed in 2.4",
    remedy: "delete it; `-SSLv2` is allowed",
  }),
  "session-cache-not-supported": (kind: string, module: string | undefined) => ({
    server: `SSLSessionCache: '${kind}' session cache not supported`,
    problem:
      module === undefined
        ? `unknown session cache type ${quoteText(kind)}`
        : `\`${kind}\` needs \`${module}\`, which is not loaded`,
    remedy: module === undefined ? "use `shmcb:` with a path" : "load the module, or use an available type",
  }),
  "unknown-dav-provider": (provider: string, module: string | undefined) => ({
    server: `Unknown DAV provider: ${provider}`,
    problem:
      module === undefined
        ? `unknown DAV provider ${quoteText(provider)}`
        : `\`Dav\` needs \`${module}\`, which is not loaded`,
    remedy: module === undefined ? "use `On`, or load the module that has this provider" : "load the module",
  }),
  "authority-in-section": (name: string) => ({
    server: "Your SSL library does not have support for per-directory CA",
    problem: `\`${name}\` works only for a whole virtual host`,
    remedy: "move it to the virtual host, outside of all sections",
  }),
  "invalid-media-type": (value: string) => ({
    server: "Invalid mimetype: should contain a slash",
    problem: `invalid media type ${quoteText(value)}`,
    remedy: "use a type with a slash, such as `text/html`",
  }),
  "missing-expiry-base": (base: string, code: string) => ({
    server: `unrecognised <base> '${base}'`,
    problem: `missing base time in ${quoteText(code)}`,
    remedy: "start it with `access` or `modification`",
  }),
  "missing-expiry-number": (number: string) => ({
    server: `numeric value expected <num> '${number}'`,
    problem: `expected a number, found ${quoteText(number)}`,
    remedy: "use a number and a unit, such as `1 month`",
  }),
  "missing-expiry-unit": (number: string) => ({
    server: "missing <type>",
    problem: `missing unit after ${quoteText(number)}`,
    remedy: `add years, months, weeks, days, hours, minutes or seconds`,
  }),
  "unknown-expiry-unit": (unit: string) => ({
    server: `unrecognised <type>'${unit}'`,
    problem: `unknown unit of time ${quoteText(unit)}`,
    remedy: `use years, months, weeks, days, hours, minutes or seconds`,
  }),
  "missing-equals-sign": (word: string) => ({
    server: "Invalid RequestReadTimeout parameter. Parameter must be in the form 'key=value'",
    problem: `missing \`=\` in ${quoteText(word)}`,
    remedy: "use the form `header=20-40,MinRate=500`",
  }),
  "unknown-request-stage": (stage: string) => ({
    server: "Unknown RequestReadTimeout parameter",
    problem: `unknown request stage ${quoteText(stage)}`,
    remedy: "use `handshake=`, `header=` or `body=`",
  }),
  "missing-minimum-rate": (value: string) => ({
    server: "Must set MinRate option if using timeout range",
    problem: `the range ${quoteText(value)} needs a \`MinRate\``,
    remedy: "add the rate after a comma without a space: `20-40,MinRate=500`",
  }),
  "zero-minimum-rate": () => ({
    server: "Minimum data rate must be larger than 0",
    problem: "invalid `MinRate` 0",
    remedy: "use the form `header=20-40,MinRate=500`",
  }),
  "decreasing-timeout": (initial: string, max: string) => ({
    server: "Maximum timeout must be larger than initial timeout",
    problem: `the range ${quoteText(`${initial}-${max}`)} does not increase`,
    remedy: "put the smaller number first",
  }),
  "timeout-not-a-number": (text: string) => ({
    server: `Value '${text}' not numerical`,
    problem: `${quoteText(text)} is not a number`,
    remedy: "use a number of seconds, or of bytes per second, without a unit",
  }),
  "text-after-timeout": (rest: string) => ({
    server: `Cannot parse '${rest}'`,
    problem: `unexpected ${quoteText(rest)} after the number`,
    remedy: "use a number of seconds, or of bytes per second, without a unit",
  }),
  "negative-timeout": (text: string) => ({
    server: "Value must be non-negative",
    problem: `${quoteText(text)} is negative`,
    remedy: "use a number of seconds, or of bytes per second, without a unit",
  }),
  "negation-without-effect": (container: string, where: string) => ({
    server: `negative Require directive has no effect in ${container} directive`,
    problem: `\`Require not\` has no effect ${where}`,
    facts: [ONLY_RESTRICTS],
    remedy: IN_REQUIRE_ALL,
  }),
  "negation-in-require-none": () => ({
    server: "negative Require directive has no effect in <RequireNone> directive",
    problem: "`Require not` has no effect in `<RequireNone>`",
    facts: [ONLY_RESTRICTS],
    remedy: "delete `not`: the container already negates",
  }),
  "empty-require-container": (title: string) => ({
    server: `${title} directive contains no authorization directives`,
    problem: `\`${title}\` contains no Require line`,
    remedy: "add a Require line, or delete the container",
  }),
  "require-none-without-effect": (title: string, container: string, where: string) => ({
    server: `${title} directive has no effect in ${container} directive`,
    problem: `\`<RequireNone>\` has no effect ${where}`,
    facts: [ONLY_RESTRICTS],
    remedy: IN_REQUIRE_ALL,
  }),
  "only-negations": () => ({
    logNumber: "AH01624",
    server: "<RequireAll> directive contains only negative authorization directives",
    problem: "`<RequireAll>` never grants access: it has only negated rules",
    remedy: "add a rule that grants access, such as `Require all granted`",
  }),
} satisfies Record<string, (...shown: never[]) => Wording>;

/** Returns the question whether a similar word is meant; for a longer dash of Unicode, which looks like the sign, what differs. */
function describeNear(value: string, near: string): string {
  const isDash = near.startsWith("-") && value.startsWith("\xe2");
  return isDash ? `use \`${near}\`: the sign is a hyphen, not a dash` : `did you mean \`${near}\`?`;
}
