import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificate } from "../../support/httpd/certificate.js";
import { httpd, loadModules } from "../../support/httpd/httpd.js";
import { byReading, type JudgedFinding, refuted, type SourceLines, type Verdict, verdictOn } from "./judged-finding.js";

type TlsExperiment = (finding: JudgedFinding, source: SourceLines, folder: string) => Verdict | Promise<Verdict>;

/** OpenSSL lists the cipher suites that the finding names. */
const weakCipher: TlsExperiment = ({ notes, start }, source) => {
  const [, value = ""] =
    /^SSLCipherSuite\s+(?:"([^"]*)"|(?:SSL\s+)?(\S+))/i.exec(source.at(start.line))?.filter(Boolean) ?? [];
  const { stdout } = spawnSync("openssl", ["ciphers", `${value}:@SECLEVEL=0`], { encoding: "utf8" });
  const listed = new Set(stdout.trim().split(":"));
  const named = [...notes.join(" ").matchAll(/\b[A-Z0-9]{2,}(?:-[A-Z0-9]+){2,}\b/g)].map(([name]) => name);
  const absent = named.filter((name) => !listed.has(name));
  const isOfOldBuilds = absent.every((name) => /RC4|DES/.test(name));
  if (absent.length > 0 && isOfOldBuilds) return byReading(`this build of OpenSSL omits ${absent.join(", ")}`);
  return verdictOn(
    named.length > 0 && absent.length === 0,
    `listed: ${named.join(", ")}; not listed: ${absent.join(", ")}`,
  );
};

/** The server accepts TLS 1.1 with the line. */
const weakProtocol: TlsExperiment = async ({ start }, source, folder) => {
  const line = source.at(start.line);
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  if (!existsSync(key)) makeCertificate(key, certificate);
  rmSync(join(folder, "tls.pid"), { force: true });
  const text = [
    loadModules(["mpm_event", "authz_core", "ssl", "socache_shmcb"]),
    ...[`ServerRoot "${folder}"`, "ServerName judged.test", "PidFile tls.pid", "ErrorLog tls_log", "Listen 8443"],
    ...[`SSLCertificateFile "${certificate}"`, `SSLCertificateKeyFile "${key}"`, "SSLCipherSuite ALL:@SECLEVEL=0"],
    ...(/^SSLProtocol\b/i.test(line) ? [line] : []),
    "SSLEngine On",
  ];
  writeFileSync(join(folder, "tls.conf"), `${text.join("\n")}\n`, "latin1");
  const server = spawn(httpd ?? "apache2", ["-X", "-f", join(folder, "tls.conf")], { stdio: "ignore" });
  for (let wait = 0; wait < 50 && !existsSync(join(folder, "tls.pid")); wait++) await sleep(100);
  await sleep(200);
  const { stdout } = spawnSync(
    "openssl",
    ["s_client", "-connect", "127.0.0.1:8443", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0"],
    { encoding: "utf8", input: "", timeout: 10_000 },
  );
  const ended = once(server, "exit");
  server.kill();
  await ended;
  const cipher = /Cipher is (\S+)/.exec(stdout)?.[1] ?? "no answer";
  return cipher === "(NONE)"
    ? refuted("TLS 1.1 is rejected")
    : verdictOn(cipher !== "no answer", `TLS 1.1 with ${cipher}`);
};

/** The experiment of each rule about TLS. */
export const tlsExperiments: Readonly<Record<string, TlsExperiment>> = {
  "weak-tls-cipher": weakCipher,
  "weak-tls-protocol": weakProtocol,
};
