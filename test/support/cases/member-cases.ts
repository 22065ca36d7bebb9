const sha = "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=";

/** A group file, and who is in its groups according to httpd 2.4. */
const groupFile = `two: alice
two: bob
cont: alice \\
  carol
dq: alice "bob x" carol
sq: 'bob' dave
esc: a\\"b "q\\"r"
  lead: erin
#hash: erin
 #hash2: erin
empty:
colon: h:i dave
UPPER: erin
nocolon erin
tab:\tdave
a"b: alice
dbl: dave \\\\
dblnext: erin
mix: t"x"y carol
crlf: dave\r
cut: al\\
ice
last: erin`;

export const groupUsers: readonly string[] = ["alice", "bob", "carol", "bob x", "dave", 'q"r', "erin", 't"x"y'];

export const groupMembers: readonly (readonly [group: string, members: readonly string[]])[] = [
  ["two", ["alice", "bob"]],
  ["cont", ["alice", "carol"]],
  ["dq", ["alice", "carol", "bob x"]],
  ["sq", ["bob", "dave"]],
  ["esc", ['q"r']],
  ["lead", ["erin"]],
  ['"#hash"', []],
  ['"#hash2"', []],
  ["empty", []],
  ["colon", ["dave"]],
  ["upper", ["erin"]],
  ["UPPER", ["erin"]],
  ["nocolon", []],
  ["tab", ["dave"]],
  ["'a\"b'", ["alice"]],
  ["dbl", ["dave", "erin"]],
  ["dblnext", []],
  ["mix", ["carol", 't"x"y']],
  ["crlf", ["dave"]],
  ["cut", ["alice"]],
  ["last", ["erin"]],
  ["Two none", ["alice", "bob"]],
];

/** A password file, with and without realms. All passwords are `secret`. */
const passwordFile = `sha:${sha}
apr:$apr1$6FBfynrS$tBYfAu5Uk5deenQ1kc.381
des:abNANd1rDfiNc
plain:secret
empty:
nocolon
sp :${sha}
 lead:${sha}
#hash:${sha}
twice:${sha}x
twice:${sha}
extra:${sha}:foo:bar
colons::${sha}
cont:${sha.slice(0, 10)}\\
${sha.slice(10)}
Up:${sha}
lock:!${sha}
star:*
dig:R:c23d19c0fc65c1a3a2354a2eaaeecb77
digo:Other:6a781b4124e44d1f84acfdd7a2100008
two:Other:fb3ec29dccf47cb72d3ffcea0b1f943a
two:R:ddb2b8a72c24804f3a48d268e8fcf062
bad:R:nothash
`;

/** The responses of httpd 2.4 to Basic and Digest credentials: the message number of each denial. */
export const passwordAnswers: readonly (readonly [user: string, basic: string, digest: string])[] = [
  ["sha", "200", "AH01790"],
  ["apr", "200", "AH01790"],
  ["des", "200", "AH01790"],
  ["plain", "AH01617", "AH01790"],
  ["empty", "AH01617", "AH01790"],
  ["nocolon", "AH01617", "AH01790"],
  ["sp", "AH01618", "AH01790"],
  ["sp ", "200", "AH01790"],
  ["lead", "200", "AH01790"],
  ["#hash", "AH01618", "AH01790"],
  ["twice", "AH01617", "AH01790"],
  ["extra", "200", "AH01790"],
  ["colons", "200", "AH01790"],
  ["cont", "200", "AH01790"],
  ["Up", "200", "AH01790"],
  ["up", "AH01618", "AH01790"],
  ["lock", "AH01617", "AH01790"],
  ["star", "AH01617", "AH01790"],
  ["dig", "AH01617", "200"],
  ["digo", "AH01617", "AH01790"],
  ["two", "AH01617", "200"],
  ["bad", "AH01617", "AH01794"],
];

export const memberModules: readonly string[] = [
  ...["authn_core", "authn_file", "auth_basic", "auth_digest", "authz_core", "authz_user", "authz_groupfile", "dir"],
];

/** A location for each group, and one for each kind of credentials. */
export const memberLines: readonly string[] = [
  ...groupMembers.flatMap(([group], index) => [
    ...[`<Location /g${index}>`, "AuthType Basic", "AuthName x", "AuthUserFile members", "AuthGroupFile groups"],
    ...[`Require group ${group}`, "</Location>"],
  ]),
  ...["Basic", "Digest"].flatMap((type) => [
    ...[`<Location /${type}>`, `AuthType ${type}`, "AuthName R", "AuthUserFile passwords", "Require valid-user"],
    "</Location>",
  ]),
];

export const memberFiles: Readonly<Record<string, string>> = {
  groups: groupFile,
  passwords: passwordFile,
  members: groupUsers.map((user) => `${user}:${sha}\n`).join(""),
};
