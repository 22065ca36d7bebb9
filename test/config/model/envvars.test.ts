import { expect, test } from "vitest";
import { assumeEnvironment, readEnvvars } from "../../../src/config/model/variables.js";

test("reads Debian's envvars file without a shell", () => {
  const text = `# envvars
unset HOME
if [ "\${APACHE_CONFDIR##/etc/apache2-}" != "\${APACHE_CONFDIR}" ] ; then
	SUFFIX="-\${APACHE_CONFDIR##/etc/apache2-}"
else
	SUFFIX=
fi
export APACHE_RUN_USER=www-data
export APACHE_PID_FILE=/var/run/apache2$SUFFIX/apache2.pid
export APACHE_LOG_DIR="/var/log/apache2\${SUFFIX}" # logs
export LANG='C $X'
export NOW=$(date)
export TICKS=\`date\`
#export APACHE_LYNX='www-browser -dump'
`;
  expect(Object.fromEntries(readEnvvars(text))).toEqual({
    APACHE_RUN_USER: "www-data",
    APACHE_PID_FILE: "/var/run/apache2/apache2.pid",
    APACHE_LOG_DIR: "/var/log/apache2",
    LANG: "C $X",
  });
});

test.each([
  ["/backup/etc/apache2/apache2.conf", "/var/log/apache2"],
  ["/etc/httpd/conf/httpd.conf", undefined],
  ["/etc/apache2/my-apache2.conf", undefined],
])("assumes the values of Debian's package only for its main file: %s", (main, logs) => {
  expect(assumeEnvironment(main).get("APACHE_LOG_DIR")).toBe(logs);
});
