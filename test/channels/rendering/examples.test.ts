import { describe, expect, it } from "vitest";
import { discordTexts } from "#src/channels/rendering/discord.ts";
import { localLinks } from "#src/channels/rendering/local-links.ts";
import { plainTexts } from "#src/channels/rendering/plain.ts";
import { signalTexts } from "#src/channels/rendering/signal.ts";
import { slackTexts } from "#src/channels/rendering/slack.ts";
import { telegramTexts } from "#src/channels/rendering/telegram.ts";
import { whatsappTexts } from "#src/channels/rendering/whatsapp.ts";

/** Between a marker and a letter, and between characters that must not be read together. */
const ZWSP = "\u{200B}";

interface Example {
  title: string;
  markdown: string;
  telegram?: string;
  slack?: string;
  whatsapp?: string;
  signal?: string;
  plain?: string;
}

const examples: Example[] = [
  {
    title: "bold",
    markdown: "**bold**",
    telegram: "<b>bold</b>",
    slack: "*bold*",
    whatsapp: "*bold*",
    signal: "**bold**",
    plain: "bold",
  },
  {
    title: "bold italic",
    markdown: "***b***",
    telegram: "<i><b>b</b></i>",
    slack: "_*b*_",
    whatsapp: "_*b*_",
    signal: `*${ZWSP}**b**${ZWSP}*`,
    plain: "b",
  },
  {
    title: "strikethrough, and tildes that are none",
    markdown: "~~s~~ ~5 to ~6",
    telegram: "<s>s</s> ~5 to ~6",
    slack: "~s~ ~5 to ~6",
    whatsapp: "~s~ ~5 to ~6",
    signal: String.raw`~s~ \~5 to \~6`,
  },
  {
    title: "inline code",
    markdown: "`a *b* <c>`",
    telegram: "<code>a *b* &lt;c&gt;</code>",
    slack: "`a *b* &lt;c&gt;`",
    whatsapp: "`a *b* <c>`",
    signal: String.raw`\`a \*b\* <c>\``.replaceAll("\\`", "`"),
    plain: "a *b* <c>",
  },
  {
    title: "a block of code with a language",
    markdown: "```ts\nconst a = b * c * d_e_f;\n```",
    telegram: '<pre><code class="language-ts">const a = b * c * d_e_f;</code></pre>',
    slack: "```\nconst a = b * c * d_e_f;\n```",
    whatsapp: "```\nconst a = b * c * d_e_f;\n```",
    signal: String.raw`'const a = b \* c \* d_e_f;'`.replaceAll("'", "`"),
    plain: "const a = b * c * d_e_f;",
  },
  {
    title: "a block of code with fences in it",
    markdown: "````\n```\nx\n```\n````",
    telegram: "<pre>```\nx\n```</pre>",
    slack: `\`\`\`\n\`${ZWSP}\`${ZWSP}\`\nx\n\`${ZWSP}\`${ZWSP}\`\n\`\`\``,
    signal: "`\\`\\`\\`\nx\n\\`\\`\\``",
  },
  {
    title: "a multiplication",
    markdown: "1 * 2 * 3",
    telegram: "1 * 2 * 3",
    slack: "1 * 2 * 3",
    whatsapp: "1 * 2 * 3",
    signal: String.raw`1 \* 2 \* 3`,
    plain: "1 * 2 * 3",
  },
  {
    title: "bold within a word",
    markdown: "pre**mid**post",
    telegram: "pre<b>mid</b>post",
    slack: `pre${ZWSP}*mid*${ZWSP}post`,
    whatsapp: `pre${ZWSP}*mid*${ZWSP}post`,
    signal: "pre**mid**post",
  },
  {
    title: "a heading",
    markdown: "## Head **b**\n\ntext",
    telegram: "<b>Head b</b>\n\ntext",
    slack: "*Head b*\n\ntext",
    whatsapp: "*Head b*\n\ntext",
    signal: "**Head b**\n\ntext",
  },
  {
    title: "lists, nested, and with tasks",
    markdown: "- a\n- b\n  1. c\n  2. d\n- [ ] e\n- [x] f",
    telegram: "• a\n• b\n  1. c\n  2. d\n☐ e\n☑ f",
    slack: "• a\n• b\n  1. c\n  2. d\n☐ e\n☑ f",
  },
  {
    title: "a quotation",
    markdown: "> a **b**\n> c\n>\n> d\n\ne",
    telegram: "<blockquote>a <b>b</b>\nc\n\nd</blockquote>\n\ne",
    slack: "> a *b*\n> c\n>\n> d\n\ne",
    whatsapp: "> a *b*\n> c\n>\n> d\n\ne",
  },
  {
    title: "a link",
    markdown: '[l & m](https://h.test/?a=1&b="2")',
    telegram: '<a href="https://h.test/?a=1&amp;b=&quot;2&quot;">l &amp; m</a>',
    slack: '<https://h.test/?a=1&amp;b="2"|l &amp; m>',
    whatsapp: 'l & m (https://h.test/?a=1&b="2")',
    signal: 'l & m (https://h.test/?a=1&b="2")',
    plain: 'l & m (https://h.test/?a=1&b="2")',
  },
  {
    title: "addresses that no platform may open",
    markdown: "[a](javascript:alert%281%29) [b](src/b.ts) [c](tg://user?id=1) [d](#d)",
    telegram: "a (javascript:alert%281%29) b (src/b.ts) c (tg://user?id=1) d",
    slack: "a (javascript:alert%281%29) b (src/b.ts) c (tg://user?id=1) d",
  },
  {
    title: "mail addresses",
    markdown: "a@h.test [l](mailto:b@h.test)",
    telegram: "a@h.test l (b@h.test)",
    slack: "<mailto:a@h.test|a@h.test> <mailto:b@h.test|l>",
    whatsapp: "a@h.test l (b@h.test)",
  },
  {
    title: "an address that would end Slack's link",
    markdown: "[l](<https://h.test/a|b c>)",
    slack: "<https://h.test/a%7Cb%20c|l>",
  },
  {
    title: "a picture",
    markdown: "![alt](https://h.test/p.png) ![](https://h.test/q.png)",
    telegram: '<a href="https://h.test/p.png">alt</a> https://h.test/q.png',
    slack: "<https://h.test/p.png|alt> <https://h.test/q.png>",
  },
  {
    title: "mentions that a model wrote",
    markdown: "a <!channel> <@U1> `<!here>` [<!everyone>](https://h.test/)",
    slack: "a &lt;!channel&gt; &lt;@U1&gt; `&lt;!here&gt;` <https://h.test/|&lt;!everyone&gt;>",
  },
  {
    title: "HTML",
    markdown: 'a<br>b <u>c</u> <script src="x">&amp;',
    telegram: "a\nb <u>c</u> &lt;script src=&quot;x&quot;&gt;&amp;",
    slack: 'a\nb c &lt;script src="x"&gt;&amp;',
  },
  {
    title: "a table",
    markdown: "| a | b |\n|---|---|\n| **long** | `x|y` |\n| 你 | 2 |".replace("x|y", "x\\|y"),
    telegram: "<pre>a    | b\n-----+----\nlong | x|y\n你   | 2</pre>",
    slack: "```\na    | b\n-----+----\nlong | x|y\n你   | 2\n```",
  },
  { title: "a rule", markdown: "a\n\n---\n\nb", telegram: "a\n\n────────\n\nb", plain: "a\n\n────────\n\nb" },
  {
    title: "a footnote",
    markdown: "a[^n]\n\n[^n]: b",
    telegram: "a[n]\n\n[n] b",
  },
];

