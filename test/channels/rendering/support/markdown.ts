// Markdown, well formed and malformed, with what a reader must see of it.
import * as fc from "fast-check";

export interface Written {
  markdown: string;
  /** The text without markup, with the address of a link after its label. */
  visible: string;
  links: readonly string[];
}

const EMOJI = ["👍🏽", "👩‍👩‍👧‍👦", "🏳️‍🌈", "🇩🇪", "😀", "👨🏿‍💻", "é", "한국", "漢字"];
const SIGNS = ["&", "<!channel>", "<@U1>", '"', "1 * 2 * 3", "a < b > c", "x && y", "$5", "(z)", "#8"];

const written = (text: string): Written => ({ markdown: text, visible: text, links: [] });

const anyShortWord = fc.oneof(
  fc.stringMatching(/^[a-z]{1,9}[0-9]{0,3}$/),
  fc.constantFrom(...EMOJI),
  fc.stringMatching(/^[a-z]{1,4}_[a-z]{1,4}_[a-z]{1,4}$/),
);

/** Counts, so that what is lost or doubled shows. */
const anyLongWord = fc
  .tuple(fc.integer({ min: 50, max: 500 }), fc.nat(1_000), fc.constantFrom("", ...EMOJI))
  .map(([length, first, between]) =>
    Array.from({ length }, (_, place) => `${(first + place).toString(36)}${between}`).join("q"),
  );

const anyWord: fc.Arbitrary<Written> = fc
  .oneof(
    { weight: 20, arbitrary: anyShortWord },
    { weight: 1, arbitrary: anyLongWord },
    { weight: 3, arbitrary: fc.constantFrom(...SIGNS) },
  )
  .map(written);

const anyCodeSpan = fc
  .stringMatching(/^[a-z*_<>&]{0,10}[a-z]$/)
  .map((text) => ({ ...written(text), markdown: `\`${text}\`` }));

const anyLink: fc.Arbitrary<Written> = fc
  .tuple(
    fc.array(anyShortWord, { minLength: 1, maxLength: 3 }),
    fc.nat(1e9),
    fc.stringMatching(/^[a-z]{0,200}$/),
  )
  .map(([words, id, path]) => {
    const url = `https://h${id}.test/${path}?a_b=${id}`;
    const label = words.join(" ");
    return { markdown: `[${label}](${url})`, visible: `${label} (${url})`, links: [url] };
  });

function joined(parts: readonly Written[], separator: string): Written {
  return {
    markdown: parts.map(({ markdown }) => markdown).join(separator),
    visible: parts.map(({ visible }) => visible).join(separator),
    links: parts.flatMap(({ links }) => links),
  };
}

const anyLeaf = fc.oneof(
  { weight: 10, arbitrary: anyWord },
  { weight: 2, arbitrary: anyCodeSpan },
  { weight: 2, arbitrary: anyLink },
);

const { inline: anyInline } = fc.letrec<{ inline: Written; styled: Written }>((tie) => ({
  styled: fc
    .tuple(fc.constantFrom("**", "*", "~~"), fc.array(tie("inline"), { minLength: 1, maxLength: 5 }))
    .map(([marker, parts]) => {
      const { markdown, visible, links } = joined(parts, " ");
      // A word on both sides, so that the marker is one.
      return { markdown: `${marker}k${markdown}k${marker}`, visible: `k${visible}k`, links };
    }),
  inline: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 4, arbitrary: anyLeaf },
    { weight: 1, arbitrary: tie("styled") },
  ),
}));

const anyParagraph = fc
  .tuple(
    fc.array(anyInline, { minLength: 1, maxLength: 12 }),
    fc.constantFrom(" ", "\n", ". "),
    fc.integer({ min: 1, max: 4 }),
  )
  .map(([parts, separator, times]) => {
    // Begins with a letter, so that it is no list and no heading.
    const line = joined([written("p"), ...parts], separator === "\n" ? " " : separator);
    return joined(Array(times).fill(line), separator === "\n" ? "\n" : " ");
  });

const anyCodeLine = fc.oneof(
  fc.stringMatching(/^ {0,4}[a-z*_<>&"[\]()#]{0,30}$/),
  anyLongWord,
  fc.constantFrom("```", "```js", "", "# 5"),
);

const anyFence = fc
  .tuple(fc.array(anyCodeLine, { maxLength: 40 }), fc.constantFrom("", "ts", "c++"))
  .map(([lines, language]) => {
    const code = ["c", ...lines].join("\n");
    return { markdown: `\`\`\`\`${language}\n${code}\n\`\`\`\``, visible: code, links: [] };
  });

const anyHeading = anyInline.map(({ markdown, visible, links }) => ({
  markdown: `## h${markdown}`,
  visible: `h${visible}`,
  links,
}));
const rule = fc.constant({ markdown: "---", visible: "", links: [] });

function indented(block: Written, first: string, others: string): Written {
  return { ...block, markdown: first + block.markdown.replaceAll("\n", `\n${others}`) };
}

const { block: anyBlock } = fc.letrec<{ block: Written }>((tie) => {
  const anyBlocks = fc
    .array(tie("block"), { minLength: 1, maxLength: 4 })
    .map((blocks) => joined(blocks, "\n\n"));
  const anyQuotation = anyBlocks.map((inner) => indented(inner, "> ", "> "));
  const anyList = fc.array(anyBlocks, { minLength: 1, maxLength: 5 }).map((items) =>
    joined(
      items.map((item) => indented(item, "- ", "  ")),
      "\n",
    ),
  );
  return {
    block: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 4, arbitrary: anyParagraph },
      { weight: 2, arbitrary: anyFence },
      { weight: 2, arbitrary: fc.oneof(anyHeading, rule) },
      { weight: 2, arbitrary: fc.oneof(anyQuotation, anyList) },
    ),
  };
});

export const anyDocument: fc.Arbitrary<Written> = fc
  .array(anyBlock, { minLength: 1, maxLength: 4 })
  .map((blocks) => joined(blocks, "\n\n"));

const MARKS = '* ** _ ~~ ` ``` [ ]( ) ![ < > | \\ &amp; & <u> </u> <br> https://h.test/_a_ [^1] "'.split(" ");
const BEGINNINGS = ["````js\n", "> ", "- ", "1. ", "# ", "    ", "|-|-|\n", "[a]: x\n"];
const UNSEEN = ["\n", "\n\n", "\t", "\u{200B}", "\u{200D}", "\u{FE0F}", "\u{D83D}", "\0"];

/** Text that is full of markup that goes nowhere. */
export const anyHostileText: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(
      fc.oneof(
        fc.constantFrom(...MARKS, ...BEGINNINGS, ...UNSEEN),
        fc.string({ unit: "grapheme", maxLength: 8 }),
      ),
      { maxLength: 60 },
    ),
    fc.integer({ min: 1, max: 60 }),
  )
  .map(([parts, times]) => parts.join("").repeat(times));
