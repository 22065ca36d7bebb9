/** Replaces the text between the marks `<!-- NAME -->` and `<!-- /NAME -->` of a page. */
export function withMarked(page: string, name: string, text: string): string {
  const between = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  return page.replace(between, (_, open: string, close: string) => `${open}${text}${close}`);
}
