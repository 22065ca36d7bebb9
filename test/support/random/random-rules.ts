import fc from "fast-check";
import { condition, inQuotes, userCondition } from "./random-conditions.js";
import { pick } from "./random-texts.js";

/** Lines of a configuration file, with a section as several. */
export type Lines = readonly string[];
export type LinesArbitrary = fc.Arbitrary<Lines>;

/** Generates lines that include one with the given name. */
export const line = (name: string, ...rests: readonly string[]): LinesArbitrary =>
  fc.constantFrom(...rests).map((rest) => [rest === "" ? name : `${name} ${rest}`]);

/** Generates a sequence of pieces. */
export const several = (piece: LinesArbitrary, minLength: number, maxLength: number): LinesArbitrary =>
  fc.array(piece, { minLength, maxLength, size: "max" }).map((pieces) => pieces.flat());

export const section = (tag: fc.Arbitrary<string>, inside: LinesArbitrary): LinesArbitrary =>
  fc.tuple(tag, inside).map(([opening, lines]) => {
    const name = /^\S+/.exec(opening)?.[0] ?? opening;
    return [`<${opening}>`, ...lines, `</${name}>`];
  });

const hosts = [
  ...["all", "10.1", "10.0.0.0/8", "127.0.0.1", "127", "2001:db8::/32", "192.0.2.7", "10.1.2.3/255.0.255.0"],
  ...[
    "env=flag",
    "env=!flag",
    "env=FLAG",
    "env=other",
    "env=MATCH_FIRST",
    "ENV=php",
    "localhost",
    "::1",
    "host",
    ".test",
  ],
  ...["10.1 192.0.2.7", "env=flag 127.0.0.1", "10.2. localhost"],
];
const methods = ["GET", "POST", "GET POST", "HEAD", "PUT DELETE", "OPTIONS", "PROPFIND", "GET HEAD OPTIONS", "FOO"];

const oldLine: LinesArbitrary = fc.oneof(
  { weight: 3, arbitrary: line("Order", "deny,allow", "allow,deny", "mutual-failure", "Allow,Deny") },
  { weight: 3, arbitrary: line("Allow from", ...hosts) },
  { weight: 3, arbitrary: line("Deny from", ...hosts) },
  { weight: 1, arbitrary: line("Satisfy", "any", "all", "Any") },
);

const requirement: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: pick("all granted", "all denied", "all GRANTED") },
  {
    weight: 3,
    arbitrary: pick("ip 10.1", "ip 10.0.0.0/8 192.0.2.7", "ip 127.0.0.1", "ip 2001:db8::/32", "local", "ip ::1"),
  },
  {
    weight: 3,
    arbitrary: pick("valid-user", "user alice", "user bob carol", "group staff", "group admins staff", "user root"),
  },
  { weight: 2, arbitrary: pick("env flag", "env other flag", "env FLAG", "env MATCH_FIRST", "env !flag", "env php") },
  { weight: 2, arbitrary: pick("method GET", "method POST PUT", "method HEAD", "method OPTIONS PROPFIND") },
  {
    weight: 2,
    arbitrary: pick("dbm-group staff", "dbm-group ops admins", "file-owner", "file-group", "dbm-file-group"),
  },
  { weight: 1, arbitrary: pick("host localhost", "host test .org", "host 127.0.0.1", "host %{HTTP:X-A}") },
  { weight: 1, arbitrary: pick("forward-dns localhost") },
  { weight: 2, arbitrary: pick("near", "team", "Near x", "flagged", "reads", "boss", "owner", "operators", "says") },
  { weight: 2, arbitrary: userCondition.map((text) => `expr ${text}`) },
  { weight: 1, arbitrary: condition.map((text) => `expr ${inQuotes(text)}`) },
);

const require: LinesArbitrary = requirement.map((text) => [`Require ${text}`]);
const requireNot: LinesArbitrary = requirement.map((text) => [`Require not ${text}`]);
const limit = (inside: LinesArbitrary): LinesArbitrary =>
  section(pick(...methods.flatMap((each) => [`Limit ${each}`, `LimitExcept ${each}`])), inside);

function newRule(depth: number): LinesArbitrary {
  if (depth === 0) return require;
  const inner = newRule(depth - 1);
  const positive = fc.oneof({ weight: 3, arbitrary: require }, { weight: 1, arbitrary: inner });
  const negative = fc.oneof(
    { weight: 3, arbitrary: requireNot },
    { weight: 1, arbitrary: section(pick("RequireNone"), several(positive, 1, 2)) },
  );
  const all = fc
    .tuple(positive, several(fc.oneof(positive, negative), 0, 2))
    .map(([first, more]) => [...first, ...more]);
  return fc.oneof(
    { weight: 6, arbitrary: require },
    { weight: 2, arbitrary: section(pick("RequireAll"), all) },
    { weight: 2, arbitrary: section(pick("RequireAny"), several(positive, 1, 3)) },
    {
      weight: 1,
      arbitrary: limit(several(fc.oneof({ weight: 3, arbitrary: require }, { weight: 1, arbitrary: inner }), 1, 2)),
    },
  );
}

