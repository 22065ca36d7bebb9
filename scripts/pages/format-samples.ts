import { httpdLint } from "../../test/support/programs/command.js";

const block = /(<!-- sample in (\S+): httpd-lint ([^\n]*?) -->\n)[\s\S]*?(<!-- \/sample -->)/g;

/** Fills each marked sample of a page with the output of the built command in a folder. JSON gets line breaks. */
export function withFormatSamples(page: string): string {
  return page.replace(block, (_, open: string, cwd: string, args: string, close: string) => {
    const { stdout, status, stderr } = httpdLint([...args.split(" "), "--quiet"], { cwd });
    if (status !== 1) throw new Error(`\`httpd-lint ${args}\` ended with ${status}: ${stderr}`);
    const isXml = stdout.startsWith("<?xml");
    const sample = isXml ? stdout.trimEnd() : JSON.stringify(JSON.parse(stdout), undefined, 2);
    return `${open}\`\`\`sh\nhttpd-lint ${args}\n\`\`\`\n\n\`\`\`${isXml ? "xml" : "json"}\n${sample}\n\`\`\`\n${close}`;
  });
}
