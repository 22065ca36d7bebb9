import type { Random } from "../random/random.js";
import { drawMany, drawPerhaps, type Lines, section } from "./drawing.js";

const networks = [
  ...["127.0.0.1", "127.0.0.0/30", "127", "127.0.0.2 127.0.0.3", "127.1", "10.0.0.0/8 ::1", "192.0.2.7", "203.0.113"],
  ...["127.0.0.0/255.0.0.0", "::/1", "0.0.0.0/1"],
] as const;

const conditions = [
  ...["%{REQUEST_URI} =~ m#^/(docs|private)/#", "%{HTTP_HOST} == 'www.example.test'", "-n req('X-Token')"],
  ...["%{REMOTE_ADDR} -ipmatch '127.0.0.0/29'", "-R '127.0.0.0/30'", "%{REQUEST_METHOD} in { 'GET', 'HEAD' }"],
  ...["%{QUERY_STRING} =~ /debug=1/", "tolower(%{HTTP_USER_AGENT}) =~ /bot/", "reqenv('trusted') == '1'"],
  ...["%{HTTP:Accept-Language} =~ /^de/ && %{REQUEST_METHOD} != 'POST'", "-T osenv('NO_SUCH_VARIABLE')"],
  ...[
    "%{REMOTE_USER} == 'alice'",
    "%{REQUEST_SCHEME} == 'http' && %{IPV6} == 'on'",
    "%{CONN_REMOTE_ADDR} != %{REMOTE_ADDR}",
  ],
  ...[
    "%{HTTP_COOKIE} =~ /session/ || %{REQUEST_METHOD} == 'HEAD'",
    "%{HTTPS} == 'on'",
    "%{SERVER_PORT} -lt 1024",
    "%{REQUEST_FILENAME} =~ /\\.(txt|inc)$/",
    "! -z %{HTTP_REFERER}",
  ],
] as const;

/** Draws the condition of an `<If>` or `Require expr`. */
export function drawCondition(random: Random): string {
  return random.pick(conditions);
}

function drawClientRule(random: Random): string {
  const choice = random.below(12);
  if (choice < 5) return `Require ip ${random.pick(networks)}`;
  if (choice === 5) return "Require local";
  if (choice === 6) return `Require env ${random.pick(["trusted", "bad_bot", "let_me_in"])}`;
  if (choice === 7) return `Require method ${random.pick(["GET", "GET POST OPTIONS", "PUT DELETE"])}`;
  if (choice === 8) return `Require expr "${drawCondition(random)}"`;
  if (choice === 9) return "Require all denied";
  if (choice === 10) return random.pick(["Require all granted", "Require office", "Require env MATCH_NAME"]);
  return `Require not ip ${random.pick(networks)}`;
}

function drawUserRule(random: Random): string {
  return random.pick([
    ...(["Require valid-user", "Require valid-user", "Require user alice bob", "Require user carol"] as const),
    ...["Require group staff", "Require group admins ops", 'Require group "web team"', "Require not user bob"],
    ...["Require dbm-group ops", "Require leads", "Require dbm-file-group", "Require file-owner", "Require file-group"],
  ]);
}

const userFiles = ["conf/users", "conf/users", "conf/users", "conf/users", "conf/more-users", "conf/digest"] as const;

