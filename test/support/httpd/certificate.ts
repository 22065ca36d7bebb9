import { spawnSync } from "node:child_process";

/**
 * Creates a key and a self-signed certificate for it.
 *
 * @returns whether a tool for this is available
 */
export function makeCertificate(key: string, certificate: string, name = "x.test"): boolean {
  const { status } = spawnSync("openssl", [
    ...["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", `/CN=${name}`],
    ...["-keyout", key, "-out", certificate],
  ]);
  return status === 0;
}