const authentication: LinesArbitrary = fc.oneof(
  { weight: 4, arbitrary: line("AuthType", "Basic", "Basic", "None", "basic", "Digest") },
  { weight: 1, arbitrary: line("AuthName", "x", '"%{HTTP:X-A}"') },
  { weight: 2, arbitrary: line("AuthUserFile", "conf/users", "conf/users", "conf/none") },
  { weight: 2, arbitrary: line("AuthGroupFile", "conf/groups", "conf/groups", "conf/none") },
  { weight: 1, arbitrary: line("AuthDBMGroupFile", "conf/dbm", "conf/dbm", "conf/none") },
  { weight: 1, arbitrary: line("AuthzDBMType", "default") },
  { weight: 1, arbitrary: line("AuthBasicProvider", "file", "File") },
  { weight: 1, arbitrary: line("AuthBasicAuthoritative", "Off", "On") },
);

/** The complete setup for authentication. */
export const authenticationLines: Lines = [
  ...["AuthType Basic", 'AuthName "x"', "AuthUserFile conf/users", "AuthGroupFile conf/groups"],
  ...["AuthDBMGroupFile conf/dbm"],
];

/** A part of that setup, and rules that need a user. */
const partialAuthentication: LinesArbitrary = fc
  .tuple(
    fc.subarray([...authenticationLines, "AuthType None"]),
    several(
      line(
        "Require",
        ...["valid-user", "user bob", "group staff", "group root", "dbm-group ops", "file-owner", "file-group"],
        ...["dbm-file-group", "expr %{REMOTE_USER} != 'bob'", "expr %{REMOTE_USER} == ''"],
      ),
      1,
      2,
    ),
  )
  .map((pieces) => pieces.flat());

const plainNames = ["flag", "FLAG", "flag=a", "other", "!flag", "php=1 !other", "Flag=0"];
const names = ["flag", "FLAG", "flag=a", "other", "!flag", "other=$1", "flag other=$0", "php=1 !other", "Flag=0"];
const attributes = [
  ...[
    "X-A ^a",
    "X-A (.*)",
    "x-a .",
    "X-B ^O(n)",
    "X-A ^$",
    "^X- .",
    "flag .",
    "flag ^1$",
    "FLAG a",
    "other .",
    "Host ^a\\.test",
  ],
  ...[
    "Request_URI \\.html$",
    "Request_URI ^/a",
    "Request_URI /(b)/",
    "Request_URI %",
    "Remote_Addr ^10\\.",
    "Remote_Host .",
    "Remote_Host ^local",
  ],
  ...[
    "Request_Method ^(GET|PUT)$",
    "Server_Addr ^127\\.0\\.0\\.2$",
    "Request_Protocol 1\\.1",
    "MATCH_FIRST ^a",
    "X-A b|c",
    "none ^",
  ],
];

/** SetEnvIf and similar directives, which run before access is checked, and SetEnv, which does not. */
export const variable: LinesArbitrary = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(pick("SetEnvIf", "SetEnvIf", "SetEnvIfNoCase"), pick(...attributes), pick(...names))
      .map(([name, attribute, set]) => [`${name} ${attribute} ${set}`]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(pick("BrowserMatch", "BrowserMatchNoCase"), pick("^curl", "mozilla", "(.)/8", "."), pick(...names))
      .map(([name, pattern, set]) => [`${name} ${pattern} ${set}`]),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(condition, pick(...plainNames)).map(([text, set]) => [`SetEnvIfExpr ${inQuotes(text)} ${set}`]),
  },
  { weight: 1, arbitrary: line('SetEnvIfExpr "%{HTTP:X-A} =~ /^(.)/"', "flag=$1", "other=x$0 flag") },
  { weight: 1, arbitrary: line("SetEnv", "flag 1", "other") },
  { weight: 1, arbitrary: line("UnsetEnv", "flag") },
);

const merging: LinesArbitrary = fc.oneof(
  { weight: 3, arbitrary: line("AuthMerging", "And", "Or", "Off") },
  { weight: 1, arbitrary: line("AuthzSendForbiddenOnFailure", "On", "Off") },
);

const oldRules: LinesArbitrary = several(oldLine, 1, 3);
const newRules: LinesArbitrary = several(newRule(2), 1, 2);

/** A few access-control lines for a section. */
export const rules: LinesArbitrary = fc.oneof(
  { weight: 4, arbitrary: oldRules },
  { weight: 5, arbitrary: newRules },
  { weight: 2, arbitrary: fc.tuple(oldRules, newRules).map(([old, fresh]) => [...old, ...fresh]) },
  { weight: 2, arbitrary: fc.tuple(merging, newRules).map(([merge, fresh]) => [...merge, ...fresh]) },
  { weight: 1, arbitrary: merging },
  { weight: 1, arbitrary: authentication },
  { weight: 1, arbitrary: fc.tuple(authentication, newRules).map(([auth, fresh]) => [...auth, ...fresh]) },
  { weight: 1, arbitrary: limit(fc.oneof(oldRules, newRules)) },
  { weight: 1, arbitrary: fc.constant(authenticationLines) },
  { weight: 2, arbitrary: partialAuthentication },
);
