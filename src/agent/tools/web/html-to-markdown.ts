import type { TransformPlugin } from "@mdream/js";

/** Attributes that contain an address. */
const ADDRESSES = ["href", "src"] as const;

/** Elements that are shown as code. */
const CODE: ReadonlySet<string> = new Set(["code", "kbd", "samp", "tt"]);

/**
 * Converts a page to Markdown, with addresses made absolute against `url` and without scripts, styles and inline
 * pictures. Work and output are linear in the length of the HTML; see the test of hostile pages.
 */
export async function htmlToMarkdown(html: string, url: string): Promise<string> {
  // Loaded on first use: most requests read no page.
  const { htmlToMarkdown: convert } = await import("@mdream/js");
  return convert(html, { hooks: [withoutCodeInCode, absoluteAddresses(url)] }).trim();
}

/** Code within code makes each fence longer than the inner ones: a few thousand levels would take minutes. */
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
