import { describe, expect, it } from "vitest";
import { readGuide } from "#local/guide/contents.ts";
import { addressOf } from "#local/guide/render.ts";
import { sharedService } from "#test/support/shared-service.ts";

const service = sharedService();
const guide = readGuide();

/** Addresses in the page's own markup. */
function addressesIn(html: string): string[] {
  return Array.from(html.matchAll(/(?:src|href)="([^"]*)"/gu), ([, address = ""]) => address);
}

describe("the guide", () => {
  it.each(guide)("serves $name as a page and as Markdown", async (page) => {
    const html = await service.call("GET", addressOf(page));
    expect(html.status).toBe(200);
    expect(html.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(html.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(html.text).toContain("<h1");
    const markdown = await service.call("GET", `/guide/${page.name}.md`);
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(markdown.text).toBe(page.markdown);
  });

  it("links to what is served, with headings that exist", async () => {
    const texts = new Map<string, string>();
    for (const page of guide) texts.set(addressOf(page), (await service.call("GET", addressOf(page))).text);
    const broken: string[] = [];
    for (const [address, html] of texts) {
      for (const link of addressesIn(html).filter((each) => /^[/#]/u.test(each))) {
        const [path = "", fragment] = link.split("#");
        const target = texts.get(path === "" ? address : path);
        const isServed = target !== undefined || (await service.call("GET", path)).status === 200;
        const isThere = fragment === undefined || target?.includes(`id="${fragment}"`) === true;
        if (!isServed || !isThere) broken.push(`${address}: ${link}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it("names every page for language models", async () => {
    const { status, headers, text } = await service.call("GET", "/llms.txt");
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/plain; charset=utf-8");
    const links = Array.from(text.matchAll(/\]\(([^)]+)\)/gu), ([, address = ""]) => address);
    expect(links).toEqual([...guide.slice(1).map(({ name }) => `/guide/${name}.md`), "/openapi.json"]);
  });

  it.each(["/guide/none.md", "/guide/..%2Faccount%2Fstyle.css"])(
    "has no other pages: %s",
    async (address) => {
      expect((await service.call("GET", address)).status).toBe(404);
    },
  );
});
