import * as fc from "fast-check";
import type { Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { describe, expect, inject, it } from "vitest";
import type { RenderedText, TextLimit } from "#src/channels/channel.ts";
import { discordTexts } from "#src/channels/rendering/discord.ts";
import { lengthIn } from "#src/channels/text-limit.ts";
import { plainTexts } from "#src/channels/rendering/plain.ts";
import { signalTexts } from "#src/channels/rendering/signal.ts";
import { slackTexts } from "#src/channels/rendering/slack.ts";
import { telegramTexts } from "#src/channels/rendering/telegram.ts";
import { whatsappTexts } from "#src/channels/rendering/whatsapp.ts";
import { seeded } from "#test/support/random.ts";
import { anyDocument, anyHostileText } from "./support/markdown.ts";
import { runs } from "#test/support/soak.ts";
import { processorMs } from "#test/support/processor-ms.ts";

/** Documents of each property, and whether every unit is tried on every platform: `FUZZ_RUNS=300` for a long run. */
const numRuns = runs(3);
const IS_LONG = numRuns > 10;

interface Rules {
  render: (markdown: string) => readonly RenderedText[];
  limit: TextLimit;
  /** What the platform counts. */
  counted: (markup: string) => string;
  /** What a reader sees, with the address of a link after its label. */
  shown: (markup: string) => string;
}

const unescaped = (text: string) =>
  text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&quot;", '"').replaceAll("&amp;", "&");
const same = (text: string) => text;

const platforms: Record<string, Rules> = {
  telegram: {
    render: telegramTexts,
    limit: { max: 4_096, unit: "utf16" },
    counted: (html) => unescaped(html.replaceAll(/<[^>]*>/g, "")),
    shown: (html) =>
      unescaped(html.replaceAll(/<a href="([^"]*)">(.*?)<\/a>/gs, "$2 ($1)").replaceAll(/<[^>]*>/g, "")),
  },
  slack: {
    render: slackTexts,
    limit: { max: 4_000, unit: "code points" },
    counted: same,
    shown: (text) => unescaped(text.replaceAll(/<([^|>]*)\|([^>]*)>/g, "$2 ($1)")),
  },
  discord: {
    render: discordTexts,
    limit: { max: 2_000, unit: "code points" },
    counted: same,
    shown: (text) => text.replaceAll(/^([-> ]*)(`{4})[\w+]+$/gm, "$1$2"),
  },
  whatsapp: { render: whatsappTexts, limit: { max: 4_096, unit: "code points" }, counted: same, shown: same },
  signal: { render: signalTexts, limit: { max: 1_900, unit: "utf8 bytes" }, counted: same, shown: same },
  cli: { render: plainTexts, limit: { max: 1e9, unit: "utf16" }, counted: same, shown: same },
};

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Letters, digits and emoji, whole: what no markup adds. */
function content(text: string): string[] {
  return [...graphemes.segment(text)]
    .map(({ segment }) => segment)
    .filter((segment) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(segment));
}

/** What a text repeats to make a renderer search for long. */
const UNITS = [
  ["*", "[", "]", ">", "> ", "- ", "1. ", "`", "``` ", "~~a ", "[a]("],
  ["![", "a**b", "_a ", "<", "|a", "&", "\\", "a\u{301}", "\u{301}", "👩‍", "]("],
].flat();
/** A run takes one of so many shares of the units for each platform, another one for the next. */
const SHARES = 22;
const firstShare = seeded(inject("fuzzSeed")).whole(0, SHARES - 1);

describe.each(
  Object.entries(platforms).map(([name, rules], index) => ({
    name,
    rules,
    share: (firstShare + 4 * index) % SHARES,
  })),
)("texts for $name", ({ rules: { render, limit, counted, shown }, share }) => {
  it("are within the limit and not empty, as markup and without", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyDocument.map(({ markdown }) => markdown),
          anyHostileText,
        ),
        (markdown) => {
          for (const { markup, plain } of render(markdown)) {
            expect(lengthIn(limit.unit, counted(markup))).toBeLessThanOrEqual(limit.max);
            expect(lengthIn(limit.unit, plain)).toBeLessThanOrEqual(limit.max);
            expect(counted(markup).trim()).not.toBe("");
            expect(plain.trim()).not.toBe("");
            expect(markup.isWellFormed()).toBe(true);
          }
        },
      ),
      { numRuns },
    );
  });

  it("have all of the text once, with graphemes whole", () => {
    fc.assert(
      fc.property(anyDocument, ({ markdown, visible }) => {
        const texts = render(markdown);
        expect(texts.flatMap(({ markup }) => content(shown(markup))).join(" ")).toBe(
          content(visible).join(" "),
        );
        if (render === discordTexts) return;
        expect(
          texts.flatMap(({ plain }) => content(render === slackTexts ? unescaped(plain) : plain)).join(" "),
        ).toBe(content(visible).join(" "));
      }),
      { numRuns },
    );
  });

  it("have every link in one piece", () => {
    fc.assert(
      fc.property(anyDocument, ({ markdown, links }) => {
        const texts = render(markdown).map(({ markup }) => shown(markup).replaceAll(/[\u{200B}\\]/gu, ""));
        expect(links.filter((url) => !texts.some((text) => text.includes(url)))).toEqual([]);
      }),
      { numRuns },
    );
  });

  it.each(UNITS.filter((_unit, at) => IS_LONG || at % SHARES === share))(
    "are found in time for 100,000 characters of %j",
    (unit) => {
      let texts: readonly unknown[] = [];
      expect(processorMs(() => (texts = render(unit.repeat(100_000 / unit.length))))).toBeLessThan(60_000);
      expect(texts.length).toBeLessThanOrEqual(200);
    },
  );
});

describe("the markup of a piece", () => {
  const anyMarkdown = fc.oneof(
    anyDocument.map(({ markdown }) => markdown),
    anyHostileText,
  );
  const holds = (render: Rules["render"], check: (markup: string) => void) => {
    fc.assert(
      fc.property(anyMarkdown, (markdown) => {
        for (const { markup } of render(markdown)) check(markup);
      }),
      { numRuns },
    );
  };

  it("is well-formed HTML of the tags that Telegram knows", () => {
    holds(telegramTexts, (markup) => expect(htmlFaults(markup)).toEqual([]));
  });

  it("has no other `<` on Slack than those of links", () => {
    holds(slackTexts, (markup) => {
      expect(markup.replaceAll(/<(?:https?:\/\/|mailto:)[^<>|\s]+(?:\|[^<>\n]+)?>/gi, "")).not.toMatch(
        /<|[^\n ]*(?<!^|\n)>[^ \n]/,
      );
    });
  });

  it.each([
    ["Slack", slackTexts],
    ["WhatsApp", whatsappTexts],
  ] as const)("has every fence closed on %s", (_, render) => {
    holds(render, (markup) => {
      expect(markup.split("```").length % 2).toBe(1);
    });
  });

  it("has every fence closed on Discord", () => {
    fc.assert(
      fc.property(anyDocument, ({ markdown }) => {
        expect(discordTexts(markdown).flatMap(({ markup }) => openFences(markup))).toEqual([]);
      }),
      { numRuns },
    );
  });
});

