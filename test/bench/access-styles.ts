/** How a server writes its access control. */
export interface AccessStyle {
  readonly release: "2.2" | "2.4";
  readonly open: () => string;
  readonly closed: () => string;
  readonly from: (...addresses: readonly string[]) => string;
  readonly butNotFrom: (addresses: readonly string[]) => string;
  /** All clients except those with the variable `bad_bot`. */
  readonly butNotBots: () => string;
  readonly login: (realm: string, file: string) => string;
  /** An address, or a login. */
  readonly either: (address: string, realm: string, file: string) => string;
  readonly group: (realm: string, file: string, group: string) => string;
  readonly ldap: (group: string) => string;
}

const basic = (realm: string, file: string) => `AuthType Basic\nAuthName "${realm}"\nAuthUserFile ${file}\n`;
const ofGroup = (realm: string, file: string, group: string) =>
  `${basic(realm, file)}AuthGroupFile ${file}.groups\nRequire group ${group}\n`;
const ofLdap = (group: string) =>
  `AuthType Basic\nAuthName "Intranet"\nAuthBasicProvider ldap\nAuthLDAPURL "ldap://ldap.example.org/ou=people,dc=example,dc=org?uid"\nAuthLDAPBindDN cn=apache,dc=example,dc=org\nAuthLDAPBindPassword exec:/etc/httpd/ldap-password\nRequire ldap-group ${group}\n`;

/** Order, Allow, Deny and Satisfy, which both releases have. */
const compat: Omit<AccessStyle, "release"> = {
  open: () => "Order allow,deny\nAllow from all\n",
  closed: () => "Order allow,deny\nDeny from all\n",
  from: (...addresses) => `Order deny,allow\nDeny from all\nAllow from ${addresses.join(" ")}\n`,
  butNotFrom: (addresses) =>
    `Order allow,deny\nAllow from all\n${addresses.map((each) => `Deny from ${each}\n`).join("")}`,
  butNotBots: () => "Order allow,deny\nAllow from all\nDeny from env=bad_bot\n",
  login: (realm, file) => `${basic(realm, file)}Require valid-user\n`,
  either: (address, realm, file) =>
    `Order deny,allow\nDeny from all\nAllow from ${address}\n${basic(realm, file)}Require valid-user\nSatisfy any\n`,
  group: ofGroup,
  ldap: ofLdap,
};

const requires: Omit<AccessStyle, "release"> = {
  open: () => "Require all granted\n",
  closed: () => "Require all denied\n",
  from: (...addresses) => `Require ip ${addresses.join(" ")}\n`,
  butNotFrom: (addresses) =>
    `<RequireAll>\nRequire all granted\n${addresses.map((each) => `Require not ip ${each}\n`).join("")}</RequireAll>\n`,
  butNotBots: () => "<RequireAll>\nRequire all granted\nRequire not env bad_bot\n</RequireAll>\n",
  login: (realm, file) => `${basic(realm, file)}Require valid-user\n`,
  either: (address, realm, file) =>
    `${basic(realm, file)}<RequireAny>\nRequire ip ${address}\nRequire valid-user\n</RequireAny>\n`,
  group: ofGroup,
  ldap: ofLdap,
};

/** Half of the servers are of 2.2. Those of 2.4 use the old directives or the new ones. */
export const accessStyles: readonly [AccessStyle, ...AccessStyle[]] = [
  { release: "2.2", ...compat },
  { release: "2.2", ...compat },
  { release: "2.4", ...compat },
  { release: "2.4", ...requires },
];
