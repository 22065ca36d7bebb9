import type { Bench } from "./workbench.js";

/** What the playground starts with: a site of 2.2 that answers otherwise under 2.4. */
export const example: Bench = {
  main: "/etc/httpd/httpd.conf",
  files: {
    "/etc/httpd/httpd.conf": `ServerRoot "/etc/httpd"
ServerName intranet.example.com
Listen 80
DocumentRoot "/srv/intranet"

# The whole site is for the office.
<Directory "/srv/intranet">
    AllowOverride AuthConfig Limit
    Order deny,allow
    Deny from all
    Allow from 10.0.0.0/8
</Directory>

# Press releases were opened when 2.4 came.
<Directory "/srv/intranet/press">
    Require all granted
</Directory>

# The wiki is for everybody with a password.
<Location "/wiki">
    AuthType Basic
    AuthName "Wiki"
    AuthUserFile "/etc/httpd/users"
    Require valid-user
    Satisfy any
</Location>
`,
    "/srv/intranet/drafts/.htaccess": `Order allow,deny
Deny from all
`,
  },
};
