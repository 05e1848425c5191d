import { describe, expect, it } from "vitest";
import { htmlToMarkdown } from "#src/agent/tools/web/html-to-markdown.ts";

const convert = (html: string) => htmlToMarkdown(html, "https://example.com/docs/page.html");

describe("HTML as Markdown", () => {
  it("keeps headings, lists, tables and code", async () => {
    const markdown = await convert(
      "<h2>How</h2><ul><li>one<ul><li>deeper</li></ul></li></ul>" +
        '<pre><code class="language-js">const a = 1 &lt; 2;\n  b();</code></pre>' +
        "<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2</td></tr></table>",
    );
    expect(markdown).toContain("## How");
    expect(markdown).toContain("- one\n  - deeper");
    expect(markdown).toContain("```js\nconst a = 1 < 2;\n  b();\n```");
    expect(markdown).toContain("| 1 | 2 |");
  });

  it.each([
    ['<a href="next">n</a>', "[n](https://example.com/docs/next)"],
    ['<a href="../up?a=1&amp;b=2">u</a>', "[u](https://example.com/up?a=1&b=2)"],
    ['<a href="//other.test/x">o</a>', "[o](https://other.test/x)"],
    ['<img src="/a.png" alt="a plan">', "![a plan](https://example.com/a.png)"],
    ["<p>a &amp; b &euro; &#x41;</p>", "a & b € A"],
    ["<p>one<p>two", "one\n\ntwo"],
  ])("%s is %s", async (html, markdown) => {
    expect(await convert(html)).toBe(markdown);
  });

  it("leaves out scripts, styles and pictures that are in the page itself", async () => {
    const markdown = await convert(
      `<style>p { color: red }</style><script>run("x")</script><p>text</p><img alt="dot" src="data:image/png;base64,${"A".repeat(1_000)}">`,
    );
    expect(markdown).toContain("text");
    expect(markdown).not.toMatch(/color|run|AAAA/u);
  });

  // Fragments that are repeated a hundred thousand times: work and output must stay proportional.
  const parts =
    "<div>|<ul><li>a|<blockquote>a|<table><tr><td>a|<code>`|<pre><code>`|<em>a|<a href='x'>y|<|&|&#x|<!--|<a b='|</div>|<p>a</p>|word |*_[]\\#`";
  it.each(parts.split("|"))("stands a page of nothing but %s", async (part) => {
    const html = part.repeat(1_000);
    const small = (await convert(html)).length;
    const large = (await convert(html.repeat(4))).length;
    expect(large).toBeLessThanOrEqual(Math.max(4 * small, 1_000) * 1.5);
    expect(large).toBeLessThanOrEqual(html.length * 4 * 10);
  });
});