const platforms = {
  telegram: telegramTexts,
  slack: slackTexts,
  whatsapp: whatsappTexts,
  signal: signalTexts,
  plain: plainTexts,
};

describe.each(["telegram", "slack", "whatsapp", "signal", "plain"] as const)("%s", (key) => {
  const render = platforms[key];

  it.each(examples.filter((example) => example[key] !== undefined))("writes $title", (example) => {
    expect(render(example.markdown).map(({ markup }) => markup)).toEqual([example[key]]);
  });

  it.each(["", " \n ", "[a]: https://h.test/", "&#8203;", "```\n```"])("sends nothing for %j", (markdown) => {
    expect(render(markdown)).toEqual([]);
  });
});

it("discord gets Markdown as it is", () => {
  for (const { markdown } of examples) {
    expect(discordTexts(markdown).map(({ markup }) => markup)).toEqual([markdown]);
  }
});

describe("the text for a retry", () => {
  const markdown = "**b** [l](https://h.test/) <!channel>";

  it.each([
    ["telegram", telegramTexts],
    ["whatsapp", whatsappTexts],
    ["signal", signalTexts],
  ] as const)("has no markup on %s", (_, render) => {
    expect(render(markdown)[0]?.plain).toBe("b l (https://h.test/) <!channel>");
  });

  it("notifies no channel on Slack", () => {
    expect(slackTexts(markdown)[0]?.plain).toBe("b l (https://h.test/) &lt;!channel&gt;");
  });
});