/** Draws how a section asks for a user. */
function drawLogin(random: Random): Lines {
  const groups = [
    ...drawPerhaps(random, 0.6, `AuthGroupFile ${random.pick(["conf/groups", "@ROOT@/conf/groups"])}`),
    ...drawPerhaps(random, 0.2, "AuthDBMGroupFile conf/dbm"),
  ];
  if (random.chance(0.15)) {
    const realm = random.pick(["private", "private", "other realm"]);
    return [
      "AuthType Digest",
      `AuthName "${realm}"`,
      ...drawPerhaps(random, 0.3, "AuthDigestProvider file"),
      `AuthUserFile ${random.pick(["conf/digest", "conf/digest", "conf/users"])}`,
      ...groups,
    ];
  }
  if (random.chance(0.08)) {
    return [
      ...["AuthType form", 'AuthName "private"', "AuthFormProvider file", "AuthUserFile conf/users", ...groups],
      ...["Session On", "SessionCookieName session path=/"],
      ...drawPerhaps(random, 0.4, "AuthFormLoginRequiredLocation http://www.example.test/login"),
    ];
  }
  if (random.chance(0.08))
    return [
      "AuthType Basic",
      "AuthName Guests",
      "AuthBasicProvider anon file",
      "AuthUserFile conf/users",
      "Anonymous guest carol",
      "Anonymous_MustGiveEmail Off",
      ...groups,
    ];
  return [
    "AuthType Basic",
    `AuthName ${random.pick(['"private"', "Members", '"Members only"'])}`,
    ...drawPerhaps(random, 0.4, `AuthBasicProvider ${random.pick(["file", "file", "staff-file", "staff-file file"])}`),
    ...drawPerhaps(random, 0.1, "AuthBasicAuthoritative Off"),
    `AuthUserFile ${random.pick(userFiles)}`,
    ...groups,
  ];
}

function drawOldRules(random: Random): Lines {
  const who = () =>
    random.pick([
      ...(["all", "all", "127.0.0.1", "127.0.0.0/30", "10", "192.0.2.7", "env=trusted", "env=!bad_bot"] as const),
      ...["127.0.0.2 127.0.0.3", "::1"],
    ]);
  const rules = drawMany(random, 1, 3, () => `${random.pick(["Allow", "Deny"])} from ${who()}`);
  return [
    ...drawPerhaps(random, 0.85, `Order ${random.pick(["allow,deny", "deny,allow", "Deny,Allow", "mutual-failure"])}`),
    ...rules,
    ...drawPerhaps(random, 0.25, `Satisfy ${random.pick(["any", "all"])}`),
  ];
}

function drawContainer(random: Random, depth: number): Lines {
  const kind = random.pick(["RequireAll", "RequireAny", "RequireNone", "RequireAll", "RequireAny"]);
  // The server rejects a container in which nothing can grant or deny access.
  const rule = () => drawClientRule(random).replace("Require not", "Require");
  const children = drawMany(random, 1, 3, () =>
    depth > 0 && random.chance(0.25) ? drawContainer(random, depth - 1) : [rule()],
  ).flat();
  const negative = kind === "RequireAll" ? drawPerhaps(random, 0.4, `Require not ip ${random.pick(networks)}`) : [];
  return kind === "RequireNone"
    ? section("RequireAll", "Require all granted", ...section(kind, rule()))
    : section(kind, ...children, ...negative);
}

/** Draws access control as one section has it. */
export function drawAccess(random: Random): Lines {
  const choice = random.below(16);
  if (choice < 3) return ["Require all granted"];
  if (choice < 4) return ["Require all denied"];
  if (choice < 7) return drawMany(random, 1, 2, (each) => drawClientRule(each).replace("Require not", "Require"));
  if (choice < 10) return [...drawLogin(random), drawUserRule(random).replace("Require not", "Require")];
  if (choice < 12) return drawOldRules(random);
  if (choice < 13) return [...drawOldRules(random), ...drawLogin(random), "Require valid-user"];
  if (choice < 14)
    return [
      ...drawLogin(random),
      ...section("RequireAll", "Require valid-user", drawUserRule(random), drawClientRule(random)),
    ];
  if (choice < 15)
    return [
      ...drawLogin(random),
      ...section("RequireAny", "Require valid-user", drawClientRule(random).replace("Require not", "Require")),
      ...drawPerhaps(random, 0.2, `AuthMerging ${random.pick(["And", "Or", "Off"])}`),
    ];
  return [...drawContainer(random, 1), ...drawPerhaps(random, 0.2, `AuthMerging ${random.pick(["And", "Or"])}`)];
}