/** What is wrong with a text of Telegram's HTML. */
function htmlFaults(html: string): string[] {
  const faults: string[] = [];
  const open: string[] = [];
  if (/[<>&"]/.test(html.replaceAll(/<[^>]*>/g, "").replaceAll(/&(?:amp|lt|gt|quot);/g, "")))
    faults.push("unescaped");
  for (const [tag, closing, name = "", attributes = ""] of html.matchAll(/<(\/?)([^\s>]*)([^>]*)>/g)) {
    if (closing === "/") {
      if (open.pop() !== name) faults.push(`${tag} closes another`);
      continue;
    }
    const isLanguage =
      name === "code" && open.at(-1) === "pre" && /^ class="language-[^"]+"$/.test(attributes);
    if (!["b", "i", "u", "s", "code", "pre", "a", "blockquote"].includes(name))
      faults.push(`${tag} is unknown`);
    if (!isLanguage && !(name === "a" ? /^ href="https?:[^"<>]*"$/i : /^$/).test(attributes))
      faults.push(`${tag} has attributes`);
    if (open.includes("code") || (open.includes("pre") && !isLanguage)) faults.push(`${tag} is in code`);
    if (name === "blockquote" && open.includes(name)) faults.push("nested quotation");
    open.push(name);
  }
  return [...faults, ...open];
}

/** Blocks of code that have no end. */
function openFences(markdown: string): string[] {
  const faults: string[] = [];
  const open: Nodes[] = [fromMarkdown(markdown)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ("children" in node) open.push(...node.children);
    if (node.type !== "code") continue;
    const source = markdown.slice(node.position?.start.offset, node.position?.end.offset);
    const [fence] = /^`{3,}/.exec(source) ?? [];
    if (fence !== undefined && !new RegExp(`\\n[> ]*${fence}\`*$`).test(source)) faults.push(source);
  }
  return faults;
}
