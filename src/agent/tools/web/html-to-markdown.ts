import type { TransformPlugin } from "@mdream/js";

/** Attributes that hold an address. */
const ADDRESSES = ["href", "src"] as const;

/** Elements that are shown as code. */
const CODE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "tt"]);

/**
 * A page as Markdown, with addresses made absolute against `url` and without scripts, styles and pictures that are in the page
 * itself. Work and output grow with the length of the HTML, whatever is in it; see the test of hostile pages.
 */
export async function htmlToMarkdown(html: string, url: string): Promise<string> {
  // Loaded when a page is there: most requests read none.
  const { htmlToMarkdown: convert } = await import("@mdream/js");
  return convert(html, { hooks: [withoutCodeInCode, absoluteAddresses(url)] }).trim();
}

/** Code inside of code makes each fence longer than the ones in it: a few thousand of them would take minutes. */
const withoutCodeInCode: TransformPlugin = {
  beforeNodeProcess({ node }) {
    if (!("name" in node) || !CODE.has(String(node.name))) return undefined;
    for (let outer = node.parent; outer; outer = outer.parent) {
      if (CODE.has(outer.name)) return { skip: true };
    }
    return undefined;
  },
};

function absoluteAddresses(url: string): TransformPlugin {
  return {
    processAttributes({ attributes }) {
      for (const name of ADDRESSES) {
        const address = attributes[name];
        if (address === undefined) continue;
        if (address.startsWith("data:")) delete attributes[name];
        else attributes[name] = URL.parse(address, url)?.href ?? address;
      }
    },
  };
}
