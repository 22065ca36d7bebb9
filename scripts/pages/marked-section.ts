/** A page with other text between the marks `<!-- NAME -->` and `<!-- /NAME -->`, which stand in it. */
export function withMarked(page: string, name: string, text: string): string {
  const between = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
  return page.replace(between, (_, open: string, close: string) => `${open}${text}${close}`);
}