function markups(render: typeof slackTexts, markdown: string): string[] {
  return render(markdown).map(({ markup }) => markup);
}

describe("a long text", () => {
  it("is cut between paragraphs", () => {
    const paragraphs = ["a", "b", "c"].map((letter) => `${letter} `.repeat(900).trim());
    expect(markups(telegramTexts, paragraphs.join("\n\n"))).toEqual([
      `${paragraphs[0]}\n\n${paragraphs[1]}`,
      paragraphs[2],
    ]);
  });

  it("is cut after a sentence, and else after a word", () => {
    const sentence = `${"word ".repeat(199)}end. `;
    expect(markups(whatsappTexts, sentence.repeat(5)).map((text) => text.slice(-4))).toEqual([
      "end.",
      "end.",
    ]);
    expect(markups(whatsappTexts, "words ".repeat(1_000)).every((text) => text.endsWith("words"))).toBe(true);
  });

  it("has a heading with what follows it", () => {
    const [first, second] = markups(
      telegramTexts,
      `${"a ".repeat(1_900)}\n\n# Head\n\n${"b ".repeat(1_000)}`,
    );
    expect(first).not.toContain("Head");
    expect(second).toMatch(/^<b>Head<\/b>\n\nb b/);
  });

  it("has its code in fences of the same language in every piece", () => {
    const code = Array.from({ length: 500 }, (_, line) => `  const line${line} = ${line};`).join("\n");
    const markdown = `\`\`\`ts\n${code}\n\`\`\``;
    for (const text of markups(discordTexts, markdown)) expect(text).toMatch(/^```ts\n {2}const[^`]*;\n```$/);
    for (const text of markups(telegramTexts, markdown)) {
      expect(text).toMatch(/^<pre><code class="language-ts"> {2}const[^<]*;<\/code><\/pre>$/);
    }
  });

  it("has its styles closed and opened again at a cut", () => {
    const markdown = `**${"bold ".repeat(1_000)}_it_**`;
    for (const text of markups(telegramTexts, markdown)) expect(text).toMatch(/^<b>bold.*<\/b>$/);
    for (const text of markups(slackTexts, markdown)) expect(text).toMatch(/^\*bold.*\*$/);
    for (const text of markups(discordTexts, markdown)) expect(text).toMatch(/^\*\*bold.*\*\*$/);
  });

  it("has a link that no message can hold as text", () => {
    const url = `https://h.test/${"a".repeat(5_000)}`;
    const texts = markups(slackTexts, `[label](${url})`);
    expect(texts.join("") === `label(${url})`).toBe(true);
    expect(texts.join("")).not.toContain("|");
  });
});

describe("the local links of a document", () => {
  it.each<[string, string, string[]]>([
    [
      "an image and a link",
      "![chart](out/chart.png) and [report](report.pdf)",
      ["out/chart.png", "report.pdf"],
    ],
    ["a link in a list in a quotation", "> - **[a](./a.txt)**", ["./a.txt"]],
    ["a link by its name", "See [the file][1].\n\n[1]: data/a.csv", ["data/a.csv"]],
    ["the same link twice", "[a](a.txt) [b](a.txt)", ["a.txt"]],
    ["a path in angle brackets", "[a](<a file.txt>)", ["a file.txt"]],
  ])("are those of %s", (_, markdown, links) => {
    expect(localLinks(markdown)).toEqual(links);
  });

  it.each([
    "no link",
    "[a](https://example.com/a.txt)",
    "[a](//example.com/a.txt)",
    "[a](#top)",
    "`[a](a.txt)`",
    "```\n[a](a.txt)\n```",
    `${"[".repeat(6000)}](a.txt)`,
  ])("are none in %.40s", (markdown) => {
    expect(localLinks(markdown)).toEqual([]);
  });
});
